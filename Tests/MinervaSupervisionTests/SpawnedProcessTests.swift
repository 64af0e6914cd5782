import Glibc
import MinervaSupervision
import MinervaWire
import Synchronization
import Testing

@Suite("Child processes (starts processes)") struct SpawnedProcessTests {
  private let runtime: RuntimeDirectory

  init() throws { runtime = try RuntimeDirectory.makePrivate(prefix: "minerva-test") }

  private func shell(_ script: String, name: String = "child", output: ProcessSpecification.Output = .log) -> ProcessSpecification {
    ProcessSpecification(name: name, kind: "test", executable: "/bin/sh", arguments: ["-c", script], output: output)
  }

  private func log(_ name: String = "child") -> String {
    let descriptor = open(runtime.logPath(name), O_RDONLY)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }

  @Test("Status, signal and both streams of a child are seen; its log is private and appended to")
  func exitAndLog() throws {
    defer { runtime.remove() }
    let first = try SpawnedProcess.start(shell("echo out; echo err >&2; exit 7"), runtime: runtime)
    #expect(first.wait(atMost: .seconds(5)) == .status(7))
    #expect(first.poll() == .status(7), "the answer is kept")
    #expect(!first.signal(SIGTERM), "a reaped process gets no signal")
    let second = try SpawnedProcess.start(shell("kill -9 $$"), runtime: runtime)
    #expect(second.wait(atMost: .seconds(5)) == .signal(9))
    let third = try SpawnedProcess.start(shell("echo again"), runtime: runtime)
    #expect(third.wait(atMost: .seconds(5)) == .status(0))
    #expect(log() == "out\nerr\nagain\n")
    var status = stat()
    stat(runtime.logPath("child"), &status)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("A child gets no descriptor of ours, no blocked signal and its own variables")
  func cleanChild() throws {
    defer { runtime.remove() }
    let leak = open("/etc/passwd", O_RDONLY)
    defer { close(leak) }
    var specification = shell("ls /proc/self/fd | tr '\\n' ' '; echo; grep SigBlk /proc/self/status; echo $EXTRA")
    specification.environment["EXTRA"] = "yes"
    let child = try SpawnedProcess.start(specification, runtime: runtime)
    #expect(child.wait(atMost: .seconds(5)) == .status(0))
    let lines = log().split(separator: "\n").map(String.init)
    // 3 is the directory that ls itself reads.
    #expect(lines.first?.split(separator: " ") == ["0", "1", "2", "3"])
    #expect(lines.dropFirst().first?.hasSuffix("0000000000000000") == true)
    #expect(lines.last == "yes")
  }

  @Test("What can't be started says so at once, with the path")
  func missingExecutable() throws {
    defer { runtime.remove() }
    let missing = ProcessSpecification(name: "x", kind: "test", executable: "/nowhere/x", output: .discard)
    do throws(MinervaError) {
      _ = try SpawnedProcess.start(missing)
      Issue.record("started nothing")
    } catch {
      #expect(error.code == .processStart)
      #expect(error.message.contains("/nowhere/x"))
    }
  }

  @Test("C01: a child that ignores SIGTERM, or is stopped, ends within the grace")
  func stubborn() throws {
    defer { runtime.remove() }
    let stubborn = try SpawnedProcess.start(
      shell("trap '' TERM; echo ready; while true; do sleep 1; done"), runtime: runtime)
    #expect(eventually { log() == "ready\n" })
    #expect(stubborn.terminate(grace: .milliseconds(100)) == .signal(SIGKILL))

    let stopped = try SpawnedProcess.start(shell("exec sleep 60", output: .discard))
    stopped.signal(SIGSTOP)
    #expect(stopped.wait(atMost: .milliseconds(20)) == nil, "stopped is not ended")
    #expect(stopped.terminate(grace: .seconds(5)) == .signal(SIGTERM))
  }

  @Test("A dead supervisor's line reads as ended in the child")
  func parentLine() throws {
    defer { runtime.remove() }
    var line: ParentLine? = try ParentLine()
    let child = try SpawnedProcess.start(shell("echo $MINERVA_PARENT_FD; cat <&3; echo over"), runtime: runtime, parent: line)
    #expect(eventually { log() == "3\n" })
    #expect(child.poll() == nil)
    line = nil
    #expect(child.wait(atMost: .seconds(5)) == .status(0))
    #expect(log() == "3\nover\n")
  }

  @Test("A watch calls back once at the end of the line, and only a pipe can be one")
  func parentWatch() async throws {
    defer { runtime.remove() }
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let number = String(ends[0])
    let calls = Mutex(0)
    let watch = Mutex<ParentWatch?>(nil)
    await withCheckedContinuation { (gone: CheckedContinuation<Void, Never>) in
      let started = ParentWatch.start(environment: { _ in number }, grace: .seconds(3_600)) {
        calls.withLock { $0 += 1 }
        gone.resume()
      }
      #expect(started != nil)
      watch.withLock { $0 = started }
      close(ends[1])
    }
    #expect(calls.withLock { $0 } == 1)
    watch.withLock { $0?.cancel() }
    let file = open("/etc/passwd", O_RDONLY)
    defer { close(file) }
    #expect(ParentWatch.start(environment: { _ in String(file) }, whenGone: {}) == nil)
    #expect(ParentWatch.start(environment: { _ in "77777" }, whenGone: {}) == nil)
    #expect(ParentWatch.start(environment: { _ in "nonsense" }, whenGone: {}) == nil)
    #expect(ParentWatch.start(environment: { _ in nil }, whenGone: {}) == nil)
  }

  @Test("A sample of a process: memory, descriptors, age; none of one that is gone")
  func sample() throws {
    defer { runtime.remove() }
    let own = try #require(ProcessSample(pid: getpid()))
    #expect(own.residentBytes > 1 << 20)
    #expect(own.openDescriptors >= 3)
    #expect(own.threads >= 1)
    #expect(own.uptimeMilliseconds >= 0 && own.uptimeMilliseconds < 3_600_000)
    let child = try SpawnedProcess.start(shell("exit 0", output: .discard))
    _ = child.wait(atMost: .seconds(5))
    #expect(ProcessSample(pid: child.pid) == nil)
    #expect(!ProcessSample.isRunning(child.pid))
    #expect(ProcessSample.isRunning(getpid()))
  }
}

@Suite("Supervisor (starts processes)") struct ProcessSupervisorTests {
  private func sleeper(_ name: String, stage: Int = 0) -> ProcessSpecification {
    ProcessSpecification(name: name, kind: "test", executable: "/bin/sleep", arguments: ["60"], output: .discard, stage: stage)
  }

  private func with(
    _ settings: SupervisionStateMachine.Settings = .init(firstDelay: .milliseconds(5)),
    _ body: (ProcessSupervisor, Events) async throws -> Void
  ) async throws {
    let runtime = try RuntimeDirectory.makePrivate(prefix: "minerva-test")
    defer { runtime.remove() }
    let events = Events()
    let supervisor = try ProcessSupervisor(runtime: runtime, settings: settings) { event in events.append(event) }
    try await body(supervisor, events)
    await supervisor.stop()
    #expect(supervisor.statuses.allSatisfy { $0.pid == nil })
    for pid in events.pids { #expect(!ProcessSample.isRunning(pid), "left behind: \(pid)") }
  }

  final class Events: Sendable {
    private let all = Mutex<[SupervisionEvent]>([])
    func append(_ event: SupervisionEvent) { all.withLock { $0.append(event) } }
    var list: [SupervisionEvent] { all.withLock { $0 } }
    var pids: [Int32] { list.compactMap { if case .started(_, let pid, _) = $0 { pid } else { nil } } }
  }

  @Test("A killed process comes back as the next generation")
  func restarts() async throws {
    try await with { supervisor, _ in
      supervisor.add(sleeper("a"))
      for generation in 1...4 {
        #expect(eventually { supervisor.statuses.first?.generation == generation && supervisor.statuses.first?.phase == .running })
        let pid = try #require(supervisor.statuses.first?.pid)
        kill(pid, SIGKILL)
        #expect(eventually { supervisor.statuses.first?.pid != pid && supervisor.statuses.first?.phase == .running })
        #expect(supervisor.statuses.first?.lastExit == .signal(9))
      }
      #expect(supervisor.statuses.first?.restarts == 4)
      #expect(supervisor.statuses.first?.uptimeMilliseconds != nil)
    }
  }

  @Test("What always falls is given up; what can't be started too, with its reason")
  func givesUp() async throws {
    try await with(.init(firstDelay: .milliseconds(1), restartLimit: 2)) { supervisor, events in
      supervisor.add(ProcessSpecification(name: "false", kind: "test", executable: "/bin/false", output: .discard))
      supervisor.add(ProcessSpecification(name: "none", kind: "test", executable: "/nowhere", output: .discard))
      #expect(eventually { supervisor.statuses.map(\.phase) == [.gaveUp, .gaveUp] })
      #expect(supervisor.statuses.map(\.generation) == [3, 3])
      #expect(supervisor.statuses.last?.lastProblem?.contains("/nowhere") == true)
      #expect(events.list.contains(.gaveUp(name: "false", restarts: 2, seconds: 60)))
    }
  }

  @Test("C01: stop ends everything within its grace, also the stopped and the deaf, highest stage first")
  func stops() async throws {
    try await with(.init(grace: .milliseconds(200))) { supervisor, events in
      supervisor.add(sleeper("broker", stage: 0))
      supervisor.add(sleeper("host", stage: 2))
      supervisor.add(
        ProcessSpecification(
          name: "deaf", kind: "test", executable: "/bin/sh", arguments: ["-c", "trap '' TERM; while :; do sleep 1; done"],
          output: .discard, stage: 2))
      #expect(eventually { supervisor.statuses.filter { $0.phase == .running }.count == 3 })
      try supervisor.signal("host", SIGSTOP)
      await supervisor.stop()
      let ended = events.list.compactMap { event -> String? in
        if case .exited(let name, _, _, _, true) = event { name } else { nil }
      }
      #expect(ended.last == "broker")
      #expect(Set(ended) == ["broker", "host", "deaf"])
    }
  }

  @Test("Restart, stop and signal of a name that isn't there say which there are")
  func unknownName() async throws {
    try await with { supervisor, _ in
      supervisor.add(sleeper("a"))
      #expect(eventually { supervisor.statuses.first?.phase == .running })
      do throws(MinervaError) {
        try supervisor.restart("b")
        Issue.record("restarted nothing")
      } catch {
        #expect(error.code == .processUnknown)
        #expect(error.message.contains("there are: a"))
      }
      let pid = supervisor.statuses.first?.pid
      try supervisor.restart("a")
      #expect(eventually { supervisor.statuses.first?.generation == 2 && supervisor.statuses.first?.phase == .running })
      #expect(supervisor.statuses.first?.pid != pid)
      try supervisor.stop("a")
      #expect(eventually { supervisor.statuses.first?.phase == .stopped })
    }
  }

  @Test("A supervisor that is dropped without a stop leaves nothing behind")
  func dropped() async throws {
    let runtime = try RuntimeDirectory.makePrivate(prefix: "minerva-test")
    defer { runtime.remove() }
    let events = Events()
    var supervisor: ProcessSupervisor? = try ProcessSupervisor(runtime: runtime) { events.append($0) }
    supervisor?.add(sleeper("a"))
    #expect(eventually { !events.pids.isEmpty })
    supervisor = nil
    #expect(eventually { events.pids.allSatisfy { !ProcessSample.isRunning($0) } })
  }
}
