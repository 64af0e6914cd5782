package import MinervaInterfaces
package import MinervaProtocol
import MinervaWire

/// Diff workers and those who need them.
extension BrokerStateMachine {
  /// A worker says how many jobs it wants.
  package mutating func offer(_ offer: DiffOffer, incarnation: UInt64, pid: Int32, now: Moment) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    if desk.join(offer.worker, incarnation: incarnation) {
      publish(ProcessEvent(change: .joined, node: offer.worker, kind: "diff", pid: pid), now: now, &actions)
    }
    return actions + translate(desk.offer(offer, incarnation: incarnation, at: now))
  }

  /// A caller wants a worker for a job.
  package mutating func lease(_ request: DiffLeaseRequest, token: CallToken, node: String, incarnation: UInt64, now: Moment)
    -> [BrokerAction]
  {
    count("diff.leases")
    return translate(desk.lease(request, token: token, caller: .init(name: node, incarnation: incarnation), at: now))
  }

  /// A caller is done with a job.
  package mutating func endLease(_ job: String, node: String, incarnation: UInt64, now: Moment) -> [BrokerAction] {
    translate(desk.end(job, of: .init(name: node, incarnation: incarnation), at: now))
  }

  /// A worker has been told that nobody waits for a job of it.
  package mutating func cancelled(_ lease: WorkerPoolStateMachine.Lease, now: Moment) -> [BrokerAction] {
    translate(desk.cancelled(lease, at: now))
  }

  /// A process is gone.
  mutating func lostWorker(_ node: String, incarnation: UInt64, reason: String, pid: Int32, now: Moment) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    if desk.leave(node, incarnation: incarnation) {
      publish(ProcessEvent(change: .lost, node: node, kind: "diff", pid: pid, reason: reason), now: now, &actions)
    }
    return actions + translate(desk.lost(node, incarnation: incarnation, at: now))
  }

  func translate(_ actions: [DiffDesk.Action]) -> [BrokerAction] {
    actions.map { action in
      switch action {
      case .grant(let token, let lease): .answer(token, .leased(lease))
      case .refuse(let token, let error): .answer(token, .refused(error))
      case .cancel(let name, let lease): .cancelJob(name, lease)
      }
    }
  }
}
