import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// A handler that takes its process down would be given the same message again for ever: it is refused in time.
///
/// A lost link is no death: the host may be back with the handler at work. So what was in hand is noted at the loss, and counted when
/// another life is to go on with it, whose making the refusal precedes.
extension BrokerStateMachine {
  /// In how many lives of a coordinator in a row the same message may be in hand when their host is lost.
  static let mostDeaths = 3

  /// Notes what the coordinators of a host had in hand when it was lost.
  ///
  /// Only what somebody asks for may be refused, and so answered; what a coordinator is told of its children is never dropped (N7).
  func noteInHand(of node: String, in name: String) {
    guard let slot = scenes[name] else { return }
    for report in slot.state.coordinators where report.summary.host == node && !report.isSuspended {
      let screen = report.summary.screen
      guard let message = slot.state.requestInHand(of: screen) else {
        slot.deaths[screen] = nil
        continue
      }
      let times = slot.deaths[screen].map { $0.message == message ? $0.times : 0 } ?? 0
      slot.deaths[screen] = Deaths(message: message, times: times, lostWith: node)
    }
  }

  /// Notes that coordinators are back with the life that was lost.
  func noteKept(_ screens: [ScreenID], in name: String) {
    for screen in screens { scenes[name]?.deaths[screen]?.lostWith = nil }
  }

  /// Counts the lives that are over for good since others take their screens, and says what those are not to be given again.
  mutating func noteDeaths(of screens: [ScreenID], in name: String) -> [HostReturn.InHand]? {
    guard let slot = scenes[name] else { return nil }
    var refused: [HostReturn.InHand] = []
    for screen in screens {
      guard var deaths = slot.deaths[screen], let node = deaths.lostWith, let report = slot.state.screen(screen) else { continue }
      deaths.lostWith = nil
      deaths.times += 1
      let isOver = deaths.times >= Self.mostDeaths
      slot.deaths[screen] = isOver ? nil : deaths
      guard isOver, slot.state.requestInHand(of: screen) == deaths.message else { continue }
      count("messages.poisonous")
      let refusal = Refusal(
        code: MinervaError.Code.appCrashed.rawValue,
        message: "\(node) was lost \(deaths.times) times while \(screen) \(report.module.name) had this in hand; see its log")
      refused.append(HostReturn.InHand(screen: screen, message: deaths.message, refusal: refusal))
    }
    return refused.isEmpty ? nil : refused
  }
}

/// How often the host of a coordinator was lost while the same message was in hand.
struct Deaths {
  let message: UInt32
  var times: Int
  /// The host whose last loss is not counted yet: it may be back.
  var lostWith: String?
}
