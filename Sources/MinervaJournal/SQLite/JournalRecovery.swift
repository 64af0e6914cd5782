internal import Glibc
internal import MinervaSupervision
internal import MinervaWire

/// Opening a journal file whatever state it is in (P3).
enum JournalRecovery {
  /// Opens the file; a damaged one is kept aside and what is whole before the damage becomes the journal.
  static func open(
    _ path: String, settings: SQLiteJournal.Settings, epochAtLeast: UInt64
  ) throws(MinervaError) -> (JournalFile, SQLiteJournal.Damage?) {
    do throws(JournalFileFailure) {
      return (try JournalFile(path: path, settings: settings, epochAtLeast: epochAtLeast), nil)
    } catch {
      switch error {
      case .refused(let refusal): throw refusal
      case .sqlite(let failure) where !failure.isDamage: throw refusal(path, failure)
      case .sqlite(let failure): return try recover(path, from: 1, failure.message, settings, epochAtLeast)
      case .damaged(let row, let reason): return try recover(path, from: row, reason, settings, epochAtLeast)
      }
    }
  }

  private static func recover(
    _ path: String, from damagedRow: Int64, _ reason: String, _ settings: SQLiteJournal.Settings, _ epochAtLeast: UInt64
  ) throws(MinervaError) -> (JournalFile, SQLiteJournal.Damage?) {
    let aside = try keepAside(path)
    var damage = SQLiteJournal.Damage(reason: reason, keptAside: aside, recordsKept: 0, recordsCut: 0)
    // Without a readable epoch one is taken that no count of openings reaches; the next ones count on from there.
    var lastEpoch = max(epochAtLeast, UInt64(max(0, MonotonicTime.wallMilliseconds / 1000)))
    do {
      do {
        let source = try Connection(path: aside)
        if let epoch = try? source.integer("SELECT value FROM meta WHERE key = 'epoch'") {
          lastEpoch = max(epochAtLeast, UInt64(bitPattern: epoch))
        }
        try salvage(from: source, before: damagedRow, into: path, settings, &damage)
      } catch let failure as SQLiteFailure where failure.isDamage {
        // Not even its directory of tables can be read: an empty journal it is.
      }
      return (try JournalFile(path: path, settings: settings, epochAtLeast: lastEpoch), damage)
    } catch let failure as JournalFileFailure {
      switch failure {
      case .refused(let refusal): throw refusal
      case .sqlite(let failure): throw refusal(path, failure)
      case .damaged(_, let reason):
        throw MinervaError(.journalCorrupt, "\(path) could not be recovered: \(reason); the damaged file is \(aside)")
      }
    } catch let failure as SQLiteFailure {
      throw refusal(path, failure)
    } catch {
      throw MinervaError(.journalFile, "\(path) could not be recovered: \(error)")
    }
  }

  /// Copies the scenes, the records before the damage and the whole snapshots.
  private static func salvage(
    from source: Connection, before damagedRow: Int64, into path: String, _ settings: SQLiteJournal.Settings,
    _ damage: inout SQLiteJournal.Damage
  ) throws {
    let target = try Connection(path: path)
    try target.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    _ = try settings.format.migrate(target)
    try target.execute("BEGIN IMMEDIATE")

    let scene = try target.prepare("INSERT INTO scene VALUES (?, ?)")
    let scenes = try source.prepare("SELECT id, name FROM scene ORDER BY id")
    while (try? scenes.step()) == true {
      scene.bind(1, scenes.integer(0))
      scene.bind(2, scenes.text(1))
      try scene.step()
    }

    let record = try target.prepare("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?)")
    let records = try source.prepare("SELECT row, scene, sequence, prior, written, sum, body FROM record WHERE row < ? ORDER BY row")
    records.bind(1, damagedRow)
    while (try? records.step()) == true {
      for column: Int32 in 0..<6 { record.bind(column + 1, records.integer(column)) }
      try record.step(blob: records.blob(6), at: 7)
    }
    records.reset()

    let snapshot = try target.prepare("INSERT INTO snapshot VALUES (?, ?, ?, ?, ?, ?)")
    let snapshots = try source.prepare("SELECT scene, sequence, row, written, sum, body FROM snapshot")
    while (try? snapshots.step()) == true {
      let sum = snapshots.withBlob(5) { Checksum.of($0, scene: snapshots.integer(0), sequence: snapshots.integer(1)) }
      guard sum == snapshots.integer(4) else { continue }
      for column: Int32 in 0..<5 { snapshot.bind(column + 1, snapshots.integer(column)) }
      try snapshot.step(blob: snapshots.blob(5), at: 6)
    }
    // Records that neither begin with the first nor follow a whole snapshot are no state: their scene begins anew. Where a
    // snapshot is ahead of what was kept, it alone is the scene: a gap between them must not look like history.
    let copied = try target.integer("SELECT count(*) FROM record") ?? 0
    try target.execute(
      """
      DELETE FROM snapshot WHERE scene NOT IN (SELECT id FROM scene);
      DELETE FROM record WHERE scene IN (
        SELECT r.scene FROM (SELECT scene, min(sequence) AS first FROM record GROUP BY scene) r
        WHERE r.first - 1 > coalesce((SELECT max(s.sequence) FROM snapshot s WHERE s.scene = r.scene), 0));
      DELETE FROM record WHERE scene IN (
        SELECT s.scene FROM (SELECT scene, max(sequence) AS top FROM snapshot GROUP BY scene) s
        JOIN (SELECT scene, max(sequence) AS top FROM record GROUP BY scene) r ON r.scene = s.scene WHERE s.top > r.top);
      UPDATE snapshot SET row = 0 WHERE row NOT IN (SELECT row FROM record);
      COMMIT
      """)
    damage.recordsKept = Int(try target.integer("SELECT count(*) FROM record") ?? 0)
    damage.recordsCut = Int(copied) - damage.recordsKept
    let after = try? source.prepare("SELECT count(*) FROM record WHERE row >= \(damagedRow)")
    if let after, (try? after.step()) == true { damage.recordsCut += Int(after.integer(0)) }
  }

  /// Renames the file, with its write-ahead log, to a name that is free.
  private static func keepAside(_ path: String) throws(MinervaError) -> String {
    for number in 1...10_000 {
      let aside = "\(path).damaged-\(number)"
      guard access(aside, F_OK) != 0 else { continue }
      guard rename(path, aside) == 0 else {
        throw MinervaError(.journalFile, "\(path) is damaged and cannot be renamed to \(aside); check the directory's owner and mode")
      }
      // The log belongs to the file: without it the copy would miss its newest commits.
      if rename(path + "-wal", aside + "-wal") != 0 { unlink(path + "-wal") }
      unlink(path + "-shm")
      return aside
    }
    throw MinervaError(.journalFile, "\(path) is damaged and there are too many damaged files beside it; remove some")
  }

  private static func refusal(_ path: String, _ failure: SQLiteFailure) -> MinervaError {
    if failure.isBusy { return MinervaError(.journalLocked, "\(path) is in use by another process; stop it first") }
    return MinervaError(.journalFile, "cannot open \(path): \(failure.message); check its directory's owner, mode and free space")
  }
}
