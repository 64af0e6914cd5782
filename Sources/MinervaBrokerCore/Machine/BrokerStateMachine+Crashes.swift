import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// A handler that takes its process down would be given the same message again for ever: it is refused in time.
extension BrokerStateMachine {
  /// How often a host may be lost while a coordinator has the same message in hand.
  static let mostDeaths = 3

  /// Notes what the coordinators of a host had in hand when it was lost, and refuses what it was lost over too often, as their handlers
  /// would have.
  ///
  /// Only what somebody asks for is refused, and so answered; what a coordinator is told of its children is never dropped (N7).
  mutating func noteDeath(of node: String, in name: String, now: Moment, _ actions: inout [BrokerAction]) {
    guard let slot = scenes[name] else { return }
    for report in slot.state.coordinators where report.summary.host == node && !report.isSuspended {
      let screen = report.summary.screen
      guard let message = slot.state.requestInHand(of: screen) else {
        slot.deaths[screen] = nil
        continue
      }
      let times = slot.deaths[screen].map { $0.message == message ? $0.times + 1 : 1 } ?? 1
      guard times >= Self.mostDeaths else {
        slot.deaths[screen] = (message, times)
        continue
      }
      slot.deaths[screen] = nil
      count("messages.poisonous")
      let refusal = Refusal(
        code: MinervaError.Code.appCrashed.rawValue,
        message: "\(node) died \(times) times while \(screen) \(report.module.name) had this in hand; see its log")
      let turn = TurnReport(screen: screen, lease: report.lease, number: report.turns + 1, handled: message, reply: .refused(refusal))
      feed(.turn(turn), to: name, now: now, &actions)
    }
  }
}
