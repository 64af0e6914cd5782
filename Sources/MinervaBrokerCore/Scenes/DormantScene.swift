package import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol

/// An open scene that the journal has and memory has not: what must be known of it while nobody touches it (P2).
package struct DormantScene {
  package let identity: SceneIdentity
  /// The number of its last record.
  let sequence: UInt64
  /// The monotonic moment at which scene time was `base`.
  let opened: Moment
  let base: UInt64
  /// The number of the last event that was published under this epoch.
  var events: UInt64 = 0
  /// The hosts that run coordinators of it.
  var hosts: [String] = []
  /// Those of them that were lost since it was in memory.
  var lost: [String] = []
  /// Whether something may be under way in it: nothing was noted when it was last in memory.
  var isUnknown = false
  /// Whether this life of the broker has not had it in memory: its hosts have not been heard about it.
  var isUntold = false
  /// What its screens show, where hosts have said so: that is in no journal.
  var kept: KeptScreens?
  var recent: RecentEvents.OfScene?

  /// A host of it is gone, with all that it had.
  mutating func lose(_ node: String) {
    if !lost.contains(node) { lost.append(node) }
    kept?.lose(node)
  }
}
