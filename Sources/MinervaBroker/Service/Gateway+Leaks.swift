import Distributed
import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaWire

/// Looking for leaks (K4).
extension Gateway {
  /// How long a host may take to say what it holds, and how long what is over has to end by itself.
  private static let patience: (host: Duration, end: Duration) = (.milliseconds(700), .milliseconds(500))

  /// Asks the hosts twice: a leak is what is there both times.
  func findLeaks(in scene: String?) async throws -> LeakReport {
    let first = try await survey(scene)
    guard !first.leaks.isEmpty else { return first }
    try? await ContinuousClock().sleep(for: Self.patience.end)
    let second = try await survey(scene)
    return LeakReport(
      leaks: second.leaks.filter { leak in first.leaks.contains { $0.isSame(as: leak) } },
      unanswered: Set(first.unanswered + second.unanswered).sorted())
  }

  private func survey(_ scene: String?) async throws -> LeakReport {
    let hosts = machine.hostsToInspect
    var inspections: [String: HostInspection] = [:]
    await withTaskGroup(of: (String, HostInspection?).self) { group in
      for host in hosts {
        guard let endpoint = try? endpoint(of: host) else { continue }
        group.addTask {
          (host, try? await BusSystem.$deadline.withValue(Self.patience.host) { try await endpoint.inspect(scene) })
        }
      }
      for await (host, inspection) in group { inspections[host] = inspection }
    }
    // Scenes that are not in memory are compared with what hosts hold when they are; of very many, some.
    for name in machine.asleep(of: inspections, in: scene).prefix(1_000) {
      do { _ = try await reply { $0.wake(name, token: $1, now: $2) } } catch  where scene == nil { continue }
    }
    // A host that was lost meanwhile has its lease; it is not one that keeps silent.
    let there = machine.hostsToInspect
    let silent = hosts.filter { inspections[$0] == nil && there.contains($0) }
    let leaks = machine.leaks(in: scene, by: inspections) { mayTouch($0.name, app: $0.app) }
    return LeakReport(leaks: leaks, unanswered: silent)
  }
}
