internal import MinervaWire

/// The layout of a journal file and the steps that lead to it.
///
/// Step k turns a file of format k into one of format k + 1; a new file is one of format 0. Steps are never changed,
/// only added.
struct JournalFormat: Sendable {
  /// One step: statements, and what they cannot say.
  struct Step: Sendable {
    var sql: String
    var fill: @Sendable (Connection) throws(SQLiteFailure) -> Void = { _ throws(SQLiteFailure) in }
  }

  var steps: [Step]

  var version: Int64 { Int64(steps.count) }

  static let current = JournalFormat(steps: [
    // The hot table is appended by rowid and has no index: a unique one on (scene, sequence) made it ten times slower
    // at a million rows. `prior` is the row of the same scene before this one, so a scene is read by walking back.
    Step(
      sql: """
        CREATE TABLE scene (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE record (
          row INTEGER PRIMARY KEY, scene INTEGER NOT NULL, sequence INTEGER NOT NULL, prior INTEGER NOT NULL,
          written INTEGER NOT NULL, sum INTEGER NOT NULL, body BLOB NOT NULL);
        CREATE TABLE snapshot (
          scene INTEGER NOT NULL, sequence INTEGER NOT NULL, row INTEGER NOT NULL, written INTEGER NOT NULL,
          sum INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (scene, sequence));
        """),
    // `head` says how far each scene was at the row `mark`, so that opening reads only what came after it. Names carry a
    // sum, and their index holds all of it: a second copy where the table is damaged. `aside` takes what can't be used.
    Step(
      sql: """
        CREATE TABLE named (id INTEGER PRIMARY KEY, name TEXT NOT NULL, sum INTEGER NOT NULL);
        INSERT INTO named SELECT id, name, 0 FROM scene;
        DROP TABLE scene;
        ALTER TABLE named RENAME TO scene;
        CREATE UNIQUE INDEX scene_name ON scene (name, sum);
        CREATE TABLE head (scene INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, row INTEGER NOT NULL, sum INTEGER NOT NULL);
        CREATE TABLE aside (
          place INTEGER PRIMARY KEY, scene INTEGER NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL,
          written INTEGER NOT NULL, sum INTEGER NOT NULL, body BLOB NOT NULL, reason TEXT NOT NULL, moved INTEGER NOT NULL);
        """,
      fill: { connection throws(SQLiteFailure) in
        let scenes = try connection.prepare("SELECT id, name FROM scene")
        var names: [(Int64, String)] = []
        while try scenes.step() { names.append((scenes.integer(0), scenes.text(1))) }
        let update = try connection.prepare("UPDATE scene SET sum = ? WHERE id = ?")
        for (id, name) in names {
          update.bind(1, Checksum.of(name: name, id: id))
          update.bind(2, id)
          try update.step()
        }
      }),
    // Records and snapshots may have the compact form from here on, which an older Minerva does not read. The tables are the same.
    Step(sql: ""),
    // What is to be known of scenes at rest without reading them. Small rows of their own: an opening reads them all.
    Step(
      sql: """
        CREATE TABLE IF NOT EXISTS rest (scene INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, sum INTEGER NOT NULL, note BLOB NOT NULL);
        """),
    // The scenes that are over, in the order in which they were noted: retention lets go of those whose records are gone. `number` is what
    // no later scene may have; the largest of those that are gone is `forgotten` in `meta`.
    Step(
      sql: """
        CREATE TABLE ended (
          place INTEGER PRIMARY KEY, scene INTEGER NOT NULL, sequence INTEGER NOT NULL, number INTEGER NOT NULL, sum INTEGER NOT NULL);
        """),
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
      for step in steps[Int(max(0, found))...] {
        try connection.execute(step.sql)
        try step.fill(connection)
      }
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
  /// The content contradicts itself.
  case damaged(String)
  case refused(MinervaError)
}
