extension SQLiteJournal {
  /// How a journal file is kept.
  package struct Settings: Sendable {
    /// The size the file may grow to; a group that needs more is refused as `journal.unavailable`. Nil: the disk's.
    package var maximumBytes: Int?
    /// The wall clock in milliseconds since 1970; stamps rows for retention, decides nothing else.
    package var wallClock: @Sendable () -> Int64
    /// How much of the past is kept.
    package var retention: Retention
    /// How much of the file opening reads.
    package var check: Check
    var format = JournalFormat.current

    package init(
      maximumBytes: Int? = nil, retention: Retention = Retention(), check: Check = .sinceMark,
      wallClock: @escaping @Sendable () -> Int64 = SQLiteJournal.systemWallClock
    ) {
      self.maximumBytes = maximumBytes
      self.retention = retention
      self.check = check
      self.wallClock = wallClock
    }
  }

  /// How much of a file opening reads and checks.
  package enum Check: Sendable, Hashable {
    /// What came after the last mark, at most a few thousand records: opening takes the same time however long the past is.
    /// Damage before it shows when the scene is loaded, or in `verify`.
    case sinceMark
    /// Everything.
    case whole
  }

  /// What opening found and did.
  package struct Opening: Sendable, Hashable {
    /// The format the file had, 0 for a new one.
    package var formatBefore: Int
    package var format: Int
    package var epoch: UInt64
    package var scenes: Int
    package var records: Int
    /// What was wrong with the file, nil when nothing was.
    package var damage: Damage?
    package var milliseconds: Int
  }

  /// A damaged file: what was kept of it and where it is now.
  package struct Damage: Sendable, Hashable, CustomStringConvertible {
    package var reason: String
    /// The damaged file, left as it was found.
    package var keptAside: String
    package var recordsKept: Int
    /// Records that could still be read and were left out: they are not as they were written, or what leads up to them is not.
    package var recordsCut: Int
    /// The scenes that are known to have had more than was kept, in order.
    package var scenes: [String]

    package var description: String {
      let cut =
        scenes.isEmpty ? "" : " (\(scenes.prefix(8).joined(separator: ", "))\(scenes.count > 8 ? " and \(scenes.count - 8) more" : ""))"
      return
        "the journal was damaged: \(reason); \(recordsKept) records are kept and \(recordsCut) left out\(cut), the damaged file is \(keptAside)"
    }
  }
}
