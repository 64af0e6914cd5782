import Distributed
import MinervaBrokerCore
import MinervaInterfaces
import MinervaWire

extension Gateway {
  /// Lets the virtual clock go on by one step, and does what is due then (D3).
  func letTimePass(_ step: ClockStep) async throws -> ClockReading {
    guard virtualTime != nil else {
      throw MinervaError(
        .clockReal, "this set runs on the machine's clock; a flow with clock virtual, or minerva up --virtual, starts one that does not")
    }
    try await own(step.scene.name)
    if machine.dormant[step.scene.name] != nil { _ = try await reply { $0.wake(step.scene.name, token: $1, now: $2) } }
    let (moment, reading, actions) = try machine.advance(step, now: now)
    virtualTime = moment
    perform(actions)
    return reading
  }
}
