package import MinervaInterfaces

/// Whoever turns two lists into a change set: this process, or a worker.
package protocol DiffComputing: Sendable {
  /// Computes what turns `old` into `new`.
  /// - Parameter list: The list's name; a newer question about it supersedes an older one.
  func changes(from old: DiffRows, to new: DiffRows, list: String) async throws -> ComputedChanges
}

/// A change set, and who computed it.
package struct ComputedChanges: Sendable {
  /// The change set in the compact binary form, sectioned.
  package var changes: [UInt8]
  package var counts: ChangeCounts
  /// A worker's node name, or `in process`.
  package var computedBy: String

  package init(changes: [UInt8], counts: ChangeCounts, computedBy: String) {
    self.changes = changes
    self.counts = counts
    self.computedBy = computedBy
  }
}
