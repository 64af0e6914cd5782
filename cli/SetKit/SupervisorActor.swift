import Distributed
import MinervaActors
import MinervaInterfaces
import MinervaSupervision

/// The supervisor as other processes call it.
distributed actor SupervisorActor: Supervisor {
  typealias ActorSystem = BusSystem

  private let supervisor: ProcessSupervisor
  private let onStop: @Sendable () -> Void

  init(actorSystem: BusSystem, supervisor: ProcessSupervisor, onStop: @escaping @Sendable () -> Void) {
    self.actorSystem = actorSystem
    self.supervisor = supervisor
    self.onStop = onStop
  }

  distributed func processes() async throws -> [ProcessReport] { Self.reports(supervisor.statuses) }

  distributed func signal(_ process: String, number: Int32) async throws { try supervisor.signal(process, number) }

  distributed func stop() async throws { onStop() }

  /// What crosses processes of each status.
  static func reports(_ statuses: [ProcessStatus]) -> [ProcessReport] {
    statuses.map { status in
      let sample = status.pid.flatMap { ProcessSample(pid: $0) }
      return ProcessReport(
        name: status.name, kind: status.kind, pid: status.pid, generation: status.generation, restarts: status.restarts,
        state: status.phase.rawValue, uptime: Int(status.uptimeMilliseconds ?? 0), memory: sample?.residentBytes ?? 0,
        lastExit: status.lastExit.map { "\($0)" } ?? status.lastProblem)
    }
  }
}
