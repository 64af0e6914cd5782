internal import Glibc
package import MinervaWire

/// Looking at a journal file without owning it: read-only, also while a broker has it open.
extension SQLiteJournal {
  /// The size and extent of a journal.
  package struct Statistics: Sendable, Hashable, Codable {
    package var format: Int
    package var epoch: UInt64
    package var scenes: Int
    package var records: Int
    package var snapshots: Int
    /// The bytes of the records and of the snapshots as given, without the file's own overhead.
    package var recordBytes: Int
    package var snapshotBytes: Int
    /// What was set aside because it could not be used: records and snapshots.
    package var aside: Int
    /// The bytes of the file, without its write-ahead log.
    package var fileBytes: Int
    /// When the oldest and the newest kept record were written, in milliseconds since 1970; nil without records.
    package var oldest: Int64?
    package var newest: Int64?
  }

  /// What a check of a whole file found.
  package struct Verification: Sendable, Hashable, Codable {
    package var recordsChecked: Int
    package var snapshotsChecked: Int
    /// One line each, at most 100; empty when all is well.
    package var problems: [String]

    package var isWhole: Bool { problems.isEmpty }
  }

  /// One thing out of a journal, in the order of `export`.
  package enum Exported: Sendable, Hashable {
    case snapshot(JournalSnapshot, written: Int64)
    case record(JournalEntry, written: Int64)
  }

  /// The format that this Minerva writes; it reads every one up to it.
  package static var format: Int { Int(JournalFormat.current.version) }

  /// Measures a file. Reads it whole: linear in its size.
  package static func statistics(of path: String) throws(MinervaError) -> Statistics {
    try inspect(path) { (connection, format) throws(SQLiteFailure) in
      func number(_ sql: String) throws(SQLiteFailure) -> Int { Int(try connection.integer(sql) ?? 0) }
      let records = try number("SELECT count(*) FROM record")
      return Statistics(
        format: Int(format),
        epoch: UInt64(bitPattern: try connection.integer("SELECT value FROM meta WHERE key = 'epoch'") ?? 0),
        scenes: try number("SELECT count(*) FROM scene"), records: records, snapshots: try number("SELECT count(*) FROM snapshot"),
        recordBytes: try number("SELECT coalesce(sum(length(body)), 0) FROM record"),
        snapshotBytes: try number("SELECT coalesce(sum(length(body)), 0) FROM snapshot"),
        aside: format >= 2 ? try number("SELECT count(*) FROM aside") : 0,
        fileBytes: try number("PRAGMA page_count") * (try number("PRAGMA page_size")),
        oldest: records == 0 ? nil : try connection.integer("SELECT written FROM record ORDER BY row LIMIT 1"),
        newest: records == 0 ? nil : try connection.integer("SELECT written FROM record ORDER BY row DESC LIMIT 1"))
    }
  }

  /// Checks the file's own structure, every checksum and that each scene's records follow each other.
  package static func verify(_ path: String) throws(MinervaError) -> Verification {
    try inspect(path) { (connection, format) throws(SQLiteFailure) in
      var result = Verification(recordsChecked: 0, snapshotsChecked: 0, problems: [])
      func report(_ problem: String) { if result.problems.count < 100 { result.problems.append(problem) } }
      do throws(SQLiteFailure) {
        let structure = try connection.prepare("PRAGMA integrity_check(20)")
        while try structure.step() {
          if structure.text(0) != "ok" { report(structure.text(0)) }
        }
        let names = try names(connection, format, report)
        var last: [Int64: (sequence: Int64, row: Int64)] = [:]
        var first: [Int64: Int64] = [:]
        let records = try connection.prepare("SELECT row, scene, sequence, prior, sum, body FROM record ORDER BY row")
        while try records.step() {
          let (row, scene, sequence) = (records.integer(0), records.integer(1), records.integer(2))
          if let before = last[scene], before.sequence &+ 1 != sequence || before.row != records.integer(3) {
            report("row \(row): record \(sequence) of scene \(scene) follows record \(before.sequence)")
          }
          if records.withBlob(5, { Checksum.of($0, scene: scene, sequence: sequence) }) != records.integer(4) {
            report("row \(row): the checksum of record \(sequence) of scene \(scene) differs")
          }
          if first[scene] == nil {
            first[scene] = sequence
            if names[scene] == nil { report("row \(row): record \(sequence) belongs to scene \(scene), which has no name") }
          }
          last[scene] = (sequence, row)
          result.recordsChecked += 1
        }
        var covered: [Int64: Int64] = [:]
        let snapshots = try connection.prepare("SELECT scene, sequence, sum, body FROM snapshot ORDER BY scene, sequence")
        while try snapshots.step() {
          let (scene, sequence) = (snapshots.integer(0), snapshots.integer(1))
          if snapshots.withBlob(3, { Checksum.of($0, scene: scene, sequence: sequence) }) != snapshots.integer(2) {
            report("the checksum of the snapshot of scene \(scene) at \(sequence) differs")
          } else {
            covered[scene] = sequence
          }
          result.snapshotsChecked += 1
        }
        for (scene, sequence) in first.sorted(by: { $0.key < $1.key }) where sequence > 1 && covered[scene] ?? 0 < sequence - 1 {
          report("no whole snapshot leads up to record \(sequence), the first of scene \(scene)")
        }
        if format >= 2 { try checkHeads(connection, last, report) }
        if format >= 4 { try checkRests(connection, report) }
        if format >= 5 { try checkEnds(connection, report) }
      } catch {
        guard error.isDamageAtOpening else { throw error }
        report(error.message)
      }
      return result
    }
  }

  private static func names(
    _ connection: Connection, _ format: Int64, _ report: (String) -> Void
  ) throws(SQLiteFailure) -> [Int64: String] {
    var names: [Int64: String] = [:]
    let scenes = try connection.prepare(format >= 2 ? "SELECT id, name, sum FROM scene" : "SELECT id, name FROM scene")
    while try scenes.step() {
      let (id, name) = (scenes.integer(0), scenes.text(1))
      if format >= 2, Checksum.of(name: name, id: id) != scenes.integer(2) { report("the name of scene \(id) is not as it was written") }
      names[id] = name
    }
    return names
  }

  /// Whether the table of heads speaks of records that are there.
  private static func checkHeads(
    _ connection: Connection, _ last: [Int64: (sequence: Int64, row: Int64)], _ report: (String) -> Void
  ) throws(SQLiteFailure) {
    let heads = try connection.prepare("SELECT scene, sequence, row, sum FROM head")
    while try heads.step() {
      let (scene, sequence, row) = (heads.integer(0), heads.integer(1), heads.integer(2))
      if Checksum.of(head: UInt64(bitPattern: sequence), row: row, scene: scene) != heads.integer(3) {
        report("the head of scene \(scene) is not as it was written")
      } else if let last = last[scene], last.row < row, last.sequence < sequence {
        report("the head of scene \(scene) is record \(sequence), the last that is there is \(last.sequence)")
      }
    }
  }

  /// Whether what was noted of scenes at rest is as it was written.
  private static func checkRests(_ connection: Connection, _ report: (String) -> Void) throws(SQLiteFailure) {
    let rests = try connection.prepare("SELECT scene, sequence, sum, note FROM rest")
    while try rests.step() {
      let (scene, sequence) = (rests.integer(0), rests.integer(1))
      if rests.withBlob(3, { Checksum.of($0, scene: scene, sequence: sequence) }) != rests.integer(2) {
        report("the note of scene \(scene) at rest is not as it was written")
      }
    }
  }

  private static func checkEnds(_ connection: Connection, _ report: (String) -> Void) throws(SQLiteFailure) {
    let ends = try connection.prepare("SELECT scene, sequence, number, sum FROM ended")
    while try ends.step() {
      let (scene, sequence) = (ends.integer(0), UInt64(bitPattern: ends.integer(1)))
      if Checksum.of(over: ends.integer(2), sequence: sequence, scene: scene) != ends.integer(3) {
        report("the note that scene \(scene) is over is not as it was written")
      }
    }
  }

  /// Hands over snapshots and then records in the order they were written, of one scene or of all, until `body` says false.
  ///
  /// - Parameter begin: Hears first which format the file has, and the highest number of the scenes of which it keeps nothing any more.
  package static func export(
    _ path: String, scene: String? = nil, begin: (_ format: Int, _ forgotten: UInt64) -> Bool = { _, _ in true },
    _ body: (Exported) -> Bool
  ) throws(MinervaError) {
    try inspect(path) { (connection, format) throws(SQLiteFailure) in
      let forgotten = try connection.integer("SELECT value FROM meta WHERE key = 'forgotten'") ?? 0
      guard begin(Int(format), UInt64(clamping: forgotten)) else { return }
      var names: [Int64: String] = [:]
      let scenes = try connection.prepare("SELECT id, name FROM scene")
      while try scenes.step() {
        if scene == nil || scenes.text(1) == scene { names[scenes.integer(0)] = scenes.text(1) }
      }
      let snapshots = try connection.prepare("SELECT scene, sequence, written, body FROM snapshot ORDER BY rowid")
      while try snapshots.step() {
        guard let name = names[snapshots.integer(0)] else { continue }
        let snapshot = JournalSnapshot(scene: name, sequence: UInt64(bitPattern: snapshots.integer(1)), bytes: snapshots.blob(3))
        guard body(.snapshot(snapshot, written: snapshots.integer(2))) else { return }
      }
      let records = try connection.prepare("SELECT scene, sequence, written, body FROM record ORDER BY row")
      while try records.step() {
        guard let name = names[records.integer(0)] else { continue }
        let entry = JournalEntry(scene: name, sequence: UInt64(bitPattern: records.integer(1)), record: records.blob(3))
        guard body(.record(entry, written: records.integer(2))) else { return }
      }
    }
  }

  /// Hands over what was set aside because it could not be used, in the order in which it was, with the reason, until `body` says false.
  package static func exportAside(
    _ path: String, scene: String? = nil, _ body: (Exported, _ reason: String) -> Bool
  ) throws(MinervaError) {
    try inspect(path) { (connection, format) throws(SQLiteFailure) in
      guard format >= 2 else { return }
      let rows = try connection.prepare(
        """
        SELECT name, sequence, kind, written, body, reason FROM aside JOIN scene ON scene.id = aside.scene ORDER BY place
        """)
      while try rows.step() {
        let (name, sequence) = (rows.text(0), UInt64(bitPattern: rows.integer(1)))
        guard scene == nil || scene == name else { continue }
        let item: Exported =
          rows.text(2) == "snapshot"
          ? .snapshot(JournalSnapshot(scene: name, sequence: sequence, bytes: rows.blob(4)), written: rows.integer(3))
          : .record(JournalEntry(scene: name, sequence: sequence, record: rows.blob(4)), written: rows.integer(3))
        guard body(item, rows.text(5)) else { return }
      }
    }
  }

  private static func inspect<Result>(
    _ path: String, _ body: (Connection, _ format: Int64) throws(SQLiteFailure) -> Result
  ) throws(MinervaError) -> Result {
    guard access(path, F_OK) == 0 else {
      throw MinervaError(.journalFile, "there is no journal at \(path); name the file, or its directory with --data or --runtime")
    }
    do throws(SQLiteFailure) {
      let connection = try Connection(path: path, readOnly: true)
      // One view of the file for all statements, whatever a broker writes meanwhile. It ends with the connection.
      try connection.execute("BEGIN")
      let format = try connection.integer("SELECT value FROM meta WHERE key = 'format'") ?? 0
      if format <= JournalFormat.current.version { return try body(connection, format) }
    } catch {
      throw MinervaError(error.isDamageAtOpening ? .journalCorrupt : .journalFile, "cannot read \(path): \(error.message)")
    }
    throw MinervaError(.journalNewerFormat, "\(path) has a newer format than \(JournalFormat.current.version); use the newer Minerva")
  }
}
