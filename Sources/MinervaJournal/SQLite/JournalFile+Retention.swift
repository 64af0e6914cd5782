import MinervaWire

extension SQLiteJournal {
  /// How much of the past is kept beyond what scenes need to come back.
  package struct Retention: Sendable, Hashable {
    /// Records older than this may go; by the wall clock, whose jumps decide nothing else.
    package var age: Duration
    /// While the file holds more than this, the oldest records may go.
    package var bytes: Int

    package init(age: Duration = .seconds(7 * 24 * 3600), bytes: Int = 1 << 30) {
      self.age = age
      self.bytes = bytes
    }

    /// The age in milliseconds.
    var milliseconds: Int64 { age.milliseconds }
  }
}

extension JournalFile {
  /// Removes a batch of the oldest records that retention lets go; true when there may be more to remove.
  ///
  /// A record goes only when a snapshot of its scene covers it, so every scene keeps what it needs to come back, and the
  /// newest row stays, so that row numbers never start again. The space is used for new records; the file does not shrink.
  ///
  /// - Parameters:
  ///   - cursor: the row up to which has been looked; 0 at first.
  ///   - now: the wall clock in milliseconds.
  func trim(_ retention: SQLiteJournal.Retention, cursor: inout Int64, now: Int64, batch: Int64 = 4096) throws(SQLiteFailure) -> Bool {
    // The table of heads speaks of the rows up to its mark: what came after it must be found whole by the next opening.
    let newest = try min(newestRow(), mark + 1)
    let first = try connection.integer("SELECT row FROM record WHERE row > \(cursor) ORDER BY row LIMIT 1") ?? newest
    guard first < newest else { return false }
    var last = min(first + batch, newest) - 1
    let used = (try connection.integer("PRAGMA page_count") ?? 0) - (try connection.integer("PRAGMA freelist_count") ?? 0)
    let oldest = now - retention.milliseconds
    if used * (try connection.integer("PRAGMA page_size") ?? 0) <= Int64(retention.bytes) {
      // Only age lets anything go: up to the first record of the batch that is young enough.
      let young = try connection.integer(
        "SELECT row FROM record WHERE row >= \(first) AND row <= \(last) AND written >= \(oldest) ORDER BY row LIMIT 1")
      if let young { last = young - 1 }
      guard last >= first else { return false }
    }
    try begin.step()
    try connection.execute(
      """
      DELETE FROM record WHERE row >= \(first) AND row <= \(last)
        AND sequence <= coalesce((SELECT max(sequence) FROM snapshot WHERE snapshot.scene = record.scene), 0)
      """)
    let gone = connection.changes
    try connection.execute(
      """
      UPDATE meta SET value = value - \(gone) WHERE key = 'records';
      DELETE FROM snapshot WHERE row <= \(last)
        AND sequence < (SELECT max(sequence) FROM snapshot AS other WHERE other.scene = snapshot.scene);
      DELETE FROM aside WHERE moved < \(oldest);
      """)
    try commitStatement.step()
    recordCount -= gone
    cursor = last
    return last + 1 < newest
  }

  /// Removes what is left of scenes that are over and whose records are all gone: names, heads, last snapshots; true when there may be more.
  ///
  /// - Parameter row: up to where records have been looked at.
  func forgetOver(upTo row: Int64, batch: Int = 512) throws(SQLiteFailure) -> Bool {
    // Rows before the first that is there were looked at in earlier lives of this file.
    let row = try max(row, (connection.integer("SELECT min(row) FROM record") ?? 1) - 1)
    let noted = try connection.prepare("SELECT place, scene, sequence, number, sum FROM ended ORDER BY place LIMIT \(batch)")
    let name = try connection.prepare("SELECT name FROM scene WHERE id = ?")
    let record = try connection.prepare("SELECT 1 FROM record WHERE row = ?")
    var places: [(place: Int64, id: Int64)] = []
    var gone: [(name: String, id: Int64)] = []
    var highest = forgotten
    while try noted.step() {
      let (id, sequence, number) = (noted.integer(1), UInt64(bitPattern: noted.integer(2)), noted.integer(3))
      name.bind(1, id)
      let known = try name.step() ? name.text(0) : nil
      name.reset()
      // A false note is none; a scene that has gone on since, or of which nobody knows, is not over.
      let isTrue = Checksum.of(over: number, sequence: sequence, scene: id) == noted.integer(4)
      if isTrue, let known, let head = heads[known], head.id == id, head.sequence == sequence {
        guard head.isMarked, head.row <= row else { break }
        record.bind(1, head.row)
        let isKept = try record.step()
        record.reset()
        // Of one whose last record no snapshot covers nothing can go.
        if !isKept {
          gone.append((known, id))
          highest = max(highest, UInt64(clamping: number))
        }
      }
      places.append((noted.integer(0), id))
    }
    noted.reset()
    guard !places.isEmpty else { return false }
    try begin.step()
    for (_, id) in gone {
      try connection.execute(
        """
        DELETE FROM snapshot WHERE scene = \(id); DELETE FROM rest WHERE scene = \(id); DELETE FROM head WHERE scene = \(id);
        DELETE FROM scene WHERE id = \(id);
        """)
    }
    for (place, _) in places { try connection.execute("DELETE FROM ended WHERE place = \(place)") }
    try connection.execute("INSERT OR REPLACE INTO meta VALUES ('forgotten', \(Int64(clamping: highest)))")
    try commitStatement.step()
    for (name, _) in gone { heads[name] = nil }
    for (_, id) in places { over.remove(id) }
    forgotten = highest
    return places.count == batch
  }

  /// Reads which scenes are over, and the highest number of those of which nothing is kept any more.
  func readOver() throws(SQLiteFailure) {
    let rows = try connection.prepare("SELECT scene FROM ended")
    while try rows.step() { over.insert(rows.integer(0)) }
    forgotten = UInt64(clamping: try connection.integer("SELECT value FROM meta WHERE key = 'forgotten'") ?? 0)
  }
}
