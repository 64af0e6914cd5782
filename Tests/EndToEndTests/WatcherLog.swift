import Minerva
import MinervaInterfaces
import MinervaTesting

/// What a watcher has seen, in order: from its own updates, or from the log of a process.
struct WatcherLog: Sendable {
  /// The numbers of the last update.
  private(set) var epoch: UInt64 = 0
  private(set) var number: UInt64 = 0
  /// How deep the scene was in the last snapshot.
  private(set) var depth = 0
  private(set) var snapshots = 0
  private(set) var events = 0
  /// What was shown as complete though it was not: an event that does not follow what came before.
  private(set) var faults: [String] = []

  init() {}

  /// Reads the log of a `scene-watcher`.
  init(of name: String, in set: ProcessSet) {
    for line in set.log(of: name).split(separator: "\n") {
      let words = line.split(separator: " ")
      // The last line may be half written.
      guard words.count >= 3, let epoch = UInt64(words[1]), let number = UInt64(words[2]) else { continue }
      switch words[0] {
      case "snapshot" where words.count == 4: snapshot(epoch, number, depth: Int(words[3]) ?? 0)
      case "event": event(epoch, number)
      default: break
      }
    }
  }

  mutating func take(_ update: SceneUpdate) {
    switch update {
    case .snapshot(let snapshot):
      self.snapshot(snapshot.epoch, snapshot.event, depth: snapshot.tree.layers.reduce(0) { $0 + $1.stack.count })
    case .event(let event): self.event(event.epoch, event.number)
    }
  }

  private mutating func snapshot(_ epoch: UInt64, _ number: UInt64, depth: Int) {
    snapshots += 1
    (self.epoch, self.number, self.depth) = (epoch, number, depth)
  }

  private mutating func event(_ epoch: UInt64, _ number: UInt64) {
    events += 1
    if epoch != self.epoch || number != self.number + 1 { faults.append("\(self.epoch):\(self.number) then \(epoch):\(number)") }
    (self.epoch, self.number) = (epoch, number)
  }
}
