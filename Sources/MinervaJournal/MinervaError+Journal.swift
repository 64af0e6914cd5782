internal import MinervaWire

/// The refusals that every journal words alike.
extension MinervaError {
  static let closedJournal = MinervaError(.journalClosed, "the journal is closed")

  static func refusing(_ reason: String) -> MinervaError {
    MinervaError(.journalUnavailable, "\(reason); nothing is taken until the journal is reopened")
  }

  static func stale(_ epoch: UInt64, now: UInt64) -> MinervaError {
    MinervaError(.staleEpoch, "written under epoch \(epoch), the journal is at \(now); load the scene again")
  }

  static func gap(_ entry: JournalEntry, expected: UInt64) -> MinervaError {
    MinervaError(.journalSequence, "record \(entry.sequence) of scene \(entry.scene) where \(expected) comes next; load the scene again")
  }

  static func early(_ snapshot: JournalSnapshot) -> MinervaError {
    MinervaError(.journalSequence, "a snapshot of scene \(snapshot.scene) at \(snapshot.sequence), which is not a record of it yet")
  }

  static func early(_ rest: JournalRest) -> MinervaError {
    MinervaError(.journalSequence, "a rest of scene \(rest.scene) at \(rest.sequence), which is not a record of it yet")
  }
}
