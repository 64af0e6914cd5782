import ListDiff
package import MinervaInterfaces

/// Computes change sets in this process.
package struct InProcessDiff: DiffComputing {
  /// What change sets say of who computed them.
  package static let name = "in process"

  package init() {}

  package func changes(from old: DiffRows, to new: DiffRows, list: String) async throws -> ComputedChanges {
    let changes = try old.changes(to: new)
    return ComputedChanges(changes: changes.encoded(), counts: ChangeCounts(changes), computedBy: Self.name)
  }
}
