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
}

/// What hosts have said of the screens of a scene, kept in memory alone.
final class KeptScreens {
  fileprivate let renderings: [ScreenID: StampedRendering]
  fileprivate let plainFields: [ScreenID: Set<String>?]
  fileprivate let shown: [ScreenID: ShownList]
  fileprivate let hidden: Set<ScreenID>
  fileprivate let behind: Set<ScreenID>

  /// Nil where there is nothing to keep.
  init?(of slot: SceneSlot) {
    renderings = slot.renderings
    plainFields = slot.plainFields
    shown = slot.shown
    hidden = slot.hidden
    behind = slot.behind
    if renderings.isEmpty, plainFields.isEmpty, shown.isEmpty, hidden.isEmpty, behind.isEmpty { return nil }
  }

  /// What a screen shows, as its host reported it last.
  func rendering(of screen: ScreenID) -> StampedRendering? { renderings[screen] }
}

extension SceneSlot {
  /// Takes over what was kept while the scene was not in memory.
  func take(_ kept: KeptScreens) {
    renderings = kept.renderings
    plainFields = kept.plainFields
    shown = kept.shown
    hidden = kept.hidden
    behind = kept.behind
  }
}

/// The scenes in memory, in the order in which they are to be looked at again: each stands there once.
struct RestQueue {
  /// By name and number: a scene that has ended meanwhile is not kept by it.
  struct Entry {
    var name: String
    var serial: UInt64
    /// When it was last known to be used.
    var since: Moment
  }

  private var entries: [Entry?] = []
  private var head = 0

  var first: Entry? { head < entries.count ? entries[head] : nil }

  mutating func append(_ slot: SceneSlot, since: Moment) {
    entries.append(Entry(name: slot.identity.name, serial: slot.serial, since: since))
  }

  mutating func removeFirst() {
    guard head < entries.count else { return }
    entries[head] = nil
    head += 1
    guard head == entries.count || head >= 4_096 else { return }
    entries.removeFirst(head)
    head = 0
  }

  mutating func removeAll() {
    entries = []
    head = 0
  }
}
