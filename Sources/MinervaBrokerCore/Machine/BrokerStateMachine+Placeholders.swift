import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol

/// Placeholders whose hosts are there, but were too slow (P2).
extension BrokerStateMachine {
  /// How often a host is asked again for what it did not make in time; each time it has as long as before, and its next life begins anew.
  static let mostAskedAgain = 5

  /// A host that was to make a coordinator again has answered, or its call is over. If it came too late the screen is a placeholder by now,
  /// and nothing but this says that a living host offers it.
  mutating func askAgain(_ order: ResumeOrder, at host: String, now: Moment, _ actions: inout [BrokerAction]) {
    let screen = order.resumption.screen
    guard let slot = scenes[order.scene.name], slot.identity == order.scene, let report = slot.state.screen(screen) else { return }
    guard report.isUnclaimed else {
      if !report.isSuspended { slot.askedAgain[screen] = nil }
      return
    }
    guard let entry = registry.hosts[host], entry.isAlive, slot.askedAgain[screen, default: 0] < Self.mostAskedAgain else { return }
    slot.askedAgain[screen, default: 0] += 1
    takeOver(order.scene.name, by: entry.registration, now: now, &actions)
  }
}
