internal import MinervaWire

/// Setting aside what loads and cannot be used (P3).
extension JournalFile {
  /// Moves a part of a scene, and what rests on it alone, to the table `aside`, in a transaction of its own.
  func setAside(_ part: JournalPart, of name: String, reason: String, now: Int64) throws(SQLiteFailure) -> JournalAside {
    guard let before = heads[name] else { return JournalAside(scene: name, sequence: 0, records: 0, snapshots: 0) }
    var head = before
    let moved: (records: Int, snapshots: Int)
    do {
      var pending = try beginTransaction()
      moved = try move(part, of: &head, Aside(connection, reason: reason, now: now))
      pending.records = -moved.records
      pending.move(name, to: head)
      // Records that follow will have the same numbers again: what was noted of the old ones must not be taken for theirs.
      deleteRest.bind(1, head.id)
      try deleteRest.step()
      let last = try newestRow()
      try writeMark(pending, at: last)
      try commitStatement.step()
      recordCount -= moved.records
      heads[name] = head
      marked(at: last)
    } catch {
      rollback()
      throw error
    }
    return JournalAside(scene: name, sequence: head.sequence, records: moved.records, snapshots: moved.snapshots)
  }

  private func move(_ part: JournalPart, of head: inout Head, _ aside: Aside) throws(SQLiteFailure) -> (records: Int, snapshots: Int) {
    var records = 0
    var snapshots = 0
    var everything = false
    switch part {
    case .records(let last):
      snapshots = try aside.snapshots(of: head.id, from: last + 1, through: .max)
      records = try moveRecords(of: &head, after: last, aside)
    case .snapshot(let sequence):
      snapshots = try aside.snapshots(of: head.id, from: sequence, through: sequence)
    }
    head.snapshotSequence = UInt64(
      bitPattern: try connection.integer("SELECT max(sequence) FROM snapshot WHERE scene = \(head.id)") ?? 0)
    everything = try !isRooted(head)
    if everything {
      snapshots += try aside.snapshots(of: head.id, from: 0, through: .max)
      records += try moveRecords(of: &head, after: 0, aside)
      head.snapshotSequence = 0
    }
    return (records, snapshots)
  }

  /// Whether the records lead back to the latest snapshot, or to the first of them.
  private func isRooted(_ head: Head) throws(SQLiteFailure) -> Bool {
    var sequence = head.sequence
    var row = head.row
    while sequence > head.snapshotSequence {
      selectRecord.bind(1, row)
      guard row > 0, try selectRecord.step() else { return false }
      row = selectRecord.integer(2)
      sequence -= 1
      selectRecord.reset()
    }
    return true
  }

  private func moveRecords(of head: inout Head, after last: UInt64, _ aside: Aside) throws(SQLiteFailure) -> Int {
    var count = 0
    while head.sequence > last, head.row > 0 {
      selectRecord.bind(1, head.row)
      guard try selectRecord.step() else { break }
      let prior = selectRecord.integer(2)
      selectRecord.reset()
      try aside.record(at: head.row)
      head.row = max(0, prior)
      head.sequence -= 1
      count += 1
    }
    head.sequence = min(head.sequence, last)
    if last == 0 { head.row = 0 }
    return count
  }
}

/// The statements that move rows to the table `aside`.
private struct Aside {
  private let copyRecord: Statement
  private let deleteRecord: Statement
  private let copySnapshots: Statement
  private let deleteSnapshots: Statement
  private let connection: Connection

  init(_ connection: Connection, reason: String, now: Int64) throws(SQLiteFailure) {
    self.connection = connection
    let columns = "INSERT INTO aside (scene, sequence, kind, written, sum, body, reason, moved)"
    copyRecord = try connection.prepare(
      "\(columns) SELECT scene, sequence, 'record', written, sum, body, ?, ? FROM record WHERE row = ?")
    deleteRecord = try connection.prepare("DELETE FROM record WHERE row = ?")
    copySnapshots = try connection.prepare(
      "\(columns) SELECT scene, sequence, 'snapshot', written, sum, body, ?, ? FROM snapshot WHERE scene = ? AND sequence BETWEEN ? AND ?")
    deleteSnapshots = try connection.prepare("DELETE FROM snapshot WHERE scene = ? AND sequence BETWEEN ? AND ?")
    for statement in [copyRecord, copySnapshots] {
      statement.bind(1, reason)
      statement.bind(2, now)
    }
  }

  func record(at row: Int64) throws(SQLiteFailure) {
    copyRecord.bind(3, row)
    try copyRecord.step()
    deleteRecord.bind(1, row)
    try deleteRecord.step()
  }

  /// Moves the snapshots in a range of numbers and returns how many there were.
  func snapshots(of scene: Int64, from first: UInt64, through last: UInt64) throws(SQLiteFailure) -> Int {
    let range = (Int64(clamping: first), Int64(clamping: last))
    copySnapshots.bind(3, scene)
    copySnapshots.bind(4, range.0)
    copySnapshots.bind(5, range.1)
    try copySnapshots.step()
    deleteSnapshots.bind(1, scene)
    deleteSnapshots.bind(2, range.0)
    deleteSnapshots.bind(3, range.1)
    try deleteSnapshots.step()
    return connection.changes
  }
}
