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
}
