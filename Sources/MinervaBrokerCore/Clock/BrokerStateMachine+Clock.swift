package import MinervaInterfaces
import MinervaNavigation
package import MinervaProtocol
package import MinervaWire

/// A clock that stands still until somebody lets it go on (D3).
///
/// Whoever runs the machine passes the time in, so a virtual clock needs nothing but a rule for its next moment: where something is due,
/// and only while nothing is under way that needs no time.
extension BrokerStateMachine {
  /// Lets a virtual clock go on by one step and does what is due then.
  ///
  /// - Returns: The moment that the clock shows now, what the asker is told, and what there is to do.
  /// - Throws: `scene.ended` when there is no such scene.
  package mutating func advance(_ step: ClockStep, now: Moment) throws(MinervaError) -> (
    moment: Moment, reading: ClockReading, actions: [BrokerAction]
  ) {
    guard let slot = scenes[step.scene.name] else { throw .sceneEnded(step.scene.name) }
    func stays(_ verdict: ClockReading.Verdict) -> (Moment, ClockReading, [BrokerAction]) {
      (now, ClockReading(at: Int64(slot.time(now).milliseconds), verdict: verdict), [])
    }
    guard step.event == slot.events else { return stays(.behind) }
    if let txn = step.txn, !slot.waiters.hasAnyone(forAnswerTo: txn) { return stays(.answered) }
    guard step.isForced || isAtRest(lostHostsAside: step.passesLeases) else { return stays(.busy) }
    func moment(of time: Int64) -> Moment { slot.moment(of: SceneTime(milliseconds: UInt64(max(0, time)))) }
    guard let due = [nextAlarm, step.due.map(moment)].compactMap({ $0 }).min() else { return stays(.rests) }
    let next = max(now, due)
    if let bound = step.bound, moment(of: bound) < next { return stays(.rests) }
    count("clock.steps")
    let actions = alarm(now: next)
    return (next, ClockReading(at: Int64(slot.time(next).milliseconds), verdict: .moved), actions)
  }

  /// Whether nothing happens before time passes or somebody asks for something.
  ///
  /// - Parameter lostHostsAside: Whether hosts that may come back, and what waits for them, are not waited for.
  package func isAtRest(lostHostsAside: Bool) -> Bool {
    guard isServing, held.isDurable, journeys.isEmpty, !dormant.isLoading,
      !hosts.isJoining, registry.hosts.values.allSatisfy({ !$0.isAlive || $0.isGreeted })
    else { return false }
    if !lostHostsAside {
      guard duePlans.isEmpty, hosts.expectsNobody, scenes.values.allSatisfy({ $0.links.parked.isEmpty }) else { return false }
    }
    return scenes.values.allSatisfy { slot in
      slot.announced.isEmpty && !slot.links.isUnderWay && !slot.waiters.isUnderWay
        && slot.state.waitsForTime(lostHostsAside: lostHostsAside)
    }
  }
}
