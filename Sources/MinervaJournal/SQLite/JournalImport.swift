internal import Glibc
internal import MinervaSupervision
package import MinervaWire

/// Writes what an export holds to a new journal file: whole or not at all.
///
/// Everything goes to a file beside the new one, which is checked from end to end and gets its name last.
package final class JournalImport {
  private struct Scene {
    var id: Int64
    var sequence: UInt64 = 0
    var row: Int64 = 0
    /// The rows of the snapshots, once they are known.
    var snapshots: [UInt64: Int64] = [:]
  }

  private let path: String
  private let draft: String
  private let lock: LockFile
  private var connection: Connection?
  private var scenes: [String: Scene] = [:]
  private var records = 0
  private var snapshots = 0

  /// Begins a new file.
  ///
  /// - Parameter forgotten: The highest number of the scenes of which the exported journal kept nothing any more: none is given again.
  /// - Throws: `journal.exists` when there is one, `journal.locked` when a process holds the name, `journal.file`.
  package init(_ path: String, forgotten: UInt64 = 0) throws(MinervaError) {
    self.path = path
    draft = path + ".importing"
    do { lock = try LockFile.acquire(path + ".lock") } catch {
      throw MinervaError(error.code == .endpointTaken ? .journalLocked : .journalFile, error.message)
    }
    guard access(path, F_OK) != 0 else {
      lock.release()
      throw MinervaError(.journalExists, "there is a journal at \(path) already; move it away or name another file")
    }
    do {
      Self.remove(draft)
      let opened = try Connection(path: draft)
      try opened.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY")
      _ = try JournalFormat.current.migrate(opened)
      try opened.execute("BEGIN IMMEDIATE")
      if forgotten > 0 { try opened.execute("INSERT OR REPLACE INTO meta VALUES ('forgotten', \(Int64(clamping: forgotten)))") }
      connection = opened
    } catch {
      let failure = (error as? SQLiteFailure)?.message ?? "\(error)"
      Self.remove(draft)
      lock.release()
      throw MinervaError(.journalFile, "cannot write \(draft): \(failure); check its directory's owner, mode and free space")
    }
  }

  deinit { discard() }

  /// Adds a snapshot or a record; snapshots of a scene come before its records, records in their order.
  ///
  /// - Throws: `journal.sequence` for one that does not follow, `journal.file`.
  package func add(_ item: SQLiteJournal.Exported) throws(MinervaError) {
    guard let connection else { throw .closedJournal }
    do {
      switch item {
      case .snapshot(let snapshot, let written):
        var scene = try scene(snapshot.scene, connection)
        guard snapshot.sequence > 0, scene.snapshots[snapshot.sequence] == nil else { throw MinervaError.early(snapshot) }
        scene.snapshots[snapshot.sequence] = 0
        scenes[snapshot.scene] = scene
        let insert = try connection.prepare("INSERT INTO snapshot (scene, sequence, row, written, sum, body) VALUES (?, ?, 0, ?, ?, ?)")
        insert.bind(1, scene.id)
        insert.bind(2, Int64(bitPattern: snapshot.sequence))
        insert.bind(3, written)
        insert.bind(4, Checksum.of(snapshot.bytes, scene: scene.id, sequence: Int64(bitPattern: snapshot.sequence)))
        try insert.step(blob: snapshot.bytes, at: 5)
        snapshots += 1
      case .record(let entry, let written):
        var scene = try scene(entry.scene, connection)
        let follows = scene.row == 0 ? Self.canBegin(entry.sequence, scene) : entry.sequence == scene.sequence &+ 1
        guard follows else { throw MinervaError.gap(entry, expected: scene.sequence &+ 1) }
        try insert(entry, written, into: &scene, connection)
        scenes[entry.scene] = scene
      }
    } catch let failure as SQLiteFailure {
      throw MinervaError(.journalFile, "cannot write \(draft): \(failure.message)")
    } catch let failure as MinervaError {
      throw failure
    } catch {
      throw MinervaError(.journalFile, "cannot write \(draft): \(error)")
    }
  }

  private static func canBegin(_ sequence: UInt64, _ scene: Scene) -> Bool {
    sequence == 1 || (sequence > 1 && scene.snapshots.keys.contains { $0 >= sequence - 1 })
  }

  private var insertRecord: Statement?

  private func insert(_ entry: JournalEntry, _ written: Int64, into scene: inout Scene, _ connection: Connection) throws(SQLiteFailure) {
    let statement: Statement
    if let known = insertRecord {
      statement = known
    } else {
      statement = try connection.prepare("INSERT INTO record (scene, sequence, prior, written, sum, body) VALUES (?, ?, ?, ?, ?, ?)")
    }
    insertRecord = statement
    statement.bind(1, scene.id)
    statement.bind(2, Int64(bitPattern: entry.sequence))
    statement.bind(3, scene.row == 0 && entry.sequence > 1 ? -1 : scene.row)
    statement.bind(4, written)
    statement.bind(5, Checksum.of(entry.record, scene: scene.id, sequence: Int64(bitPattern: entry.sequence)))
    try statement.step(blob: entry.record, at: 6)
    scene.row = connection.lastRow
    scene.sequence = entry.sequence
    if scene.snapshots[entry.sequence] != nil { scene.snapshots[entry.sequence] = scene.row }
    records += 1
  }

  private func scene(_ name: String, _ connection: Connection) throws(SQLiteFailure) -> Scene {
    if let known = scenes[name] { return known }
    let scene = Scene(id: Int64(scenes.count) + 1)
    let insert = try connection.prepare("INSERT INTO scene (id, name, sum) VALUES (?, ?, ?)")
    insert.bind(1, scene.id)
    insert.bind(2, name)
    insert.bind(3, Checksum.of(name: name, id: scene.id))
    try insert.step()
    scenes[name] = scene
    return scene
  }

  /// Checks what was written and gives the file its name.
  ///
  /// - Throws: `journal.corrupt` when the whole is no journal, `journal.file`.
  package func finish() throws(MinervaError) -> (scenes: Int, records: Int, snapshots: Int) {
    do {
      try seal()
      // Whoever closes last brings the write-ahead log into the file: nothing may keep this connection open.
      insertRecord = nil
      connection = nil
      _ = try JournalFile(path: draft, settings: SQLiteJournal.Settings(), epochAtLeast: 0, check: .whole)
    } catch let failure as SQLiteFailure {
      throw MinervaError(.journalFile, "cannot write \(draft): \(failure.message)")
    } catch let failure as MinervaError {
      throw failure
    } catch JournalFileFailure.damaged(let reason) {
      throw MinervaError(.journalCorrupt, "what was read makes no journal: \(reason)")
    } catch {
      throw MinervaError(.journalFile, "cannot write \(draft): \(error)")
    }
    // link refuses a name that is there by now; rename would replace it.
    guard link(draft, path) == 0 else {
      if errno == EEXIST { throw MinervaError(.journalExists, "somebody else has made \(path) meanwhile; name another file") }
      throw MinervaError(.journalFile, "\(draft) cannot be named \(path); check the directory's owner, mode and file system")
    }
    discard()
    return (scenes.count, records, snapshots)
  }

  private func seal() throws {
    guard let connection else { throw MinervaError.closedJournal }
    let place = try connection.prepare("UPDATE snapshot SET row = ? WHERE scene = ? AND sequence = ?")
    for scene in scenes.values {
      for (sequence, row) in scene.snapshots where row > 0 {
        place.bind(1, row)
        place.bind(2, scene.id)
        place.bind(3, Int64(bitPattern: sequence))
        try place.step()
      }
    }
    try connection.execute("COMMIT")
  }

  /// Leaves nothing of an import that is not finished. Idempotent.
  package func discard() {
    insertRecord = nil
    connection = nil
    Self.remove(draft)
    lock.release()
  }

  private static func remove(_ draft: String) { for end in ["", "-wal", "-shm"] { unlink(draft + end) } }
}
