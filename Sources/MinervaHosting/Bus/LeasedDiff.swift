import Minerva
package import MinervaActors
package import MinervaInterfaces
import MinervaWire
import Synchronization

/// Computes change sets on diff workers, which keep a list between two changes of it; without a worker this process computes.
///
/// A worker that dies gives the job back; after the third the job is not given out again.
package final class LeasedDiff: DiffComputing {
  private let differ: DiffClient
  private let hold: DiffHold?
  private let here = InProcessDiff()
  /// The lists that were changed last, oldest first.
  private let lists = Mutex<(byName: [String: DiffedList], order: [String])>(([:], []))

  /// How many lists are remembered: the worker has room for as many, and a forgotten one is only sent whole again.
  private static let remembered = 512

  package init(bus: BusSystem, gateway: $BrokerGateway, hold: DiffHold? = nil) {
    differ = DiffClient(bus, leasing: GatewayLeasing(gateway: gateway))
    self.hold = hold
  }

  package func changes(from old: DiffRows, to new: DiffRows, list: String) async throws -> ComputedChanges {
    var options = DiffOptions(deadline: .seconds(30))
    options.hold = hold?.milliseconds(rows: old.count + new.count) ?? 0
    do {
      let result = try await self.list(list).changes(from: old, to: new, options)
      return ComputedChanges(changes: result.changes, counts: try ChangeCounts(decoding: result.changes), computedBy: result.worker)
    } catch let error as MinervaError where error.code == .diffSuperseded || error.code == .cancelled {
      throw error
    } catch {
      return try await here.changes(from: old, to: new, list: list)
    }
  }

  private func list(_ name: String) -> DiffedList {
    lists.withLock { lists in
      if let known = lists.byName[name] {
        if lists.order.last != name {
          lists.order.removeAll { $0 == name }
          lists.order.append(name)
        }
        return known
      }
      let list = differ.list(name)
      lists.byName[name] = list
      lists.order.append(name)
      if lists.order.count > Self.remembered { lists.byName[lists.order.removeFirst()] = nil }
      return list
    }
  }
}

/// Leases straight from a gateway: a host that has no broker, or no worker soon, computes by itself.
private struct GatewayLeasing: DiffLeasing {
  let gateway: $BrokerGateway

  func lease(_ request: DiffLeaseRequest, within time: Duration) async throws -> DiffLease {
    try await BusSystem.$deadline.withValue(min(time, .seconds(2))) { try await gateway.lease(request) }
  }

  func endLease(job: String) async throws { try await gateway.endLease(job: job) }
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
    count >= rows ? Int(clamping: duration.milliseconds) : 0
  }
}
