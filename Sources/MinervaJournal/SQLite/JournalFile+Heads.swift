internal import MinervaWire

/// How far each scene got: read at the opening, and noted in the file from time to time.
extension JournalFile {
  /// How many records pass between two marks: what opening has to read, and to check, at most.
  static let recordsPerMark = 4096

  // MARK: Marks

  /// Writes the table of heads and its mark, inside a transaction.
  ///
  /// - Parameters:
  ///   - row: the newest row there is.
  ///   - everything: all scenes, not only those that moved since the last mark.
  func writeMark(_ pending: Pending, at row: Int64, everything: Bool = false) throws(SQLiteFailure) {
    let names = everything ? Array(heads.keys) : unmarked + pending.newlyUnmarked
    for name in names {
      guard let head = pending.heads[name] ?? heads[name] else { continue }
      insertHead.bind(1, head.id)
      insertHead.bind(2, Int64(bitPattern: head.sequence))
      insertHead.bind(3, head.row)
      insertHead.bind(4, Checksum.of(head: head.sequence, row: head.row, scene: head.id))
      try insertHead.step()
    }
    try connection.execute(
      "INSERT OR REPLACE INTO meta VALUES ('mark', \(row)), ('records', \(recordCount + pending.records))")
  }

  /// A mark is durable.
  func marked(at row: Int64) {
    mark = row
    for name in unmarked { heads[name]?.isMarked = true }
    unmarked = []
    recordsSinceMark = 0
  }

  /// Marks what came since the last mark, so that the next opening has nothing to read. A failure costs that and no more.
  func markAll() {
    guard !unmarked.isEmpty else { return }
    do {
      let pending = try beginTransaction()
      let last = try newestRow()
      try writeMark(pending, at: last)
      try commitStatement.step()
      marked(at: last)
    } catch {
      rollback()
    }
  }

  /// The newest row of the records, 0 without one. O(log n).
  func newestRow() throws(SQLiteFailure) -> Int64 { try connection.integer("SELECT max(row) FROM record") ?? 0 }

  // MARK: Reading

  /// Takes the heads from the table of them and checks what came after its mark.
  ///
  /// - Returns: false when anything contradicts itself: then the whole file has to say how far the scenes got.
  func readHeadsSinceMark() -> Bool {
    do {
      if try followMark() { return true }
    } catch {
      // What it is shows when the whole is read.
    }
    heads = [:]
    recordCount = 0
    unmarked = []
    recordsSinceMark = 0
    return false
  }

  private func followMark() throws(SQLiteFailure) -> Bool {
    guard let mark = try connection.integer("SELECT value FROM meta WHERE key = 'mark'"),
      let count = try connection.integer("SELECT value FROM meta WHERE key = 'records'"), mark >= 0, count >= 0
    else { return false }
    let (names, problem) = try readNames()
    guard problem == nil else { return false }
    var found: [Int64: Head] = [:]
    found.reserveCapacity(names.count)
    for id in names.keys { found[id] = Head(id: id) }
    let stored = try connection.prepare("SELECT scene, sequence, row, sum FROM head")
    while try stored.step() {
      let (scene, sequence, row) = (stored.integer(0), UInt64(bitPattern: stored.integer(1)), stored.integer(2))
      guard Checksum.of(head: sequence, row: row, scene: scene) == stored.integer(3), row <= mark, found[scene] != nil else { return false }
      found[scene] = Head(id: scene, sequence: sequence, row: row)
    }
    let snapshots = try connection.prepare("SELECT scene, max(sequence) FROM snapshot GROUP BY scene")
    while try snapshots.step() {
      guard found[snapshots.integer(0)] != nil else { return false }
      found[snapshots.integer(0)]?.snapshotSequence = UInt64(bitPattern: snapshots.integer(1))
    }
    let records = try connection.prepare("SELECT row, scene, sequence, prior, sum, body FROM record WHERE row > ? ORDER BY row")
    records.bind(1, mark)
    var moved: [Int64] = []
    while try records.step() {
      let (scene, sequence) = (records.integer(1), UInt64(bitPattern: records.integer(2)))
      guard var head = found[scene], sequence == head.sequence &+ 1, records.integer(3) == head.prior,
        records.withBlob(5, { Checksum.of($0, scene: scene, sequence: Int64(bitPattern: sequence)) }) == records.integer(4)
      else { return false }
      if head.isMarked { moved.append(scene) }
      head.sequence = sequence
      head.row = records.integer(0)
      head.isMarked = false
      found[scene] = head
      recordsSinceMark += 1
    }
    heads.reserveCapacity(found.count)
    for (id, head) in found {
      guard head.snapshotSequence <= head.sequence, let name = names[id] else { return false }
      heads[name] = head
    }
    unmarked = moved.compactMap { names[$0] }
    let (all, isOver) = Int(count).addingReportingOverflow(recordsSinceMark)
    if isOver { return false }
    recordCount = all
    self.mark = mark
    return true
  }

  /// The names of the scenes, and what is wrong with the first that is not as it was written.
  private func readNames() throws(SQLiteFailure) -> (names: [Int64: String], problem: String?) {
    var names: [Int64: String] = [:]
    var problem: String?
    let scenes = try connection.prepare("SELECT id, name, sum FROM scene NOT INDEXED")
    while try scenes.step() {
      let (id, name) = (scenes.integer(0), scenes.text(1))
      // Over the bytes as they stand there: a start reads as many as there are scenes.
      if scenes.withBlob(1, { Checksum.of($0, scene: id, sequence: 0) }) == scenes.integer(2) {
        names[id] = name
      } else {
        problem = problem ?? "the name of scene \(id) is not as it was written"
      }
    }
    return (names, problem)
  }

  /// Reads how far each scene got from the records themselves, and checks every place and every sum on the way.
  func readHeads() throws(JournalFileFailure) {
    var found: [Int64: Head] = [:]
    let names: [Int64: String]
    do {
      let structure = try connection.prepare("PRAGMA quick_check(1)")
      if try structure.step(), structure.text(0) != "ok" { throw JournalFileFailure.damaged(structure.text(0)) }
      structure.reset()
      let read = try readNames()
      if let problem = read.problem { throw JournalFileFailure.damaged(problem) }
      names = read.names
      // A scene of which a cut left nothing keeps its number: its name cannot be written a second time.
      for id in names.keys { found[id] = Head(id: id) }
      let snapshots = try connection.prepare("SELECT scene, sequence, sum, body FROM snapshot ORDER BY scene, sequence")
      while try snapshots.step() {
        let (scene, sequence) = (snapshots.integer(0), snapshots.integer(1))
        let sum = snapshots.withBlob(3) { Checksum.of($0, scene: scene, sequence: sequence) }
        guard sum == snapshots.integer(2), names[scene] != nil else {
          throw JournalFileFailure.damaged("the snapshot of scene \(scene) at \(sequence) is not whole")
        }
        let covered = UInt64(bitPattern: sequence)
        found[scene] = Head(id: scene, sequence: covered, snapshotSequence: covered)
      }
      try readRecords(names, &found)
    } catch let failure as SQLiteFailure {
      throw failure.isDamageAtOpening ? .damaged(failure.message) : .sqlite(failure)
    } catch let failure as JournalFileFailure {
      throw failure
    } catch {
      throw .damaged("\(error)")
    }
    for (id, head) in found { if let name = names[id] { heads[name] = head } }
  }

  private func readRecords(_ names: [Int64: String], _ found: inout [Int64: Head]) throws {
    let records = try connection.prepare("SELECT row, scene, sequence, prior, sum, body FROM record ORDER BY row")
    var seen: [Int64: (sequence: UInt64, row: Int64)] = [:]
    while try records.step() {
      let (row, scene, prior) = (records.integer(0), records.integer(1), records.integer(3))
      let sequence = UInt64(bitPattern: records.integer(2))
      if let before = seen[scene] {
        guard sequence == before.sequence &+ 1, prior == before.row else {
          throw JournalFileFailure.damaged("record \(sequence) of scene \(scene) follows \(before.sequence)")
        }
      } else {
        // The first that is kept: number 1, or one whose predecessors a snapshot replaced.
        guard prior == 0 ? sequence == 1 : sequence > 1, names[scene] != nil else {
          throw JournalFileFailure.damaged("record \(sequence) of scene \(scene) has nothing before it")
        }
        if let covered = found[scene]?.snapshotSequence, covered < sequence - 1 {
          throw JournalFileFailure.damaged("no whole snapshot leads up to record \(sequence), the first of scene \(scene)")
        }
      }
      let sum = records.withBlob(5) { Checksum.of($0, scene: scene, sequence: Int64(bitPattern: sequence)) }
      guard sum == records.integer(4) else {
        throw JournalFileFailure.damaged("the checksum of record \(sequence) of scene \(scene) differs")
      }
      seen[scene] = (sequence, row)
      recordCount += 1
      mark = row
    }
    for (scene, last) in seen {
      let covered = found[scene]?.snapshotSequence ?? 0
      // A snapshot ahead of the records is what a cut leaves: it holds the state all the same.
      found[scene] = Head(
        id: scene, sequence: max(last.sequence, covered), row: last.sequence >= covered ? last.row : 0, snapshotSequence: covered)
    }
  }
}
