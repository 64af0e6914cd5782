internal import CSQLite
internal import MinervaWire

/// A journal file open for writing, with the heads of its scenes in memory; used by the writer's thread alone.
final class JournalFile {
  /// How far a scene got.
  struct Head {
    var id: Int64
    var sequence: UInt64 = 0
    /// The row of the last record; 0 when a snapshot is all that is left.
    var row: Int64 = 0
    var snapshotSequence: UInt64 = 0
    /// Whether the file's own table of heads says the same.
    var isMarked = true
  }

  let connection: Connection
  let epoch: UInt64
  let formatBefore: Int64
  var heads: [String: Head] = [:]
  /// The records that the file holds.
  var recordCount = 0
  /// The row up to which the table of heads is right, the scenes it is not right about, and the records since.
  var mark: Int64 = 0
  var unmarked: [String] = []
  var recordsSinceMark = 0
  /// The scenes that are noted as over, by their numbers in the file.
  var over: Set<Int64> = []
  /// The highest number of those of which nothing is kept any more.
  var forgotten: UInt64 = 0
  private var nextScene: Int64 = 1

  private let insertRecord: Statement
  private let insertScene: Statement
  private let insertSnapshot: Statement
  private let insertRest: Statement
  private let insertOver: Statement
  let deleteRest: Statement
  let insertHead: Statement
  let selectRecord: Statement
  let selectSnapshot: Statement
  let selectNextSnapshot: Statement
  let begin: Statement
  let commitStatement: Statement

  /// The number after one that a file holds: what is there may be anything, also the last there is.
  private static func next<Number: FixedWidthInteger>(after number: Number, _ what: String) throws(JournalFileFailure) -> Number {
    let (next, isOver) = number.addingReportingOverflow(1)
    if isOver {
      throw .refused(MinervaError(.journalFile, "no \(what) comes after \(number); set the file aside, or import an export of it"))
    }
    return next
  }

  /// Opens or creates a file, migrates it, checks that its rows follow each other and takes the next epoch durably.
  init(path: String, settings: SQLiteJournal.Settings, epochAtLeast: UInt64, check: SQLiteJournal.Check) throws(JournalFileFailure) {
    do {
      connection = try Connection(path: path)
      try connection.execute(
        """
        PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 2000; PRAGMA foreign_keys = OFF;
        """)
      formatBefore = try settings.format.migrate(connection)
      if let limit = settings.maximumBytes {
        let page = try connection.integer("PRAGMA page_size") ?? 8192
        try connection.execute("PRAGMA max_page_count = \(max(1, limit / Int(page)))")
      }
      insertRecord = try connection.prepare(
        "INSERT INTO record (scene, sequence, prior, written, sum, body) VALUES (?, ?, ?, ?, ?, ?)")
      insertScene = try connection.prepare("INSERT INTO scene (id, name, sum) VALUES (?, ?, ?)")
      insertSnapshot = try connection.prepare(
        "INSERT OR REPLACE INTO snapshot (scene, sequence, row, written, sum, body) VALUES (?, ?, ?, ?, ?, ?)")
      insertRest = try connection.prepare("INSERT OR REPLACE INTO rest (scene, sequence, sum, note) VALUES (?, ?, ?, ?)")
      insertOver = try connection.prepare("INSERT INTO ended (scene, sequence, number, sum) VALUES (?, ?, ?, ?)")
      deleteRest = try connection.prepare("DELETE FROM rest WHERE scene = ?")
      insertHead = try connection.prepare("INSERT OR REPLACE INTO head (scene, sequence, row, sum) VALUES (?, ?, ?, ?)")
      selectRecord = try connection.prepare("SELECT scene, sequence, prior, sum, body FROM record WHERE row = ?")
      selectSnapshot = try connection.prepare(
        "SELECT sequence, sum, body FROM snapshot WHERE scene = ? AND sequence <= ? ORDER BY sequence DESC")
      selectNextSnapshot = try connection.prepare(
        "SELECT row FROM snapshot WHERE scene = ? AND sequence >= ? ORDER BY sequence LIMIT 1")
      begin = try connection.prepare("BEGIN IMMEDIATE")
      commitStatement = try connection.prepare("COMMIT")
      let last = UInt64(bitPattern: try connection.integer("SELECT value FROM meta WHERE key = 'epoch'") ?? 0)
      epoch = try Self.next(after: max(last, epochAtLeast), "epoch")
    } catch let failure as SQLiteFailure {
      throw .sqlite(failure)
    } catch let failure as JournalFileFailure {
      throw failure
    } catch {
      throw .refused(MinervaError(.journalFile, "\(path): \(error)"))
    }
    let followed = check == .sinceMark && readHeadsSinceMark()
    if !followed { try readHeads() }
    for head in heads.values { nextScene = try max(nextScene, Self.next(after: head.id, "scene")) }
    do {
      // What was set aside of a scene of which nothing else is left must not seem to be another's.
      let aside = try connection.integer("SELECT max(scene) FROM aside") ?? 0
      if aside > 0, aside < .max { nextScene = max(nextScene, aside + 1) }
      try readOver()
      try begin.step()
      try connection.execute("INSERT OR REPLACE INTO meta VALUES ('epoch', \(Int64(bitPattern: epoch)))")
      if !followed { try writeMark(Pending(nextScene: nextScene), at: mark, everything: true) }
      try commitStatement.step()
    } catch {
      rollback()
      throw .sqlite(error)
    }
  }

  // MARK: Writing

  /// The heads as a transaction under way would leave them.
  struct Pending {
    var heads: [String: Head] = [:]
    var nextScene: Int64
    var records = 0
    var lastRow: Int64 = 0
    /// Scenes that were noted as over.
    var over: [Int64] = []
    /// Scenes that the table of heads is right about until this transaction.
    var newlyUnmarked: [String] = []

    /// Notes how far a scene got.
    mutating func move(_ name: String, to head: Head) {
      var head = head
      if head.isMarked {
        head.isMarked = false
        newlyUnmarked.append(name)
      }
      heads[name] = head
    }
  }

  /// Begins a transaction.
  func beginTransaction() throws(SQLiteFailure) -> Pending {
    try begin.step()
    return Pending(nextScene: nextScene)
  }

  /// Whether a group follows what is there; the refusal is the group's own and nothing was written.
  func check(_ group: [JournalEntry], _ pending: Pending) throws(MinervaError) {
    var next: [String: UInt64] = [:]
    for entry in group {
      let expected = next[entry.scene] ?? (pending.heads[entry.scene] ?? heads[entry.scene]).map { $0.sequence + 1 } ?? 1
      guard entry.sequence == expected else { throw .gap(entry, expected: expected) }
      next[entry.scene] = expected + 1
    }
  }

  /// Writes a group that `check` let pass.
  func write(_ group: [JournalEntry], written: Int64, _ pending: inout Pending) throws(SQLiteFailure) {
    for entry in group {
      var head: Head
      if let known = pending.heads[entry.scene] ?? heads[entry.scene] {
        head = known
      } else {
        head = Head(id: pending.nextScene)
        pending.nextScene += 1
        insertScene.bind(1, head.id)
        insertScene.bind(2, entry.scene)
        insertScene.bind(3, Checksum.of(name: entry.scene, id: head.id))
        try insertScene.step()
      }
      let sequence = Int64(bitPattern: entry.sequence)
      insertRecord.bind(1, head.id)
      insertRecord.bind(2, sequence)
      insertRecord.bind(3, head.prior)
      insertRecord.bind(4, written)
      insertRecord.bind(5, Checksum.of(entry.record, scene: head.id, sequence: sequence))
      try insertRecord.step(blob: entry.record, at: 6)
      head.row = connection.lastRow
      head.sequence = entry.sequence
      pending.move(entry.scene, to: head)
      pending.records += 1
      pending.lastRow = head.row
    }
  }

  /// Writes a snapshot; false when it is of a record that isn't there.
  func write(_ snapshot: JournalSnapshot, written: Int64, _ pending: inout Pending) throws(SQLiteFailure) -> Bool {
    guard var head = pending.heads[snapshot.scene] ?? heads[snapshot.scene], snapshot.sequence > 0,
      snapshot.sequence <= head.sequence
    else { return false }
    var row = head.row
    var sequence = head.sequence
    while sequence > snapshot.sequence && row > 0 {
      selectRecord.bind(1, row)
      guard try selectRecord.step() else { return false }
      row = selectRecord.integer(2)
      sequence -= 1
      selectRecord.reset()
    }
    insertSnapshot.bind(1, head.id)
    insertSnapshot.bind(2, Int64(bitPattern: snapshot.sequence))
    insertSnapshot.bind(3, max(0, row))
    insertSnapshot.bind(4, written)
    insertSnapshot.bind(5, Checksum.of(snapshot.bytes, scene: head.id, sequence: Int64(bitPattern: snapshot.sequence)))
    try insertSnapshot.step(blob: snapshot.bytes, at: 6)
    head.snapshotSequence = max(head.snapshotSequence, snapshot.sequence)
    pending.heads[snapshot.scene] = head
    return true
  }

  /// Writes what is to be known of a scene at rest, unless it has gone on since; false when its record isn't there.
  func write(_ rest: JournalRest, _ pending: inout Pending) throws(SQLiteFailure) -> Bool {
    guard let head = pending.heads[rest.scene] ?? heads[rest.scene], rest.sequence > 0, rest.sequence <= head.sequence else { return false }
    guard rest.sequence == head.sequence else { return true }
    let sequence = Int64(bitPattern: rest.sequence)
    insertRest.bind(1, head.id)
    insertRest.bind(2, sequence)
    insertRest.bind(3, Checksum.of(rest.note, scene: head.id, sequence: sequence))
    try insertRest.step(blob: rest.note, at: 4)
    if let number = rest.over.map(Int64.init(clamping:)), !over.contains(head.id) {
      insertOver.bind(1, head.id)
      insertOver.bind(2, sequence)
      insertOver.bind(3, number)
      insertOver.bind(4, Checksum.of(over: number, sequence: rest.sequence, scene: head.id))
      try insertOver.step()
      pending.over.append(head.id)
    }
    return true
  }

  /// Makes a transaction durable; only then do the heads move.
  func commit(_ pending: Pending) throws(SQLiteFailure) {
    let isMarking = recordsSinceMark + pending.records >= Self.recordsPerMark
    if isMarking { try writeMark(pending, at: pending.lastRow) }
    try commitStatement.step()
    for (name, head) in pending.heads { heads[name] = head }
    over.formUnion(pending.over)
    nextScene = pending.nextScene
    recordCount += pending.records
    recordsSinceMark += pending.records
    unmarked += pending.newlyUnmarked
    if isMarking { marked(at: pending.lastRow) }
  }

  func rollback() {
    // A full disk may have ended it already; there is nothing to be done about a failure here.
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
  }

  /// The scenes by name, with what was noted of those at rest. O(scenes · log).
  func list() -> [JournaledHead] {
    var rests: [Int64: (sequence: UInt64, note: [UInt8])] = [:]
    // What cannot be read of them is worth no more than what was never noted: those scenes are read instead.
    if let rows = try? connection.prepare("SELECT scene, sequence, sum, note FROM rest") {
      while (try? rows.step()) == true {
        let (scene, sequence, note) = (rows.integer(0), rows.integer(1), rows.blob(3))
        guard Checksum.of(note, scene: scene, sequence: sequence) == rows.integer(2) else { continue }
        rests[scene] = (UInt64(bitPattern: sequence), note)
      }
    }
    return heads.map { name, head in
      // A note counts for the record it was made after, and for no later one.
      let rest = rests[head.id].flatMap { $0.sequence == head.sequence ? $0.note : nil }
      return JournaledHead(
        scene: name, sequence: head.sequence, snapshotSequence: head.snapshotSequence, rest: rest, isOver: over.contains(head.id))
    }
    .sorted { $0.scene < $1.scene }
  }
}

extension JournalFile.Head {
  /// What the next record notes as its predecessor: a row, 0 for none, -1 for one that a snapshot outlived.
  var prior: Int64 { row == 0 && sequence > 0 ? -1 : row }
}
