internal import MinervaWire

/// Copies what is whole in a damaged file into a new one.
///
/// What counts is the sum of each row, which covers its scene and number, not the way that led to it: rows are read in
/// order, past places that cannot be read, and each scene keeps the longest history that begins with its first record or
/// with a whole snapshot. A scene that was not touched keeps everything; one that was ends before what is missing.
struct JournalSalvage {
  /// Records of a scene that follow each other.
  private struct Run {
    var first: UInt64
    var last: UInt64
    var lastRow: Int64
  }

  private let source: Connection
  private let target: Connection
  /// No row has a larger number; a damaged page may claim any.
  private var newestRow = Int64.max

  init(from source: Connection, into target: Connection) {
    self.source = source
    self.target = target
  }

  mutating func run(_ damage: inout SQLiteJournal.Damage) throws(SQLiteFailure) {
    if let mark = try? source.integer("SELECT value FROM meta WHERE key = 'mark'"), mark > 0 {
      newestRow = mark.addingReportingOverflow(1 << 20).overflow ? .max : mark + 1 << 20
    }
    try target.execute("BEGIN IMMEDIATE")
    let names = try copyNames()
    /// The highest number that anything tells of, by scene.
    var known = readHeads(names)
    var runs: [Int64: [Run]] = [:]
    var rowsOfSnapshots: [Int64: [UInt64: Int64]] = [:]
    let snapshots = try copySnapshots(names)
    for (scene, numbers) in snapshots {
      known[scene] = max(known[scene] ?? 0, numbers.max() ?? 0)
      rowsOfSnapshots[scene] = Dictionary(uniqueKeysWithValues: numbers.map { ($0, 0) })
    }
    let broken = try copyRecords(names, &runs, &rowsOfSnapshots)

    let keep = try target.prepare("INSERT INTO kept VALUES (?, ?, ?)")
    for (scene, name) in names.sorted(by: { $0.key < $1.key }) {
      let numbers = snapshots[scene] ?? []
      known[scene] = max(known[scene] ?? 0, runs[scene]?.map(\.last).max() ?? 0)
      let rooted = (runs[scene] ?? []).filter { run in
        run.first == 1 || numbers.contains { $0 >= run.first - 1 && $0 <= run.last }
      }
      let best = rooted.max { $0.last < $1.last }
      // Where a snapshot is ahead of every record, it alone is the scene: a gap between them must not look like history.
      let reached = max(best?.last ?? 0, numbers.max() ?? 0)
      keep.bind(1, scene)
      keep.bind(2, best.map { $0.last == reached ? Int64(bitPattern: $0.first) : .max } ?? .max)
      keep.bind(3, Int64(bitPattern: reached))
      try keep.step()
      if known[scene] ?? 0 > reached { damage.scenes.append(name) }
    }
    let copied = try target.integer("SELECT count(*) FROM record") ?? 0
    try target.execute(
      """
      DELETE FROM record WHERE NOT EXISTS (
        SELECT 1 FROM kept WHERE kept.scene = record.scene AND record.sequence BETWEEN kept.first AND kept.last);
      DELETE FROM snapshot WHERE sequence < (SELECT first - 1 FROM kept WHERE kept.scene = snapshot.scene)
        AND sequence < (SELECT last FROM kept WHERE kept.scene = snapshot.scene);
      """)
    let place = try target.prepare("UPDATE snapshot SET row = ? WHERE scene = ? AND sequence = ?")
    for (scene, rows) in rowsOfSnapshots {
      for (sequence, row) in rows where row > 0 {
        place.bind(1, row)
        place.bind(2, scene)
        place.bind(3, Int64(bitPattern: sequence))
        try place.step()
      }
    }
    try target.execute("UPDATE snapshot SET row = 0 WHERE row NOT IN (SELECT row FROM record); DROP TABLE kept; COMMIT")
    damage.recordsKept = Int(try target.integer("SELECT count(*) FROM record") ?? 0)
    damage.recordsCut = broken + Int(copied) - damage.recordsKept
    damage.scenes.sort()
  }

  // MARK: Copying

  /// Copies the scenes whose names are as they were written, in the table or in its index.
  private func copyNames() throws(SQLiteFailure) -> [Int64: String] {
    try target.execute("CREATE TEMP TABLE kept (scene INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL)")
    var names: [Int64: String] = [:]
    let hasSums = (try? source.prepare("SELECT sum FROM scene")) != nil
    let queries =
      hasSums
      ? ["SELECT id, name, sum FROM scene NOT INDEXED", "SELECT id, name, sum FROM scene INDEXED BY scene_name"]
      : ["SELECT id, name FROM scene NOT INDEXED"]
    for query in queries {
      guard let scenes = try? source.prepare(query) else { continue }
      while (try? scenes.step()) == true {
        let (id, name) = (scenes.integer(0), scenes.text(1))
        guard !hasSums || Checksum.of(name: name, id: id) == scenes.integer(2), names[id] == nil else { continue }
        names[id] = name
      }
    }
    let scene = try target.prepare("INSERT OR IGNORE INTO scene (id, name, sum) VALUES (?, ?, ?)")
    for (id, name) in names {
      scene.bind(1, id)
      scene.bind(2, name)
      scene.bind(3, Checksum.of(name: name, id: id))
      try scene.step()
    }
    return names
  }

  private func readHeads(_ names: [Int64: String]) -> [Int64: UInt64] {
    var found: [Int64: UInt64] = [:]
    guard let heads = try? source.prepare("SELECT scene, sequence, row, sum FROM head") else { return [:] }
    while (try? heads.step()) == true {
      let (scene, sequence) = (heads.integer(0), UInt64(bitPattern: heads.integer(1)))
      if Checksum.of(head: sequence, row: heads.integer(2), scene: scene) == heads.integer(3) { found[scene] = sequence }
    }
    return found
  }

  /// Copies the whole snapshots and returns their numbers, in order, by scene.
  private func copySnapshots(_ names: [Int64: String]) throws(SQLiteFailure) -> [Int64: [UInt64]] {
    var numbers: [Int64: [UInt64]] = [:]
    let snapshot = try target.prepare("INSERT OR IGNORE INTO snapshot (scene, sequence, row, written, sum, body) VALUES (?, ?, 0, ?, ?, ?)")
    try scan("SELECT rowid, scene, sequence, written, sum, body FROM snapshot WHERE rowid >= ? ORDER BY rowid") {
      (row) throws(SQLiteFailure) in
      let (scene, sequence) = (row.integer(1), row.integer(2))
      let sum = row.withBlob(5) { Checksum.of($0, scene: scene, sequence: sequence) }
      guard sum == row.integer(4), names[scene] != nil, sequence > 0 else { return false }
      for column: Int32 in 0..<4 { snapshot.bind(column + 1, row.integer(column + 1)) }
      try snapshot.step(blob: row.blob(5), at: 5)
      numbers[scene, default: []].append(UInt64(sequence))
      return true
    }
    return numbers.mapValues { Array(Set($0)).sorted() }
  }

  /// Copies the whole records under new row numbers.
  ///
  /// - Returns: how many were read that are not whole.
  private func copyRecords(
    _ names: [Int64: String], _ runs: inout [Int64: [Run]], _ rowsOfSnapshots: inout [Int64: [UInt64: Int64]]
  ) throws(SQLiteFailure) -> Int {
    let record = try target.prepare("INSERT INTO record (row, scene, sequence, prior, written, sum, body) VALUES (?, ?, ?, ?, ?, ?, ?)")
    var next: Int64 = 1
    var broken = 0
    try scan("SELECT row, scene, sequence, written, sum, body FROM record WHERE row >= ? ORDER BY row") { (row) throws(SQLiteFailure) in
      let (scene, number) = (row.integer(1), row.integer(2))
      let sequence = UInt64(bitPattern: number)
      let sum = row.withBlob(5) { Checksum.of($0, scene: scene, sequence: number) }
      guard sum == row.integer(4), names[scene] != nil, number > 0 else {
        broken += 1
        return false
      }
      var ofScene = runs[scene] ?? []
      guard !ofScene.contains(where: { $0.first <= sequence && sequence <= $0.last }) else { return true }
      var prior: Int64 = sequence == 1 ? 0 : -1
      if let last = ofScene.indices.last, ofScene[last].last == sequence - 1 {
        prior = ofScene[last].lastRow
        ofScene[last].last = sequence
        ofScene[last].lastRow = next
      } else {
        ofScene.append(Run(first: sequence, last: sequence, lastRow: next))
      }
      runs[scene] = ofScene
      if rowsOfSnapshots[scene]?[sequence] != nil { rowsOfSnapshots[scene]?[sequence] = next }
      record.bind(1, next)
      record.bind(2, scene)
      record.bind(3, number)
      record.bind(4, prior)
      record.bind(5, row.integer(3))
      record.bind(6, row.integer(4))
      try record.step(blob: row.blob(5), at: 7)
      next += 1
      return true
    }
    return broken
  }

  /// Reads rows in ascending order of the number in their first column, going on behind whatever cannot be read.
  ///
  /// - Parameters:
  ///   - sql: takes the number to begin with.
  ///   - body: returns whether the row is whole: only such a one says how far the reading got.
  private func scan(_ sql: String, _ body: (Statement) throws(SQLiteFailure) -> Bool) throws(SQLiteFailure) {
    guard let rows = try? source.prepare(sql) else { return }
    var start: Int64 = 0
    var failures = 0
    // One by one past a damaged page, then in ever larger steps past a damaged branch.
    rows.bind(1, start)
    while failures < 512 + 48 {
      let isRow: Bool
      do throws(SQLiteFailure) { isRow = try rows.step() } catch {
        failures += 1
        let (next, isPast) = start.addingReportingOverflow(failures <= 512 ? 1 : 1 << Int64(failures - 512))
        if isPast { return }
        start = next
        rows.bind(1, start)
        continue
      }
      guard isRow else { return }
      let row = rows.integer(0)
      // A row out of order is taken for what its sum says and moves nothing.
      if try body(rows), row >= start, row <= newestRow - 1 {
        start = row + 1
        failures = 0
      }
    }
  }
}
