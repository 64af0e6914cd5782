import Foundation
import MinervaJournal
import MinervaWire
import ShellKit

/// A journal as text: one JSON object a line, a first line that says what it is, and a last one that says it is whole.
enum JournalText {
  /// The layout of the lines. Another one is refused.
  static let layout = 1

  static func head(format: Int, forgotten: UInt64 = 0, version: String, isAside: Bool) -> String {
    var members: [(String, JSONLine.Value)] = [
      ("minerva_journal", .number(layout)), ("format", .number(format)), ("version", .text(version)),
    ]
    if forgotten > 0 { members.append(("forgotten", .unsigned(forgotten))) }
    if isAside { members.append(("aside", .flag(true))) }
    return JSONLine(members).text
  }

  static func line(_ item: SQLiteJournal.Exported, reason: String? = nil) -> String {
    var members: [(String, JSONLine.Value)]
    switch item {
    case .record(let entry, let written):
      members = [
        ("scene", .text(entry.scene)), ("record", .unsigned(entry.sequence)), ("written", .number(Int(written))),
        ("body", .text(Data(entry.record).base64EncodedString())),
      ]
    case .snapshot(let snapshot, let written):
      members = [
        ("scene", .text(snapshot.scene)), ("snapshot", .unsigned(snapshot.sequence)), ("written", .number(Int(written))),
        ("body", .text(Data(snapshot.bytes).base64EncodedString())),
      ]
    }
    if let reason { members.append(("reason", .text(reason))) }
    return JSONLine(members).text
  }

  static func end(_ items: Int) -> String { JSONLine([("end", .number(items))]).text }

  /// What a line of an export says.
  enum Line {
    case item(SQLiteJournal.Exported)
    case end(Int)
  }

  /// Checks the first line; returns the highest number of the scenes of which nothing was kept any more, 0 where it does not say.
  static func checkHead(_ bytes: [UInt8], file: String) throws(MinervaError) -> UInt64 {
    let value = try object(bytes, at: 1, file)
    guard case .integer(let layout)? = value["minerva_journal"], case .integer(let format)? = value["format"] else {
      throw fault(1, file, "is not the first line of a journal's export")
    }
    guard layout == Int64(Self.layout), format <= Int64(SQLiteJournal.format) else {
      throw MinervaError(
        .journalNewerFormat,
        "\(file) was exported as layout \(layout) of format \(format), this Minerva reads layout \(Self.layout) up to format \(SQLiteJournal.format); use the newer one"
      )
    }
    guard value["aside"] == nil else { throw fault(1, file, "begins what was set aside; that is no history and can't be imported") }
    switch value["forgotten"] {
    case nil: return 0
    case .integer(let number)? where number >= 0: return UInt64(number)
    default: throw fault(1, file, "tells of no number of scenes that are forgotten")
    }
  }

  /// Reads another line.
  static func read(_ bytes: [UInt8], at number: Int, file: String) throws(MinervaError) -> Line {
    let value = try object(bytes, at: number, file)
    if case .integer(let count)? = value["end"] { return .end(Int(count)) }
    guard case .string(let scene)? = value["scene"], case .integer(let written)? = value["written"],
      case .string(let text)? = value["body"],
      let body = Data(base64Encoded: text)
    else { throw fault(number, file, "has not the members scene, written and body of a record") }
    if case .integer(let sequence)? = value["record"], sequence > 0 {
      return .item(.record(JournalEntry(scene: scene, sequence: UInt64(sequence), record: Array(body)), written: written))
    }
    guard case .integer(let sequence)? = value["snapshot"], sequence > 0 else {
      throw fault(number, file, "names neither a record nor a snapshot")
    }
    return .item(.snapshot(JournalSnapshot(scene: scene, sequence: UInt64(sequence), bytes: Array(body)), written: written))
  }

  static func fault(_ number: Int, _ file: String, _ what: String) -> MinervaError {
    MinervaError(.parseJSONLine, "\(file): line \(number) \(what); nothing was imported")
  }

  private static func object(_ bytes: [UInt8], at number: Int, _ file: String) throws(MinervaError) -> JSONValue {
    do throws(JSONError) {
      let value = try JSONValue(parsing: bytes)
      if case .object = value { return value }
    } catch {
      throw fault(number, file, "is no JSON object: \(error)")
    }
    throw fault(number, file, "is no JSON object")
  }
}
