import CommandKit
import Glibc
import Minerva
import MinervaActors
package import MinervaInterfaces
package import MinervaSupervision
package import MinervaTransport
package import MinervaWire
import ShellKit
import ServiceKit

/// A set of processes that this process supervises: what `minerva up`, `run`, `demo` and a lonely `shell` start.
///
/// When `start` returns the broker answers and every host has joined; when `stop` returns every process has ended.
package final class RunningSet: SetControl {
  package let runtime: RuntimeDirectory
  package let plan: SetPlan
  private let supervisor: ProcessSupervisor
  private let lock: LockFile
  private let bus: BusSystem
  private let actor: SupervisorActor
  private let asked: AsyncStream<Void>

  private init(
    _ runtime: RuntimeDirectory, _ plan: SetPlan, _ supervisor: ProcessSupervisor, _ lock: LockFile, _ bus: BusSystem,
    _ actor: SupervisorActor, _ asked: AsyncStream<Void>
  ) {
    self.runtime = runtime
    self.plan = plan
    self.supervisor = supervisor
    self.lock = lock
    self.bus = bus
    self.actor = actor
    self.asked = asked
  }

  /// Starts the processes and waits until they serve.
  ///
  /// What a killed supervisor left in the directory is cleared away before; `onLeftovers` hears of it.
  ///
  /// - Throws: `bus.endpoint_taken` when another supervisor lives in the directory; `process.start` when one does not come up in time, with
  ///   the place of its log.
  package static func start(
    _ plan: SetPlan, in runtime: RuntimeDirectory, patience: Duration = .seconds(20),
    onEvent: @escaping @Sendable (SupervisionEvent) -> Void = { _ in }, onLeftovers: (Leftovers) -> Void = { _ in }
  ) async throws(MinervaError) -> RunningSet {
    let executables = try Self.executables()
    let specifications = plan.specifications(runtime: runtime, executables: executables)
    try runtime.prepare(for: ["supervisor"] + specifications.map(\.name))
    let lock = try LockFile.acquire(runtime.lockPath("supervisor"))
    do {
      let leftovers = await Leftovers.clear(in: runtime, under: lock)
      if !leftovers.isEmpty { onLeftovers(leftovers) }
      let path = try runtime.socketPath("supervisor")
      try lock.clearSocket(at: path)
      var settings = SupervisionStateMachine.Settings()
      if plan.restartsWithoutLimit { (settings.restartLimit, settings.longestDelay) = (.max, .milliseconds(200)) }
      let supervisor = try ProcessSupervisor(runtime: runtime, settings: settings, onEvent: onEvent)
      let interfaces = try await FixedInterfaces.learn()
      let bus = BusSystem(
        BusSettings(node: "supervisor", kind: "supervisor", version: ProductVersion.text, interfaces: interfaces.catalogue))
      let (asked, wish) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
      let actor = BusSystem.named(WellKnown.supervisor) {
        SupervisorActor(actorSystem: bus, supervisor: supervisor) { wish.yield() }
      }
      try await bus.expose(actor, as: interfaces.supervisor)
      _ = try await bus.listen(on: .ipc(path: path))
      let set = RunningSet(runtime, plan, supervisor, lock, bus, actor, asked)
      for specification in specifications { supervisor.add(specification) }
      do {
        try await set.waitUntilServing(within: patience)
      } catch {
        // Who cancelled the start still waits for its end.
        await Task { await set.stop() }.value
        throw error
      }
      return set
    } catch {
      lock.release()
      throw Session.stated(error)
    }
  }

  /// Starts the processes, unless a signal comes first.
  ///
  /// - Parameters:
  ///   - signals: Those that end the command; taken before anything was made that must be cleared away.
  ///   - isEnd: Which of them end it; the others are left to whoever asks next.
  /// - Throws: `ExitCode.interrupted` when a signal came; every process has ended then.
  package static func start(
    _ plan: SetPlan, in runtime: RuntimeDirectory, unless signals: TerminationSignals,
    isEnd: @escaping @Sendable (TerminationSignals.Signal) -> Bool = { _ in true },
    onEvent: @escaping @Sendable (SupervisionEvent) -> Void = { _ in }, onLeftovers: @escaping @Sendable (Leftovers) -> Void = { _ in }
  ) async throws -> RunningSet {
    let task = Task { try await start(plan, in: runtime, onEvent: onEvent, onLeftovers: onLeftovers) }
    signals.onSignal { if isEnd($0) { task.cancel() } }
    let started = await task.result
    guard task.isCancelled else { return try started.get() }
    if case .success(let set) = started { await set.stop() }
    throw ExitCode.interrupted
  }

  /// The directory of our own executable, where those of the services are.
  package static func executables() throws(MinervaError) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { throw MinervaError(.processStart, "cannot find the program's own directory") }
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// Where the broker of this set is reached.
  package var endpoint: Endpoint { get throws(MinervaError) { .ipc(path: try runtime.socketPath("broker")) } }

  /// Waits until the broker answers and as many hosts as planned have joined.
  private func waitUntilServing(within patience: Duration) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + patience
    let client = try await connected(until: deadline)
    defer { Task { await client.close(grace: .zero) } }
    let expected = supervisor.statuses.filter { $0.kind != "broker" }.map(\.name)
    // A host that is connected may still be making its modules; a store has none.
    let offering = supervisor.statuses.filter { $0.kind == "host" && !$0.name.hasPrefix("store-") }.map(\.name)
    while true {
      let joined = (try? await client.status(within: .seconds(1)))?.peers.map(\.node) ?? []
      let offers = Set((try? await client.modules())?.flatMap(\.hosts) ?? [])
      let missing = expected.filter { !joined.contains($0) || offering.contains($0) && !offers.contains($0) }
      if missing.isEmpty { return }
      try requireAllTried()
      guard clock.now < deadline else {
        let logs = missing.map { runtime.logPath($0) }.joined(separator: ", ")
        throw MinervaError(.processStart, "\(missing.joined(separator: ", ")) did not join within \(patience); see \(logs)")
      }
      try await clock.sleep(for: .milliseconds(20))
    }
  }

  /// Connects to the broker once it listens.
  ///
  /// - Throws: What the broker answered, at once, when it will not answer anything else: `bus.unsupported` of one of another build.
  private func connected(until deadline: ContinuousClock.Instant) async throws -> Client {
    let clock = ContinuousClock()
    while true {
      try requireAllTried()
      do {
        return try await Client.connect(to: endpoint, name: "supervisor", version: ProductVersion.text, patience: .seconds(1))
      } catch {
        try Task.checkCancellation()
        let isPassing = [.unreachable, .peerLost, .deadline, .closed, .backpressure].contains(Session.stated(error).code)
        guard isPassing, clock.now < deadline else { throw error }
        try await clock.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Requires that none of them falls again and again: before anything was served, five times are enough.
  ///
  /// - Throws: `process.start` with the last that such a process said.
  private func requireAllTried() throws(MinervaError) {
    let falls = supervisor.statuses.first { $0.phase == .gaveUp || $0.restarts >= 5 && !plan.restartsWithoutLimit }
    guard let falls else { return }
    let path = runtime.logPath(falls.name)
    let words = [falls.lastExit.map { "\($0)" } ?? falls.lastProblem, ProcessLog.lastWords(at: path)].compactMap { $0 }
    throw MinervaError(.processStart, "\(falls.name) falls at every start, \(words.joined(separator: ": ")); its log is \(path)")
  }

  package func processes() async throws -> [ProcessReport] { SupervisorActor.reports(supervisor.statuses) }

  package func signal(_ process: String, _ number: Int32) async throws { try supervisor.signal(process, number) }

  /// Has the broker read its list of keys again; one that is being restarted reads it anyway.
  package func reloadKeys() throws(MinervaError) { try runtime.hangUp("broker") }

  /// Returns when somebody asked the supervisor to stop (`minerva down`).
  package func untilAskedToStop() async { for await _ in asked { return } }

  /// Ends every process and the supervisor's own endpoint.
  package func stop() async {
    await supervisor.stop()
    await bus.close(grace: .milliseconds(200))
    lock.release()
  }
}
