internal import Glibc
internal import MinervaSupervision
internal import MinervaWire

/// Opening a journal file whatever state it is in (P3).
enum JournalRecovery {
  /// Opens the file; a damaged one is kept aside and what is whole in it becomes the journal.
  ///
  /// - Parameter known: what was found damaged while the file was open; then no other opening of it is tried.
  static func open(
    _ path: String, settings: SQLiteJournal.Settings, epochAtLeast: UInt64, known: String? = nil
  ) throws(MinervaError) -> (JournalFile, SQLiteJournal.Damage?) {
    if let known { return try recover(path, known, settings, epochAtLeast) }
    do throws(JournalFileFailure) {
      return (try JournalFile(path: path, settings: settings, epochAtLeast: epochAtLeast, check: settings.check), nil)
    } catch {
      switch error {
      case .refused(let refusal): throw refusal
      case .sqlite(let failure) where !failure.isDamageAtOpening: throw refusal(path, failure)
      case .sqlite(let failure): return try recover(path, failure.message, settings, epochAtLeast)
      case .damaged(let reason): return try recover(path, reason, settings, epochAtLeast)
      }
    }
  }

  private static func recover(
    _ path: String, _ reason: String, _ settings: SQLiteJournal.Settings, _ epochAtLeast: UInt64
  ) throws(MinervaError) -> (JournalFile, SQLiteJournal.Damage?) {
    let aside = try keepAside(path)
    var damage = SQLiteJournal.Damage(reason: reason, keptAside: aside, recordsKept: 0, recordsCut: 0, scenes: [])
    // Without a readable epoch one is taken that no count of openings reaches; the next ones count on from there.
    var lastEpoch = max(epochAtLeast, UInt64(max(0, MonotonicTime.wallMilliseconds / 1000)))
    do {
      do {
        let source = try Connection(path: aside)
        if let epoch = try? source.integer("SELECT value FROM meta WHERE key = 'epoch'") {
          lastEpoch = max(epochAtLeast, UInt64(bitPattern: epoch))
        }
        let target = try Connection(path: path)
        try target.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY")
        _ = try settings.format.migrate(target)
        var salvage = JournalSalvage(from: source, into: target)
        try salvage.run(&damage)
      } catch let failure as SQLiteFailure where failure.isDamageAtOpening {
        // Not even its directory of tables can be read: an empty journal it is.
      }
      return (try JournalFile(path: path, settings: settings, epochAtLeast: lastEpoch, check: .whole), damage)
    } catch let failure as JournalFileFailure {
      switch failure {
      case .refused(let refusal): throw refusal
      case .sqlite(let failure): throw refusal(path, failure)
      case .damaged(let reason):
        throw MinervaError(.journalCorrupt, "\(path) could not be recovered: \(reason); the damaged file is \(aside)")
      }
    } catch let failure as SQLiteFailure {
      throw refusal(path, failure)
    } catch {
      throw MinervaError(.journalFile, "\(path) could not be recovered: \(error)")
    }
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
