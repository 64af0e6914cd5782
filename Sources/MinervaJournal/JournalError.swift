/// A refusal of the journal, with a stable code and words that say what to do.
package struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable dotted code; new ones may come.
  package struct Code: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// A commit failed: nothing of the group may be answered as done, and nothing more is taken until `reopen`.
    package static let unavailable = Code("journal.unavailable")
    /// Another process has the file.
    package static let locked = Code("journal.locked")
    /// A newer Minerva wrote the file.
    package static let newerFormat = Code("journal.newer_format")
    /// Stored bytes are not what was written.
    package static let corrupt = Code("journal.corrupt")
    /// A record's number does not follow the scene's last.
    package static let sequence = Code("journal.sequence")
    /// The writer no longer owns what it writes to.
    package static let staleEpoch = Code("bus.stale_epoch")
    /// Records that old are not kept any more.
    package static let outOfRange = Code("time.out_of_range")
    /// The journal was closed.
    package static let closed = Code("journal.closed")
    /// The file can't be opened or read.
    package static let inputOutput = Code("journal.io")

    private init(_ description: String) { self.description = description }
  }

  package let code: Code
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Whether the same call may succeed later, once the cause is gone.
  package var retryable: Bool { code == .unavailable || code == .locked }

  package var description: String { "\(code): \(message)" }
}
