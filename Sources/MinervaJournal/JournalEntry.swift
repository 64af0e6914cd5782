/// A record on its way to the journal.
package struct JournalEntry: Sendable, Hashable {
  package var scene: String
  /// The record's number in its scene: 1 for the first, then one more each.
  package var sequence: UInt64
  /// The encoded record; the journal never looks inside.
  package var record: [UInt8]

  package init(scene: String, sequence: UInt64, record: [UInt8]) {
    self.scene = scene
    self.sequence = sequence
    self.record = record
  }
}

/// The state of a scene after one of its records.
package struct JournalSnapshot: Sendable, Hashable {
  package var scene: String
  /// The number of the last record that is part of the state.
  package var sequence: UInt64
  package var bytes: [UInt8]

  package init(scene: String, sequence: UInt64, bytes: [UInt8]) {
    self.scene = scene
    self.sequence = sequence
    self.bytes = bytes
  }
}

/// What a scene's owner wants to know of it without reading it, once nothing is under way in it (P2).
package struct JournalRest: Sendable, Hashable {
  package var scene: String
  /// The number of the last record.
  package var sequence: UInt64
  /// The owner's note; the journal never looks inside.
  package var note: [UInt8]
  /// Where the scene is over: a number that no scene may have once nothing is kept of this one any more, nor a smaller one.
  package var over: UInt64?

  package init(scene: String, sequence: UInt64, note: [UInt8], over: UInt64? = nil) {
    self.scene = scene
    self.sequence = sequence
    self.note = note
    self.over = over
  }
}

/// A scene as read back: its state is the snapshot with the records applied in order.
package struct JournaledScene: Sendable, Hashable {
  package var scene: String
  /// Nil: the records begin with number 1.
  package var snapshot: JournalSnapshot?
  /// The records after the snapshot, ascending without a gap.
  package var records: [JournalEntry]

  package init(scene: String, snapshot: JournalSnapshot?, records: [JournalEntry]) {
    self.scene = scene
    self.snapshot = snapshot
    self.records = records
  }

  /// The number of the last record that the state includes.
  package var sequence: UInt64 { records.last?.sequence ?? snapshot?.sequence ?? 0 }
}

/// A scene's name with how far it got.
package struct JournaledHead: Sendable, Hashable {
  package var scene: String
  /// The number of the last record.
  package var sequence: UInt64
  /// The number that the latest snapshot covers, 0 without one.
  package var snapshotSequence: UInt64
  /// What was noted when the scene came to rest after its last record; nil where something may be under way.
  package var rest: [UInt8]?
  /// Whether the journal knows that the scene is over.
  package var isOver: Bool

  package init(scene: String, sequence: UInt64, snapshotSequence: UInt64, rest: [UInt8]? = nil, isOver: Bool = false) {
    self.scene = scene
    self.sequence = sequence
    self.snapshotSequence = snapshotSequence
    self.rest = rest
    self.isOver = isOver
  }
}

/// A part of a scene that loads and cannot be used.
package enum JournalPart: Sendable, Hashable {
  /// Everything after this record; 0: the whole scene.
  case records(after: UInt64)
  /// The snapshot at this record.
  case snapshot(UInt64)
}

/// What was set aside of a scene, and where the scene ends now.
package struct JournalAside: Sendable, Hashable {
  package var scene: String
  /// The number of its last record; 0: nothing leads up to any state, it begins anew.
  package var sequence: UInt64
  package var records: Int
  package var snapshots: Int

  package init(scene: String, sequence: UInt64, records: Int, snapshots: Int) {
    self.scene = scene
    self.sequence = sequence
    self.records = records
    self.snapshots = snapshots
  }
}
