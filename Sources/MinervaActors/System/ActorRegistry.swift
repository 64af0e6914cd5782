import Distributed
import Synchronization

/// The actors of this process by name; it does not keep them alive.
final class ActorRegistry: Sendable {
  private struct Entry {
    weak var actor: (any DistributedActor)?
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var next = 1
  }

  private let state = Mutex(State())

  /// Takes a name: the wanted one unless a live actor has it, else one made of the kind and a number.
  func reserve(_ wanted: String?, kind: String) -> String {
    state.withLock { state in
      if let wanted, state.entries[wanted] == nil {
        state.entries[wanted] = Entry()
        return wanted
      }
      while true {
        let name = "\(wanted ?? kind)-\(state.next)"
        state.next += 1
        if state.entries[name] == nil {
          state.entries[name] = Entry()
          return name
        }
      }
    }
  }

  func add(_ actor: any DistributedActor, _ name: String) {
    let entry = Entry(actor: actor)
    state.withLock { $0.entries[name] = entry }
  }

  func remove(_ name: String) { state.withLock { _ = $0.entries.removeValue(forKey: name) } }

  subscript(name: String) -> (any DistributedActor)? { state.withLock { $0.entries[name]?.actor } }
}
