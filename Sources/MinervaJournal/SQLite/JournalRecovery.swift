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
    try takePlace(path)
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

  /// Salvages what is whole into a draft beside the file. The draft takes the file's place when it is durable, not before: whoever is
  /// stopped on the way finds the damaged file with its log as it was, or the finished draft.
  private static func recover(
    _ path: String, _ reason: String, _ settings: SQLiteJournal.Settings, _ epochAtLeast: UInt64
  ) throws(MinervaError) -> (JournalFile, SQLiteJournal.Damage?) {
    let aside = try keepAside(path)
    var damage = SQLiteJournal.Damage(reason: reason, keptAside: aside, recordsKept: 0, recordsCut: 0, scenes: [])
    do {
      let epoch = try salvage(aside, into: draft(path), settings, epochAtLeast, &damage)
      // Whoever closes last brings the log into the file; where that failed the log is part of it.
      guard access(draft(path) + "-wal", F_OK) != 0 else {
        throw MinervaError(.journalFile, "\(draft(path)) cannot be finished; check the free space. The damaged file is as it was")
      }
      try name(draft(path), finished(path))
      try takePlace(path)
      return (try JournalFile(path: path, settings: settings, epochAtLeast: epoch, check: .whole), damage)
    } catch let failure as JournalFileFailure {
      switch failure {
      case .refused(let refusal): throw refusal
      case .sqlite(let failure): throw refusal(path, failure)
      case .damaged(let reason):
        throw MinervaError(.journalCorrupt, "\(path) could not be recovered: \(reason); the damaged file is \(aside)")
      }
    } catch let failure as SQLiteFailure {
      throw refusal(path, failure)
    } catch let failure as MinervaError {
      throw failure
    } catch {
      throw MinervaError(.journalFile, "\(path) could not be recovered: \(error)")
    }
  }

  /// Copies what is whole; returns the last epoch, which the draft holds too.
  private static func salvage(
    _ aside: String, into draft: String, _ settings: SQLiteJournal.Settings, _ epochAtLeast: UInt64, _ damage: inout SQLiteJournal.Damage
  ) throws -> UInt64 {
    for end in endings { unlink(draft + end) }
    let target = try Connection(path: draft)
    try target.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY")
    _ = try settings.format.migrate(target)
    // Without a readable epoch one is taken that no count of openings reaches; the next ones count on from there.
    var epoch = UInt64(max(0, MonotonicTime.wallMilliseconds / 1000))
    if let failure = copy(aside, to: target, &epoch, &damage) {
      guard failure.isDamageAtOpening else { throw failure }
      // Not even its directory of tables can be read: an empty journal it is.
      if target.isInTransaction { try target.execute("ROLLBACK") }
    }
    epoch = max(epoch, epochAtLeast)
    try target.execute(
      "INSERT OR REPLACE INTO meta VALUES ('epoch', \(Int64(bitPattern: epoch))), ('forgotten', \(forgotten(in: aside)))")
    return epoch
  }

  /// The highest number of the scenes of which the file kept nothing; where that cannot be read, one that no count of scenes reaches.
  private static func forgotten(in aside: String) -> Int64 {
    do throws(SQLiteFailure) {
      return try Connection(path: aside).integer("SELECT value FROM meta WHERE key = 'forgotten'") ?? 0
    } catch {
      return max(0, MonotonicTime.wallMilliseconds / 1000)
    }
  }

  private static func copy(
    _ aside: String, to target: Connection, _ epoch: inout UInt64, _ damage: inout SQLiteJournal.Damage
  ) -> SQLiteFailure? {
    do throws(SQLiteFailure) {
      let source = try Connection(path: aside)
      if let last = try? source.integer("SELECT value FROM meta WHERE key = 'epoch'") { epoch = UInt64(bitPattern: last) }
      var salvage = JournalSalvage(from: source, into: target)
      try salvage.run(&damage)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Files

  private static let endings = ["", "-wal", "-shm"]
  private static func draft(_ path: String) -> String { path + ".recovering" }
  private static func finished(_ path: String) -> String { path + ".recovered" }

  /// Lets a finished draft be the journal, if there is one. The old log goes first: it would be read into the new file.
  static func takePlace(_ path: String) throws(MinervaError) {
    guard access(finished(path), F_OK) == 0 else { return }
    for end in ["-wal", "-shm"] { unlink(path + end) }
    try name(finished(path), path)
  }

  private static func name(_ file: String, _ path: String) throws(MinervaError) {
    guard rename(file, path) == 0 else {
      throw MinervaError(.journalFile, "\(file) cannot be renamed to \(path); check the directory's owner and mode")
    }
    let directory = Glibc.open(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }

  /// Gives the file and its log, which has its newest commits, further names that are free.
  private static func keepAside(_ path: String) throws(MinervaError) -> String {
    for number in 1...10_000 {
      let aside = "\(path).damaged-\(number)"
      if access(aside, F_OK) == 0 {
        // Kept by a recovery that was stopped: the same file.
        guard isSame(path, aside) else { continue }
        return aside
      }
      unlink(aside + "-wal")
      guard link(path + "-wal", aside + "-wal") == 0 || errno == ENOENT, link(path, aside) == 0 else {
        throw MinervaError(
          .journalFile, "\(path) is damaged and cannot be kept as \(aside); check the directory's owner, mode and file system")
      }
      return aside
    }
    throw MinervaError(.journalFile, "\(path) is damaged and there are too many damaged files beside it; remove some")
  }

  private static func isSame(_ first: String, _ second: String) -> Bool {
    var (a, b) = (stat(), stat())
    return stat(first, &a) == 0 && stat(second, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev
  }

  private static func refusal(_ path: String, _ failure: SQLiteFailure) -> MinervaError {
    if failure.isBusy { return MinervaError(.journalLocked, "\(path) is in use by another process; stop it first") }
    return MinervaError(.journalFile, "cannot open \(path): \(failure.message); check its directory's owner, mode and free space")
  }
}
