import MinervaNavigation
import MinervaWire

/// One line of a recording: a JSON object with one member, and the sum of it and of all lines before.
///
/// The sum is the last member, `"sum":"0f3c…"`: FNV-1a over the sum of the line before, as eight bytes, and the text of this one up to the
/// comma before it. An edited, missing, repeated or moved line does not fit its neighbours.
package enum RecordingLine: Hashable, Sendable {
  /// What is recorded, and where it begins; the first line.
  case head(RecordingHead)
  /// A caller's command (`cmd`), or what else came from outside (`ext`): fed on replay.
  case fed(FedRecord)
  /// What the record before did: compared on replay.
  case effects(RecordedEffects)
  /// The last line.
  case end(RecordingEnd)
}

/// What a recording begins with.
package struct RecordingHead: Hashable, Sendable {
  /// The layout of the lines; another one is refused.
  package static let layout = 1

  /// The version that recorded.
  package var version: String
  package var scene: String
  package var app: String
  package var incarnation: UInt64
  /// The record before the first of the recording; 0: the scene's beginning.
  package var after: UInt64
  /// The starting state.
  package var image: [UInt8]
  /// The tree of it.
  package var tree: RecordedTree

  package init(
    version: String, scene: String, app: String, incarnation: UInt64, after: UInt64, image: [UInt8], tree: RecordedTree
  ) {
    self.version = version
    self.scene = scene
    self.app = app
    self.incarnation = incarnation
    self.after = after
    self.image = image
    self.tree = tree
  }
}

/// A tree by its hash, and by its stacks for people.
package struct RecordedTree: Hashable, Sendable {
  package var hash: UInt64
  /// A line a stack; nil where the tree is the same as on the line before.
  package var stacks: [String]?

  package init(hash: UInt64, stacks: [String]?) {
    self.hash = hash
    self.stacks = stacks
  }
}

/// A record that is fed.
package struct FedRecord: Hashable, Sendable {
  package var seq: UInt64
  /// Scene time in milliseconds.
  package var at: UInt64
  /// Whether it is a caller's command.
  package var isCommand: Bool
  /// What it says, for people.
  package var words: String
  /// The journal's bytes.
  package var body: [UInt8]
}

/// What a record did.
package struct RecordedEffects: Hashable, Sendable {
  /// One effect: in words, and the sum of all of it.
  package struct Item: Hashable, Sendable {
    package var words: String
    package var sum: UInt64
  }

  package var seq: UInt64
  package var items: [Item]
  package var tree: RecordedTree
}

/// What a recording ends with.
package struct RecordingEnd: Hashable, Sendable {
  package var records: Int
  /// The sum of the whole state after the last record.
  package var state: UInt64
}

// MARK: - Text

extension RecordingLine {
  /// The line without its end, and the sum that the next one goes on from.
  package func text(after sum: UInt64) -> (text: String, sum: UInt64) {
    let body = String(JSONValue.object([key: .object(members)]).text.dropLast())
    let sum = Self.sum(of: Array(body.utf8)[...], after: sum)
    return (body + Self.seam + Hexadecimal.text(sum) + "\"}", sum)
  }

  /// Reads a line.
  ///
  /// - Throws: What is wrong with it, to be said behind its number.
  package init(_ line: [UInt8], after sum: UInt64) throws(RecordingFault) {
    let seam = Array(Self.seam.utf8)
    let tail = line.count - seam.count - 18
    guard tail > 0, line[tail..<(tail + seam.count)].elementsEqual(seam), line.suffix(2).elementsEqual("\"}".utf8),
      let written = Hexadecimal.value(String(decoding: line[(tail + seam.count)..<(line.count - 2)], as: UTF8.self))
    else { throw RecordingFault("is cut off, or no line of a recording") }
    guard Self.sum(of: line[..<tail], after: sum) == written else {
      throw RecordingFault("is not as it was written, or a line before it is missing")
    }
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: line) } catch { throw RecordingFault("is no JSON object: \(error)") }
    guard case .object(let object) = value, let first = object.members.first else { throw RecordingFault("is no JSON object") }
    guard let read = Self(key: first.key, first.value) else { throw RecordingFault("lacks a member of \"\(first.key)\"") }
    self = read
  }

  private static let seam = ",\"sum\":\""

  private static func sum(of body: ArraySlice<UInt8>, after sum: UInt64) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(sum)
    for byte in body { fingerprint.add(byte) }
    return fingerprint.value
  }

  private var key: String {
    switch self {
    case .head: "head"
    case .fed(let fed): fed.isCommand ? "cmd" : "ext"
    case .effects: "eff"
    case .end: "end"
    }
  }

  private var members: JSONObject {
    switch self {
    case .head(let head):
      [
        "recording": .integer(Int64(RecordingHead.layout)), "version": .string(head.version), "scene": .string(head.scene),
        "app": .string(head.app), "incarnation": .integer(Int64(clamping: head.incarnation)),
        "after": .integer(Int64(clamping: head.after)),
        "tree": .object(head.tree.members), "state": .string(Base64.text(head.image)),
      ]
    case .fed(let fed):
      [
        "seq": .integer(Int64(clamping: fed.seq)), "at": .integer(Int64(clamping: fed.at)), "says": .string(fed.words),
        "record": .string(Base64.text(fed.body)),
      ]
    case .effects(let effects):
      [
        "seq": .integer(Int64(clamping: effects.seq)),
        "effects": .array(effects.items.map { .array([.string($0.words), .string(Hexadecimal.text($0.sum))]) }),
        "tree": .object(effects.tree.members),
      ]
    case .end(let end): ["records": .integer(Int64(end.records)), "state": .string(Hexadecimal.text(end.state))]
    }
  }

  private init?(key: String, _ value: JSONValue) {
    switch key {
    case "head":
      guard let version = value.string("version"), let scene = value.string("scene"), let app = value.string("app"),
        let incarnation = value.number("incarnation"), let after = value.number("after"),
        let tree = value["tree"].flatMap(RecordedTree.init),
        let image = value.string("state").flatMap(Base64.bytes)
      else { return nil }
      self = .head(
        RecordingHead(version: version, scene: scene, app: app, incarnation: incarnation, after: after, image: image, tree: tree))
    case "cmd", "ext":
      guard let seq = value.number("seq"), let at = value.number("at"), let words = value.string("says"),
        let body = value.string("record").flatMap(Base64.bytes)
      else { return nil }
      self = .fed(FedRecord(seq: seq, at: at, isCommand: key == "cmd", words: words, body: body))
    case "eff":
      guard let seq = value.number("seq"), case .array(let list)? = value["effects"], let tree = value["tree"].flatMap(RecordedTree.init)
      else { return nil }
      var items: [RecordedEffects.Item] = []
      for item in list {
        guard case .string(let words)? = item[0], case .string(let text)? = item[1], let sum = Hexadecimal.value(text) else { return nil }
        items.append(RecordedEffects.Item(words: words, sum: sum))
      }
      self = .effects(RecordedEffects(seq: seq, items: items, tree: tree))
    case "end":
      guard let records = value.number("records"), let state = value.string("state").flatMap(Hexadecimal.value) else { return nil }
      self = .end(RecordingEnd(records: Int(clamping: records), state: state))
    default: return nil
    }
  }
}

/// What is wrong with a line.
package struct RecordingFault: Error, Hashable, Sendable {
  package var text: String

  init(_ text: String) { self.text = text }
}

extension RecordedTree {
  fileprivate var members: JSONObject {
    var members: JSONObject = ["hash": .string(Hexadecimal.text(hash))]
    if let stacks { members["stacks"] = .array(stacks.map { .string($0) }) }
    return members
  }

  fileprivate init?(_ value: JSONValue) {
    guard let hash = value.string("hash").flatMap(Hexadecimal.value) else { return nil }
    self.init(hash: hash, stacks: nil)
    guard let list = value["stacks"] else { return }
    guard case .array(let items) = list else { return nil }
    stacks = []
    for item in items {
      guard case .string(let text) = item else { return nil }
      stacks?.append(text)
    }
  }
}

extension JSONValue {
  fileprivate func string(_ key: String) -> String? { if case .string(let text)? = self[key] { text } else { nil } }

  fileprivate func number(_ key: String) -> UInt64? {
    if case .integer(let number)? = self[key], number >= 0 { UInt64(number) } else { nil }
  }
}
