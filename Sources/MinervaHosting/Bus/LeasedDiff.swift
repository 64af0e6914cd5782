package import MinervaActors
package import MinervaInterfaces
import MinervaTransport
import MinervaWire
import Synchronization

/// Computes change sets on diff workers: it leases one from the broker and sends it the lists directly; without a worker this process
/// computes.
///
/// A worker that dies gives the job back; the broker counts, and after the third the job is not given out again.
package final class LeasedDiff: DiffComputing {
  private let bus: BusSystem
  private let gateway: $BrokerGateway
  private let node: String
  private let hold: DiffHold?
  private let here = InProcessDiff()
  private let lastJob = Mutex(0)

  package init(bus: BusSystem, gateway: $BrokerGateway, node: String, hold: DiffHold? = nil) {
    self.bus = bus
    self.gateway = gateway
    self.node = node
    self.hold = hold
  }

  package func changes(from old: DiffRows, to new: DiffRows, list: String) async throws -> ComputedChanges {
    let number = lastJob.withLock { last in
      last += 1
      return last
    }
    let rows = old.count + new.count
    let job = DiffJob(id: "\(node)-\(bus.incarnation)-\(number)", old: old, new: new, hold: hold?.milliseconds(rows: rows) ?? 0)
    do {
      return try await leased(job, rows: rows, list: list)
    } catch let error as MinervaError where error.code == .diffSuperseded || error.code == .cancelled {
      throw error
    } catch {
      return try await here.changes(from: old, to: new, list: list)
    }
  }

  private func leased(_ job: DiffJob, rows: Int, list: String) async throws -> ComputedChanges {
    var costs: [DiffLoss] = []
    var job = job
    while true {
      let request = DiffLeaseRequest(job: job.id, rows: rows, list: list, costs: costs)
      let lease = try await BusSystem.$deadline.withValue(.seconds(2)) { try await gateway.lease(request) }
      job.life = lease.life
      let sent = job
      do {
        await bus.route(node: lease.worker, to: try Endpoint(lease.endpoint))
        let worker = try $DiffWorker.resolve(id: ActorAddress(node: lease.worker, name: WellKnown.worker), using: bus)
        let answer = try await BusSystem.$carriesLists.withValue(true) {
          try await BusSystem.$deadline.withValue(.seconds(30)) { try await worker.diff(sent) }
        }
        try? await gateway.endLease(job: job.id)
        return ComputedChanges(
          changes: answer.changes, counts: try ChangeCounts(decoding: answer.changes), computedBy: answer.worker)
      } catch let error as MinervaError where error.code == .peerLost || error.code == .unreachable {
        costs.append(lease.loss)
      } catch {
        try? await gateway.endLease(job: job.id)
        throw error
      }
    }
  }
}

/// A wish that workers take their time with long lists, so that a test or a demonstration can see one at work.
public struct DiffHold: Hashable, Sendable {
  /// From how many rows on, old and new together.
  public var rows: Int
  /// How long a worker takes at least.
  public var duration: Duration

  public init(rows: Int, duration: Duration) {
    self.rows = rows
    self.duration = duration
  }

  func milliseconds(rows count: Int) -> Int {
    count >= rows ? Int(duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000) : 0
  }
}
