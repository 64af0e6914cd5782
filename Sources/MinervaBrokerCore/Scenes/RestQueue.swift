import MinervaInterfaces
import MinervaProtocol

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
