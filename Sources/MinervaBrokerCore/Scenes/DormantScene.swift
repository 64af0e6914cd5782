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

/// What hosts have said of the screens of a scene, kept in memory alone: they say it again only when they register.
final class KeptScreens {
  private let renderings: [ScreenID: StampedRendering]
  private let plainFields: [ScreenID: Set<String>?]
  private let shown: [ScreenID: ShownList]
  private let hidden: Set<ScreenID>
  private let behind: Set<ScreenID>
  /// Who has which coordinator.
  private(set) var makers: [SceneLinks.Key: String]

  init(of slot: SceneSlot) {
    renderings = slot.renderings
    plainFields = slot.plainFields
    shown = slot.shown
    hidden = slot.hidden
    behind = slot.behind
    makers = slot.links.makers
  }

  /// Whether there is nothing to keep.
  var isEmpty: Bool {
    renderings.isEmpty && plainFields.isEmpty && shown.isEmpty && hidden.isEmpty && behind.isEmpty && makers.isEmpty
  }

  /// What a screen shows, as its host reported it last.
  func rendering(of screen: ScreenID) -> StampedRendering? { renderings[screen] }

  /// A host is gone, with all that it had.
  func lose(_ host: String) { makers.lose(host) }

  /// A host says that it has not what it was asked for.
  func drop(_ key: SceneLinks.Key) { makers.removeValue(forKey: key) }

  /// Gives it back to the scene, as far as that still has the screens: not all of them need have been durable.
  func restore(to slot: SceneSlot) {
    func isThere(_ screen: ScreenID) -> Bool { slot.state.screen(screen) != nil }
    slot.renderings = renderings.filter { isThere($0.key) }
    slot.plainFields = plainFields.filter { isThere($0.key) }
    slot.shown = shown.filter { isThere($0.key) }
    slot.hidden = hidden.filter(isThere)
    slot.behind = behind.filter(isThere)
    slot.links.take(makers: makers)
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
  private var lastSerial: UInt64 = 0

  var first: Entry? { head < entries.count ? entries[head] : nil }

  /// Takes in a scene that has come into memory.
  mutating func begin(with slot: SceneSlot) {
    lastSerial += 1
    slot.serial = lastSerial
    append(slot, since: slot.touchedAt)
  }

  /// Has a scene looked at again.
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
