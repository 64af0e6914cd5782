internal import CSQLite
internal import MinervaWire

/// A journal file open for writing, with the heads of its scenes in memory; used by the writer's thread alone.
final class JournalFile {
  /// How far a scene got.
  struct Head {
    var id: Int64
    var sequence: UInt64
    /// The row of the last record; 0 when a snapshot is all that is left.
    var row: Int64
    var snapshotSequence: UInt64
  }

  let connection: Connection
  let epoch: UInt64
  let formatBefore: Int64
  private(set) var heads: [String: Head] = [:]
  private(set) var recordCount = 0
  private var nextScene: Int64 = 1

  private let insertRecord: Statement
  private let insertScene: Statement
  private let insertSnapshot: Statement
  private let selectRecord: Statement
  private let selectSnapshot: Statement
  private let selectNextSnapshot: Statement
  private let begin: Statement
  private let commitStatement: Statement

  /// Opens or creates a file, migrates it, checks that its rows follow each other and takes the next epoch durably.
  init(path: String, settings: SQLiteJournal.Settings, epochAtLeast: UInt64) throws(JournalFileFailure) {
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
      insertScene = try connection.prepare("INSERT INTO scene (id, name) VALUES (?, ?)")
      insertSnapshot = try connection.prepare(
        "INSERT OR REPLACE INTO snapshot (scene, sequence, row, written, sum, body) VALUES (?, ?, ?, ?, ?, ?)")
      selectRecord = try connection.prepare("SELECT scene, sequence, prior, sum, body FROM record WHERE row = ?")
      selectSnapshot = try connection.prepare(
        "SELECT sequence, sum, body FROM snapshot WHERE scene = ? AND sequence <= ? ORDER BY sequence DESC")
      selectNextSnapshot = try connection.prepare(
        "SELECT row FROM snapshot WHERE scene = ? AND sequence >= ? ORDER BY sequence LIMIT 1")
      begin = try connection.prepare("BEGIN IMMEDIATE")
      commitStatement = try connection.prepare("COMMIT")
      let last = UInt64(bitPattern: try connection.integer("SELECT value FROM meta WHERE key = 'epoch'") ?? 0)
      epoch = max(last, epochAtLeast) + 1
    } catch let failure as SQLiteFailure {
      throw .sqlite(failure)
    } catch let failure as JournalFileFailure {
      throw failure
    } catch {
      throw .refused(MinervaError(.journalFile, "\(path): \(error)"))
    }
    try readHeads()
    do {
      try connection.execute("INSERT OR REPLACE INTO meta VALUES ('epoch', \(Int64(bitPattern: epoch)))")
    } catch { throw .sqlite(error) }
  }

  /// Reads how far each scene got, and checks every record's place and every sum on the way.
  ///
  /// A snapshot that isn't whole, and a scene whose first kept record no whole snapshot leads up to, are damage that leaves
  /// the other rows as they are: it is found behind the last of them.
  private func readHeads() throws(JournalFileFailure) {
    var names: [Int64: String] = [:]
    var found: [Int64: Head] = [:]
    var loss: String?
    do {
      let scenes = try connection.prepare("SELECT id, name FROM scene")
      while try scenes.step() {
        names[scenes.integer(0)] = scenes.text(1)
        // A scene of which a cut left nothing keeps its number: its name cannot be written a second time.
        found[scenes.integer(0)] = Head(id: scenes.integer(0), sequence: 0, row: 0, snapshotSequence: 0)
        nextScene = max(nextScene, scenes.integer(0) + 1)
      }
    } catch { throw .sqlite(error) }
    do {
      let snapshots = try connection.prepare("SELECT scene, sequence, sum, body FROM snapshot ORDER BY scene, sequence")
      while try snapshots.step() {
        let (scene, sequence) = (snapshots.integer(0), snapshots.integer(1))
        let sum = snapshots.withBlob(3) { Checksum.of($0, scene: scene, sequence: sequence) }
        guard sum == snapshots.integer(2), names[scene] != nil else {
          loss = loss ?? "the snapshot of scene \(scene) at \(sequence) is not whole"
          continue
        }
        let covered = UInt64(bitPattern: sequence)
        found[scene] = Head(id: scene, sequence: covered, row: 0, snapshotSequence: covered)
      }
    } catch {
      guard error.isDamage else { throw .sqlite(error) }
      loss = loss ?? error.message
    }

    var row: Int64 = 0
    do {
      let records = try connection.prepare("SELECT row, scene, sequence, prior, sum, body FROM record ORDER BY row")
      var seen: [Int64: (sequence: UInt64, row: Int64)] = [:]
      while try records.step() {
        row = records.integer(0)
        let scene = records.integer(1)
        let sequence = UInt64(bitPattern: records.integer(2))
        let prior = records.integer(3)
        if let before = seen[scene] {
          guard sequence == before.sequence + 1, prior == before.row else {
            throw JournalFileFailure.damaged(row: row, "record \(sequence) of scene \(scene) follows \(before.sequence)")
          }
        } else {
          // The first that is kept: number 1, or one whose predecessors a snapshot replaced.
          guard prior == 0 ? sequence == 1 : sequence > 1, names[scene] != nil else {
            throw JournalFileFailure.damaged(row: row, "record \(sequence) of scene \(scene) has nothing before it")
          }
          if let covered = found[scene]?.snapshotSequence, covered < sequence - 1 {
            loss = loss ?? "no whole snapshot leads up to record \(sequence), the first of scene \(scene)"
          }
        }
        let sum = records.withBlob(5) { Checksum.of($0, scene: scene, sequence: Int64(bitPattern: sequence)) }
        guard sum == records.integer(4) else {
          throw JournalFileFailure.damaged(row: row, "the checksum of record \(sequence) of scene \(scene) differs")
        }
        seen[scene] = (sequence, row)
        recordCount += 1
      }
      for (scene, last) in seen {
        let covered = found[scene]?.snapshotSequence ?? 0
        // A snapshot ahead of the records is what a cut leaves: it holds the state all the same.
        found[scene] = Head(
          id: scene, sequence: max(last.sequence, covered), row: last.sequence >= covered ? last.row : 0, snapshotSequence: covered)
      }
    } catch let failure as SQLiteFailure {
      throw failure.isDamage ? .damaged(row: row + 1, failure.message) : .sqlite(failure)
    } catch let failure as JournalFileFailure {
      throw failure
    } catch {
      throw .damaged(row: row + 1, "\(error)")
    }
    if let loss { throw .damaged(row: row + 1, loss) }
    for (scene, head) in found { if let name = names[scene] { heads[name] = head } }
  }

  // MARK: Writing

  /// The heads as a transaction under way would leave them.
  struct Pending {
    fileprivate(set) var heads: [String: Head] = [:]
    fileprivate(set) var nextScene: Int64
    fileprivate(set) var records = 0
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
        head = Head(id: pending.nextScene, sequence: 0, row: 0, snapshotSequence: 0)
        pending.nextScene += 1
        insertScene.bind(1, head.id)
        insertScene.bind(2, entry.scene)
        try insertScene.step()
      }
      let sequence = Int64(bitPattern: entry.sequence)
      insertRecord.bind(1, head.id)
      insertRecord.bind(2, sequence)
      // Behind a snapshot that outlived its records, the record before is known to be gone: itself, never a row.
      insertRecord.bind(3, head.row == 0 && entry.sequence > 1 ? -1 : head.row)
      insertRecord.bind(4, written)
      insertRecord.bind(5, Checksum.of(entry.record, scene: head.id, sequence: sequence))
      try insertRecord.step(blob: entry.record, at: 6)
      head.row = connection.lastRow
      head.sequence = entry.sequence
      pending.heads[entry.scene] = head
      pending.records += 1
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

  /// Makes a transaction durable; only then do the heads move.
  func commit(_ pending: Pending) throws(SQLiteFailure) {
    try commitStatement.step()
    for (name, head) in pending.heads { heads[name] = head }
    nextScene = pending.nextScene
    recordCount += pending.records
  }

  func rollback() {
    // A full disk may have ended it already; there is nothing to be done about a failure here.
    if connection.isInTransaction { try? connection.execute("ROLLBACK") }
  }

  // MARK: Reading

  /// Reads a scene's snapshot at or before `limit` and the records after it, by walking back from the end.
  func load(_ name: String, upTo limit: UInt64?) throws(MinervaError) -> JournaledScene? {
    guard let head = heads[name] else { return nil }
    let last = min(limit ?? .max, head.sequence)
    do {
      let (found, skipped) = try readSnapshot(name, head, upTo: last)
      let covered = found?.sequence ?? 0
      var records: [JournalEntry] = []
      var row = head.row
      // The number expected at the row; unknown only where the walk begins at a later snapshot.
      var sequence: UInt64? = head.sequence
      if last < head.sequence {
        // Begin at the nearest snapshot after it, not at the end.
        selectNextSnapshot.bind(1, head.id)
        selectNextSnapshot.bind(2, Int64(bitPattern: last))
        if try selectNextSnapshot.step(), selectNextSnapshot.integer(0) > 0 {
          row = selectNextSnapshot.integer(0)
          sequence = nil
        }
        selectNextSnapshot.reset()
      }
      while covered < last && (sequence.map { $0 > covered } ?? true) {
        selectRecord.bind(1, row)
        guard row > 0, try selectRecord.step() else {
          if let skipped {
            throw MinervaError(
              .journalCorrupt, "the checksum of the snapshot of scene \(name) at \(skipped) differs; run: minerva journal verify")
          }
          throw MinervaError(.timeOutOfRange, "records of scene \(name) up to \(sequence ?? last) are not kept any more")
        }
        defer { selectRecord.reset() }
        let number = UInt64(bitPattern: selectRecord.integer(1))
        guard selectRecord.integer(0) == head.id, sequence == nil || number == sequence else {
          throw MinervaError(.journalCorrupt, "row \(row) is not record \(sequence ?? last) of scene \(name); run: minerva journal verify")
        }
        if number <= covered { break }
        if number <= last {
          let body = selectRecord.blob(4)
          guard Checksum.of(body, scene: head.id, sequence: Int64(bitPattern: number)) == selectRecord.integer(3) else {
            throw MinervaError(.journalCorrupt, "the checksum of record \(number) of scene \(name) differs; run: minerva journal verify")
          }
          records.append(JournalEntry(scene: name, sequence: number, record: body))
        }
        row = selectRecord.integer(2)
        sequence = number - 1
      }
      records.reverse()
      return JournaledScene(scene: name, snapshot: found, records: records)
    } catch let failure as SQLiteFailure {
      throw MinervaError(failure.isDamage ? .journalCorrupt : .journalFile, "cannot read scene \(name): \(failure.message)")
    } catch let failure as MinervaError {
      throw failure
    } catch {
      throw MinervaError(.journalFile, "cannot read scene \(name): \(error)")
    }
  }

  /// The latest whole snapshot; damaged ones are passed over, the records behind them may still be there.
  private func readSnapshot(_ name: String, _ head: Head, upTo last: UInt64) throws -> (whole: JournalSnapshot?, skipped: UInt64?) {
    var skipped: UInt64?
    selectSnapshot.bind(1, head.id)
    selectSnapshot.bind(2, Int64(bitPattern: last))
    defer { selectSnapshot.reset() }
    while try selectSnapshot.step() {
      let sequence = UInt64(bitPattern: selectSnapshot.integer(0))
      let sum = selectSnapshot.withBlob(2) { Checksum.of($0, scene: head.id, sequence: Int64(bitPattern: sequence)) }
      if sum == selectSnapshot.integer(1) {
        return (JournalSnapshot(scene: name, sequence: sequence, bytes: selectSnapshot.blob(2)), skipped)
      }
      skipped = skipped ?? sequence
    }
    return (nil, skipped)
  }

  /// The scenes by name.
  func list() -> [JournaledHead] {
    heads.map { JournaledHead(scene: $0.key, sequence: $0.value.sequence, snapshotSequence: $0.value.snapshotSequence) }
      .sorted { $0.scene < $1.scene }
  }

  /// Brings the write-ahead log into the file, so that a copy of it is whole.
  func checkpoint() { try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
}
