public import ListDiff
package import MinervaInterfaces

/// What a worker made of two lists.
public struct DiffResult: Sendable {
  /// The change set in the compact binary form of `ListDiff`.
  public var changes: [UInt8]
  /// The worker's node name.
  public var worker: String
  /// How long the worker computed, in microseconds.
  public var microseconds: Int
  /// How long the job waited for a thread of the worker, in microseconds.
  public var waited: Int
  /// How many workers were leased for it; each but the last was lost.
  public var leases: Int
  /// How often a worker or the queue had no room for it.
  public var turnedAway: Int
  /// The bytes of lists that were sent for it.
  public var sentBytes: Int

  /// The worker's life that holds the new list now, if the job was about one.
  package var holder: DiffWorkerLife?

  /// The changes of lists without sections.
  public func changeSet() throws(DiffError) -> ChangeSet { try ChangeSet(decoding: changes, limit: Int(Int32.max)) }

  /// The changes of lists with sections.
  public func sectionedChangeSet() throws(DiffError) -> SectionedChangeSet {
    try SectionedChangeSet(decoding: changes, limit: Int(Int32.max))
  }
}
