/// The refusals that every journal words alike.
extension JournalError {
  static let closed = JournalError(.closed, "the journal is closed")

  static func refusing(_ reason: String) -> JournalError {
    JournalError(.unavailable, "\(reason); nothing is taken until the journal is reopened")
  }

  static func stale(_ epoch: UInt64, now: UInt64) -> JournalError {
    JournalError(.staleEpoch, "written under epoch \(epoch), the journal is at \(now); load the scene again")
  }

  static func gap(_ entry: JournalEntry, expected: UInt64) -> JournalError {
    JournalError(.sequence, "record \(entry.sequence) of scene \(entry.scene) where \(expected) comes next; load the scene again")
  }

  static func early(_ snapshot: JournalSnapshot) -> JournalError {
    JournalError(.sequence, "a snapshot of scene \(snapshot.scene) at \(snapshot.sequence), which is not a record of it yet")
  }
}
