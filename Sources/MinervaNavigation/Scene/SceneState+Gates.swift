/// A presentation command that executes: nobody else may until it is over (C1).
struct GateLease: Hashable, Sendable, Codable {
  /// Its name.
  let name: String
  /// Whose it is: a coordinator's, else a caller's.
  let origin: ScreenID?
  let caller: String
  /// The request that took it, or the number of one that shares another's outcome.
  let ticket: UInt64
  /// The screen whose removal frees it, once it is known.
  var screen: ScreenID?
}

/// Presentation commands: leases that hold across processes.
extension SceneState {
  /// The gates that are taken, of a coordinator or (`nil`) of callers.
  package func takenGates(of origin: ScreenID?) -> [String] {
    gates.filter { $0.origin == origin }.map(\.name)
  }

  /// The gates of a coordinator as its next life must know them: each with what frees it.
  func heldGates(of origin: ScreenID) -> [HeldGate]? {
    let held = gates.compactMap { lease -> HeldGate? in
      guard lease.origin == origin else { return nil }
      if let screen = lease.screen { return HeldGate(name: lease.name, screen: screen) }
      return requestKey(ofTicket: lease.ticket).map { HeldGate(name: lease.name, request: $0) }
    }
    return held.isEmpty ? nil : held
  }

  /// The request of a turn that has this number, or shares the outcome of another under it.
  private func requestKey(ofTicket ticket: UInt64) -> RequestKey? {
    for request in pending {
      if request.ticket == ticket, case .turn(let key, _) = request.source { return key }
      if let joiner = request.joiners.first(where: { $0.gate == ticket }) { return joiner.key }
    }
    return nil
  }

  /// Refuses what is disabled (C2).
  func requireFree(_ gate: String, _ command: Command) throws(Refusal) {
    guard
      let lease = gates.first(where: { lease in
        lease.name == gate && lease.origin == command.origin && (lease.origin != nil || lease.caller == command.caller)
      })
    else { return }
    let why = lease.screen.map { "\($0) \(summary($0).module) is still open" } ?? "it is being executed"
    throw Refusal(code: .commandDisabled, message: "\(gate) cannot run now: \(why)")
  }

  /// Takes the gate of a command that is admitted.
  mutating func take(gateOf command: Command, ticket: UInt64) {
    guard let gate = command.gate else { return }
    let lease = GateLease(name: gate, origin: command.origin, caller: command.caller, ticket: ticket)
    gates.append(lease)
    emit(.gate(gate, origin: lease.origin, caller: lease.caller, isEnabled: false))
  }

  /// The screen that a request has opened, if it still is.
  private func opened(by request: Request, _ resolution: Resolution) -> ScreenID? {
    guard request.command.action.needsPresenter, case .done(let outcome) = resolution, let screen = outcome.screen else { return nil }
    return nodes.contains(screen) ? screen : nil
  }

  /// The request is over: its gate, and those of who shares its outcome, wait for the removal of what it has opened, or are free at once.
  mutating func settleGates(of request: Request, _ resolution: Resolution) {
    let screen = opened(by: request, resolution)
    for ticket in [request.ticket] + request.joiners.compactMap(\.gate) {
      guard let index = gates.firstIndex(where: { $0.ticket == ticket }) else { continue }
      if let screen {
        gates[index].screen = screen
      } else {
        freeGates { $0.ticket == ticket }
      }
    }
  }

  /// Frees gates, each with one change of state (C4).
  mutating func freeGates(_ isOver: (GateLease) -> Bool) {
    var index = 0
    while index < gates.count {
      if isOver(gates[index]) {
        let lease = gates.remove(at: index)
        emit(.gate(lease.name, origin: lease.origin, caller: lease.caller, isEnabled: true))
      } else {
        index += 1
      }
    }
  }
}
