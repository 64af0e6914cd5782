/// A presentation command that executes: nobody else may until it is over (C1).
struct GateLease: Hashable, Sendable, Codable {
  /// Its name.
  let name: String
  /// Whose it is: a coordinator's, else a caller's.
  let origin: ScreenID?
  let caller: String
  /// The request that took it.
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

  /// Refuses what is disabled (C2).
  func requireFree(_ gate: String, _ command: Command) throws(Refusal) {
    guard
      let lease = gates.first(where: { lease in
        lease.name == gate && lease.origin == command.origin && (lease.origin != nil || lease.caller == command.caller)
      })
    else { return }
    let why = lease.screen.map { "\($0) \(summary($0).module) is still open" } ?? "it is being executed"
    throw Refusal(code: "command.disabled", message: "\(gate) cannot run now: \(why)")
  }

  /// Takes the gate of a request that is admitted.
  mutating func take(gateOf request: Request) {
    guard let gate = request.command.gate else { return }
    let lease = GateLease(name: gate, origin: request.command.origin, caller: request.command.caller, ticket: request.ticket)
    gates.append(lease)
    emit(.gate(gate, origin: lease.origin, caller: lease.caller, isEnabled: false))
  }

  /// The screen that a request has opened, if it still is.
  private func opened(by request: Request, _ resolution: Resolution) -> ScreenID? {
    guard request.command.action.needsPresenter, case .done(let outcome) = resolution, let screen = outcome.screen else { return nil }
    return nodes.contains(screen) ? screen : nil
  }

  /// The request is over: its gate waits for the removal of what it has opened, or is free at once.
  mutating func settleGate(of request: Request, _ resolution: Resolution) {
    guard let index = gates.firstIndex(where: { $0.ticket == request.ticket }) else { return }
    if let screen = opened(by: request, resolution) {
      gates[index].screen = screen
    } else {
      freeGates { $0.ticket == request.ticket }
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
