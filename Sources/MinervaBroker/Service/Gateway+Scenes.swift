import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaTransport
import MinervaWire

/// How scenes come to a broker, and how they leave it.
extension Gateway {
  // MARK: Restoring

  /// Takes note of the scenes that are ours; returns the keys of those in which something may be under way.
  func survey(_ heads: [JournaledHead]) -> [String] {
    if !ownership.ownsAll {
      for head in heads { if let identity = SceneIdentity(head.scene) { claimed.insert(identity.name) } }
    }
    return machine.survey(heads, forgotten: journal.forgotten, now: now)
  }

  /// Takes in a scene; nil where nothing of it is left.
  func restore(_ key: String, _ scene: RestoredScene?) {
    if let scene { machine.restore(scene, now: now) } else { machine.unreadable(key) }
  }

  /// Every scene was restored.
  func recovered(epoch: UInt64) { perform(machine.recovered(epoch: epoch, now: now)) }

  /// The journal is read from its beginning once more.
  func forget() {
    machine.forget()
    claimed = []
  }

  /// Keeps a line for `status`, the last hundred of them.
  func note(_ trouble: String) {
    notes.append(trouble)
    if notes.count > 100 { notes.removeFirst() }
  }

  // MARK: Loading

  /// Reads a scene on its way into memory, and replays it where it keeps nobody waiting.
  func load(_ key: String, _ number: UInt64) {
    guard let name = SceneIdentity(key)?.name else { return }
    let reading = SceneReading(journal: journal, settings: machine.sceneSettings, epoch: machine.epoch)
    Task {
      do {
        let (scene, troubles) = try await reading.read(key)
        for trouble in troubles { self.report(trouble) }
        self.perform(self.machine.loaded(number, name, scene, now: self.now))
      } catch {
        let failure = error as? MinervaError ?? MinervaError(.journalUnavailable, "\(error)")
        self.perform(self.machine.loadFailed(number, name, failure))
      }
    }
  }

  /// Has the scenes loaded of which nothing is known, some at a time: what is under way in them goes on, and what is not leaves memory again.
  func loadUnknown() {
    let names = machine.unknownScenes
    guard !names.isEmpty else { return }
    let lanes = min(4, names.count)
    for lane in 0..<lanes {
      Task {
        for index in stride(from: lane, to: names.count, by: lanes) {
          _ = try? await self.reply { $0.wake(names[index], token: $1, now: $2) }
        }
      }
    }
  }

  /// Tells the operator of a part of a scene that could not be used.
  func report(_ trouble: String) {
    log("journal: \(trouble)")
    note(trouble)
  }

  // MARK: Ownership

  /// Whether a scene was claimed, or needs not be.
  func isOurs(_ name: String) -> Bool { ownership.ownsAll || claimed.contains(name) }

  /// Claims a scene before its first use here.
  /// - Throws: `bus.not_owner` with the owner's endpoint where known.
  func own(_ name: String) async throws {
    guard !isOurs(name) else { return }
    guard case .elsewhere(let epoch, let hint) = try await ownership.claim(name) else { return _ = claimed.insert(name) }
    throw MinervaError.notOwner(of: name, epoch: epoch, owner: hint)
  }

  /// Another broker has taken scenes, or all of them: what they hold here is forgotten, and whoever waits for them is told.
  func disown(_ names: [String]?) {
    let lost = names.map(Set.init) ?? claimed
    claimed.subtract(lost)
    perform(machine.disown(lost, now: now))
  }
}

extension Command.Action {
  /// What a caller must be allowed for it: speaking in a module's place is for administrators.
  var role: PeerRole {
    switch self {
    case .output, .finish, .cancel, .end: .admin
    default: .navigate
    }
  }
}
