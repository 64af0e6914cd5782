package import MinervaInterfaces
import MinervaNavigation

/// What hosts hold, compared with what the scenes know (K4).
extension BrokerStateMachine {
  /// The hosts that are there to be asked, sorted; those that are lost have their lease.
  package var hostsToInspect: [String] { registry.hosts.keys.filter(registry.isGreeted).sorted() }

  /// What outlives what it belongs to.
  ///
  /// No coordinator of a lost host, no placeholder and nothing that is being made is a leak. Linear in what hosts hold.
  /// - Parameters:
  ///   - scene: The scene's name; `nil` for all, those that are over included.
  ///   - inspections: What each host said, by its name.
  ///   - isSeen: Whether whoever asks may know of a scene: of that one, whoever has its name now.
  package func leaks(
    in scene: String?, by inspections: [String: HostInspection], where isSeen: (SceneIdentity) -> Bool = { _ in true }
  ) -> [Leak] {
    var leaks: [Leak] = []
    var running: Set<Life> = []
    for (host, inspection) in inspections.sorted(by: { $0.key < $1.key }) {
      for held in inspection.coordinators where (scene == nil || held.scene.name == scene) && isSeen(held.scene) {
        // Nothing was under way when it left memory.
        if dormant.contains(held.scene) { continue }
        if held.ended == nil, isOpen(held, in: host) {
          running.insert(Life(host: host, scene: held.scene.name, screen: held.screen, lease: held.lease))
          if let leak = lateHandler(held, in: host) { leaks.append(leak) }
        } else {
          leaks += leftovers(of: held, in: host)
        }
      }
    }
    for (name, slot) in scenes.sorted(by: { $0.key < $1.key }) where (scene == nil || scene == name) && isSeen(slot.identity) {
      leaks += ownerless(in: name, inspections, running)
    }
    return leaks.sorted { ($0.scene, $0.screen, $0.kind.rawValue, $0.text) < ($1.scene, $1.screen, $1.kind.rawValue, $1.text) }
  }

  /// The scenes that must be in memory to be compared with what hosts hold: the one that is asked for; of all, first those that a host
  /// runs and does not speak of, then those that hosts speak of.
  package func asleep(of inspections: [String: HostInspection], in scene: String?) -> [String] {
    if let scene { return dormant[scene] == nil ? [] : [scene] }
    var held: [String: Set<String>] = [:]
    for (host, inspection) in inspections {
      for coordinator in inspection.coordinators where dormant.contains(coordinator.scene) {
        held[coordinator.scene.name, default: []].insert(host)
      }
    }
    let unspoken = dormant.names { scene in
      scene.hosts.contains { inspections[$0] != nil && held[scene.identity.name]?.contains($0) != true }
    }
    return unspoken + Set(held.keys).subtracting(unspoken).sorted()
  }

  private struct Life: Hashable {
    var host: String
    var scene: String
    var screen: ScreenID
    var lease: UInt32
  }

  /// Whether a scene knows of a coordinator that a host runs, or is about to.
  private func isOpen(_ held: HostInspection.Coordinator, in host: String) -> Bool {
    guard let slot = scenes[held.scene.name], slot.identity == held.scene, let holder = slot.state.holder(of: held.screen),
      holder.lease == held.lease
    else { return false }
    let maker = slot.links.underWay[SceneLinks.Key(screen: held.screen, lease: held.lease)]
    return (maker ?? holder.host) == host || (maker == nil && holder.host.isEmpty)
  }

  /// A handler that somebody waited for in vain, or that takes longer than a request may.
  private func lateHandler(_ held: HostInspection.Coordinator, in host: String) -> Leak? {
    guard let handler = held.handler, let state = scenes[held.scene.name]?.state else { return nil }
    let awaited = handler.message.flatMap { state.isAwaited($0, by: held.screen) }
    guard awaited == false || (awaited == nil && handler.age > Int(state.settings.request)) else { return nil }
    let work = handler.message.map { "message \($0)" } ?? "work of its own"
    return leak(.handler, held, in: host, age: handler.age, "its handler of \(work) is over its deadline")
  }

  /// What a host still holds of a coordinator whose screen is gone.
  private func leftovers(of held: HostInspection.Coordinator, in host: String) -> [Leak] {
    let end = ending(of: held)
    var leaks = held.tasks.map { task in
      leak(.task, held, in: host, age: held.ended ?? held.age, "\(end); its task from \(task.place) goes on")
    }
    let what: String? =
      if held.ended == nil {
        "its coordinator still runs"
      } else if let handler = held.handler {
        "its handler of \(handler.message.map { "message \($0)" } ?? "work of its own") still runs"
      } else {
        switch held.remains {
        case .making: "its factory or load has not returned"
        case .unloading: "its unload has not returned"
        // What a task holds goes with the task.
        case .held where held.tasks.isEmpty: "its coordinator is still held in memory"
        case .held, nil: nil
        }
      }
    if let what { leaks.append(leak(.coordinator, held, in: host, age: held.ended ?? held.age, "\(end); \(what)")) }
    return leaks
  }

  private func ending(of held: HostInspection.Coordinator) -> String {
    guard let slot = scenes[held.scene.name], slot.identity == held.scene else { return "its scene \(held.scene) is over" }
    if let departure = slot.state.departure(of: held.screen) { return "removed at #\(departure.seq) (\(departure.reason.rawValue))" }
    return slot.state.screen(held.screen) == nil ? "removed long ago" : "made anew since under another lease"
  }

  /// The screens of hosts that do not know of them.
  private func ownerless(in name: String, _ inspections: [String: HostInspection], _ running: Set<Life>) -> [Leak] {
    guard let slot = scenes[name] else { return [] }
    return slot.state.coordinators.compactMap { report -> Leak? in
      let host = report.summary.host
      guard report.isHosted, !report.isSuspended, report.phase != .connecting, report.phase != .dismissing, !hosts.isAway(host) else {
        return nil
      }
      if registry.isAlive(host), inspections[host] == nil { return nil }
      if running.contains(Life(host: host, scene: name, screen: report.summary.screen, lease: report.lease)) { return nil }
      return Leak(
        kind: .screen, scene: name, screen: report.summary.screen, module: report.summary.module, host: host, age: nil,
        owners: owners(of: report.summary.parent, in: slot.state),
        text: registry.isAlive(host) ? "\(host) runs no coordinator for it" : "its host \(host) is not there")
    }
  }

  private func leak(_ kind: Leak.Kind, _ held: HostInspection.Coordinator, in host: String, age: Int, _ text: String) -> Leak {
    let state = scenes[held.scene.name].flatMap { $0.identity == held.scene ? $0.state : nil }
    return Leak(
      kind: kind, scene: held.scene.name, screen: held.screen, module: held.module, host: host, age: age,
      owners: owners(of: held.parent, in: state), text: text)
  }

  /// The chain of parents, the nearest first.
  private func owners(of parent: ScreenID?, in state: SceneState?) -> [String] {
    var chain: [String] = []
    var next = parent
    while let id = next, chain.count < 64 {
      let report = state?.screen(id)
      chain.append(report.map { "\(id) \($0.summary.module)" } ?? "\(id), gone")
      next = report?.summary.parent
    }
    return chain
  }
}
