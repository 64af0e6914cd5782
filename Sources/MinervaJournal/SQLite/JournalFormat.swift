internal import MinervaWire

/// The layout of a journal file and the steps that lead to it.
///
/// Step k turns a file of format k into one of format k + 1; a new file is one of format 0. Steps are never changed,
/// only added.
struct JournalFormat: Sendable {
  var steps: [String]

  var version: Int64 { Int64(steps.count) }

  static let current = JournalFormat(steps: [
    // The hot table is appended by rowid and has no index: a unique one on (scene, sequence) made it ten times slower
    // at a million rows. `prior` is the row of the same scene before this one, so a scene is read by walking back.
    """
    CREATE TABLE scene (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE record (
      row INTEGER PRIMARY KEY, scene INTEGER NOT NULL, sequence INTEGER NOT NULL, prior INTEGER NOT NULL,
      written INTEGER NOT NULL, sum INTEGER NOT NULL, body BLOB NOT NULL);
    CREATE TABLE snapshot (
      scene INTEGER NOT NULL, sequence INTEGER NOT NULL, row INTEGER NOT NULL, written INTEGER NOT NULL,
      sum INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (scene, sequence));
    """
  ])

  /// Brings a file to this format.
  ///
  /// - Returns: the format it had.
  /// - Throws: `journal.newer_format` and leaves the file as it is when a newer Minerva wrote it.
  func migrate(_ connection: Connection) throws(JournalFileFailure) -> Int64 {
    do {
      try connection.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID")
      let found = try connection.integer("SELECT value FROM meta WHERE key = 'format'") ?? 0
      guard found <= version else {
        throw JournalFileFailure.refused(
          MinervaError(
            .journalNewerFormat,
            "\(connection.path) has format \(found), this Minerva reads up to \(version); use the newer one or another data directory"))
      }
      guard found < version else { return found }
      try connection.execute("BEGIN IMMEDIATE")
      for step in steps[Int(max(0, found))...] { try connection.execute(step) }
      try connection.execute("INSERT OR REPLACE INTO meta VALUES ('format', \(version))")
      try connection.execute("COMMIT")
      return found
    } catch let failure as SQLiteFailure {
      throw .sqlite(failure)
    } catch let failure as JournalFileFailure {
      throw failure
    } catch {
      throw .refused(MinervaError(.journalFile, "\(connection.path): \(error)"))
    }
  }
}

/// Why a journal file could not be opened.
enum JournalFileFailure: Error {
  case sqlite(SQLiteFailure)
  /// The content contradicts itself from that row on.
  case damaged(row: Int64, String)
  case refused(MinervaError)
}
