import Foundation
import Glibc
import MinervaTesting
import Testing

/// What an operator asks of a set that serves: `status`, `doctor` and `logs`, as text and as JSON.
@Suite("Real processes and what an operator asks of them", .serialized, .oneAtATime, .timeLimit(.minutes(2)))
struct OperationsTests {
  /// A line of `status --json` that is a process.
  private struct Process: Decodable {
    var name: String
    var kind: String
    var pid: Int32?
    var generation: Int?
    var state: String
    var uptime_ms: Int?
    var memory: Int?
    var restarts: Int?
    var heartbeat_age_ms: Int?
    var version: String?
    var endpoint: String?
    var last_exit: String?
  }

  /// Its last line.
  private struct Broker: Decodable {
    var broker: String
    var epoch: UInt64
    var scenes: Int
    var records: Int
    var connections: Int
    var endpoints: [String]
    var pool: [String: Int]
    var counters: [String: Int]
    var troubles: [String]
  }

  private struct Finding: Decodable {
    var what: String
    var good: Bool
    var text: String
  }

  private struct LogLine: Decodable, Equatable {
    var process: String
    var time: String?
    var line: String
  }

  private func minerva(_ set: ProcessSet, _ words: String...) throws -> ProcessSet.Once {
    try ProcessSet.Once.run("minerva", words + ["--runtime", set.directory])
  }

  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  private func decoded<Value: Decodable>(_ text: String) throws -> [Value] {
    try lines(text).map { try JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
  }

  private func status(_ set: ProcessSet) throws -> (processes: [String: Process], broker: Broker)? {
    let run = try minerva(set, "status", "--json")
    guard run.status == 0, let last = lines(run.output).last else { return nil }
    let broker = try JSONDecoder().decode(Broker.self, from: Data(last.utf8))
    let processes: [Process] = try decoded(lines(run.output).dropLast().joined(separator: "\n"))
    return (Dictionary(processes.map { ($0.name, $0) }) { first, _ in first }, broker)
  }

  /// Starts a shop and waits until its host and its worker are connected.
  private func up(_ set: ProcessSet) async throws -> (processes: [String: Process], broker: Broker) {
    try set.startCommand("up", "minerva", ["up", "--app", "shop", "--diff-workers", "1", "--runtime", set.directory])
    #expect(await set.wait(atMost: .seconds(30)) { set.log(of: "up").contains("serving in") }, "\(set.log(of: "up"))")
    var found: (processes: [String: Process], broker: Broker)?
    _ = try await set.wait {
      found = try status(set)
      return ["diff-1", "shop-1"].allSatisfy { found?.processes[$0]?.heartbeat_age_ms != nil }
    }
    return try #require(found)
  }

  private func down(_ set: ProcessSet) throws {
    #expect(try minerva(set, "down").status == 0)
    #expect(set.exit(of: "up") == 0)
  }

  @Test("Processes: status shows each process's pid, generation, version, endpoint, uptime, memory and heartbeat, and a restart in them")
  func statusOfALiveSet() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (processes, broker) = try await up(set)
    #expect(processes.filter { $0.value.state == "running" }.keys.sorted() == ["broker", "diff-1", "shop-1"])
    let version = try #require(processes["broker"]?.version)
    #expect(try ProcessSet.Once.run("minerva", ["--version"]).output.contains(version))
    for (name, kind) in [("broker", "broker"), ("diff-1", "diff"), ("shop-1", "host")] {
      let process = try #require(processes[name])
      #expect((process.kind, process.state, process.version) == (kind, "running", version), "\(name)")
      #expect((process.generation, process.restarts, process.last_exit) == (1, 0, nil), "\(name)")
      let pid = try #require(process.pid)
      #expect(kill(pid, 0) == 0, "\(name)")
      #expect(RuntimeFiles.text("/proc/\(pid)/cmdline").contains(set.directory), "\(name)")
      #expect((process.uptime_ms ?? -1) >= 0 && (process.uptime_ms ?? .max) < 120_000, "\(name)")
      #expect((process.memory ?? 0) > 1 << 20, "\(name)")
      #expect(process.endpoint == "ipc://\(set.directory)/\(name).sock", "\(name)")
      // The broker is who counts the heartbeats of the others.
      #expect((process.heartbeat_age_ms != nil) == (name != "broker"), "\(name)")
    }
    #expect(broker.broker == "broker")
    #expect(broker.endpoints.first == processes["broker"]?.endpoint)
    #expect(broker.connections >= 3, "a host, a worker and who asks")
    #expect(broker.pool == ["workers": 1, "waiting": 0, "running": 0, "poisoned": 0])
    #expect((broker.counters["calls.served"] ?? 0) > 0 && (broker.counters["frames.received"] ?? 0) > 0)
    #expect(broker.troubles == [])

    let text = lines(try minerva(set, "status").output)
    let columns = text.first?.split(separator: " ").map(String.init)
    #expect(
      columns == ["name", "kind", "pid", "gen", "state", "uptime", "memory", "beat", "last", "exit"], "\(text)")
    for (name, process) in processes where process.state == "running" {
      let row = text.first { $0.hasPrefix(name) }?.split(separator: " ").map(String.init) ?? []
      #expect(row.contains("\(process.pid ?? 0)") && row.last == "-", "\(text)")
    }
    #expect(text.contains("version \(version), each serves at ipc://\(set.directory)/NAME.sock"), "\(text)")
    #expect(text.contains { $0.hasPrefix("scenes ") && $0.contains("connections ") })

    let first = try #require(processes["shop-1"]?.pid)
    kill(first, SIGKILL)
    var after: [String: Process] = [:]
    _ = try await set.wait {
      after = try status(set)?.processes ?? [:]
      return after["shop-1"]?.generation == 2 && after["shop-1"]?.heartbeat_age_ms != nil
    }
    let host = try #require(after["shop-1"])
    #expect((host.generation, host.restarts, host.state) == (2, 1, "running"))
    #expect(host.pid != first)
    #expect(host.last_exit?.contains("9") == true, "\(host.last_exit ?? "none")")
    #expect((after["diff-1"]?.generation, after["diff-1"]?.pid) == (1, processes["diff-1"]?.pid))
    // A broker that is being restarted is waited for by whoever asks it for something.
    for _ in 0..<3 {
      kill(try #require(try status(set)?.processes["broker"]?.pid), SIGKILL)
      let asked = try minerva(set, "stack")
      #expect(asked.status == 0 && asked.output.hasPrefix("main ["), "\(asked.output)\(asked.errors)")
    }
    try down(set)
    #expect(try minerva(set, "status").status == 3)
  }

  @Test(
    "Processes: doctor finds a sound set sound, and a directory that others may enter a fault; logs give the last lines of each process")
  func doctorAndLogs() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (processes, _) = try await up(set)
    let sound = try minerva(set, "doctor", "--json")
    let findings: [Finding] = try decoded(sound.output)
    #expect(sound.status == 0, "\(sound.output)")
    #expect(
      findings.map(\.what) == [
        "version", "runtime", "directory", "sockets", "programs", "endpoint", "supervisor", "broker", "reach", "journal", "output",
      ])
    #expect(findings.allSatisfy { $0.good })
    func found(_ what: String, in findings: [Finding]) -> String { findings.first { $0.what == what }?.text ?? "" }
    #expect(found("runtime", in: findings) == "\(set.directory) (from --runtime)")
    #expect(found("supervisor", in: findings) == "3 processes run")
    #expect(found("broker", in: findings).contains("pid \(processes["broker"]?.pid ?? 0)"))
    #expect(found("reach", in: findings).contains("diff-1") && found("reach", in: findings).contains("shop-1"))
    let text = try minerva(set, "doctor")
    #expect(lines(text.output).count == findings.count && lines(text.output).allSatisfy { $0.hasPrefix("ok ") }, "\(text.output)")

    let all = try minerva(set, "logs")
    #expect(all.status == 0)
    // HH:MM:SS.mmm, the name, what it says; the story of the set in the order in which it happened.
    let clocks = lines(all.output).filter { !$0.hasPrefix(" ") && !$0.contains("  up  ") }.map { $0.prefix(12) }
    #expect(clocks == clocks.sorted() && clocks.count >= 6, "\(all.output)")
    for name in ["broker", "diff-1", "shop-1"] {
      #expect(lines(all.output).contains { $0.dropFirst(14).hasPrefix(name) && $0.contains("  started, pid ") }, "\(all.output)")
    }
    let last = try #require(lines(set.log(of: "shop-1")).last)
    let one: [LogLine] = try decoded(try minerva(set, "logs", "shop-1", "--lines", "1", "--json").output)
    #expect(one.count == 1 && one.first?.process == "shop-1", "\(one)")
    #expect(one.first.map { "\($0.time ?? "") \($0.line)" } == last, "\(one)")
    #expect(lines(try minerva(set, "logs", "shop-1", "--lines", "1").output).count == 1)
    let unknown = try minerva(set, "logs", "shop-2")
    #expect(unknown.status == 1)
    #expect(unknown.errors.contains("process.unknown") && unknown.errors.contains("did you mean"), "\(unknown.errors)")

    chmod(set.directory, 0o755)
    let open = try minerva(set, "doctor")
    chmod(set.directory, 0o700)
    #expect(open.status == 1)
    let fault = lines(open.output).first { $0.hasPrefix("FAIL directory") }
    #expect(fault?.contains("chmod") == true, "\(open.output)")
    try down(set)
    let without = try minerva(set, "doctor", "--json")
    #expect(without.status == 0, "nothing runs, and nothing is wrong")
    #expect(found("broker", in: try decoded(without.output)) == "none is running")
  }

  @Test("Processes: demo --list names the demo, as text and as JSON")
  func demos() throws {
    let text = try ProcessSet.Once.run("minerva", ["demo", "--list"])
    #expect(text.status == 0)
    #expect(text.output.hasPrefix("workouts  ") && lines(text.output).count == 1, "\(text.output)")
    let json = try ProcessSet.Once.run("minerva", ["demo", "--list", "--json"])
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: String]
    #expect(object?.keys.sorted() == ["demo", "title"])
    #expect(object?["demo"] == "workouts")
  }

  @Test("Processes: help names commands as well as verbs, and a command's own page is the same")
  func helpOfCommands() throws {
    for words in [["up"], ["bench", "diff"], ["doctor"]] {
      let help = try ProcessSet.Once.run("minerva", ["help"] + words)
      let page = try ProcessSet.Once.run("minerva", words + ["--help"])
      #expect(help.status == 0 && help.output == page.output, "\(words)")
    }
    #expect(try ProcessSet.Once.run("minerva", ["help", "open"]).output.hasPrefix("Opens a module on the tree."))
    #expect(try ProcessSet.Once.run("minerva", ["help", "upp"]).status == 2)
    // Without a name: commands and everyday verbs on one screen.
    let front = lines(try ProcessSet.Once.run("minerva", ["help"]).output)
    for name in ["up", "down", "demo", "run", "diff", "shell", "status", "open", "expect"] {
      #expect(front.contains { $0.hasPrefix(name + " ") }, "\(name)")
    }
    #expect(front.count <= 24 && front.allSatisfy { $0.count <= 80 }, "\(front)")
    #expect(front.contains { $0.hasPrefix("also ") && $0.contains(" doctor ") && $0.contains(" keys ") })
    let all = lines(try ProcessSet.Once.run("minerva", ["help", "all"]).output)
    for name in ["up", "doctor", "go", "fork"] { #expect(all.contains { $0.hasPrefix("  \(name) ") }, "\(name)") }
  }

  @Test("Processes: up whose broker cannot start gives up soon, with the last that it said, and leaves nothing")
  func brokerThatCannotStart() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let file = set.directory + "/file"
    close(open(file, O_CREAT | O_WRONLY, 0o600))
    let up = try ProcessSet.Once.run(
      "minerva", ["up", "--app", "shop", "--data", file + "/x", "--runtime", set.directory], within: .seconds(60))
    #expect(up.status == 1 && up.errors.contains("error process.start: broker falls at every start, exit 1: "), "\(up.errors)")
    #expect(up.errors.contains("it said last: ") && !up.errors.contains("bus.unreachable"), "\(up.errors)")
    let falls = lines(up.errors).count { $0.contains("broker generation ") && $0.contains("ended unexpectedly") }
    #expect((1..<11).contains(falls), "it gave up before the supervisor did: \(up.errors)")
    #expect(lines(RuntimeFiles.text("\(set.directory)/logs/broker.log")).count { $0.contains("ended unexpectedly") } == falls)
    #expect(try minerva(set, "status").status == 3)
  }

  @Test("Processes: scene end removes a scene for good, also after a restart of the broker, and knows those that are there")
  func sceneEnd() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    _ = try await up(set)
    #expect(try minerva(set, "open", "Settings", "--scene", "slip").status == 0)
    #expect(try minerva(set, "scene").output.contains("slip"))
    let ended = try minerva(set, "scene", "end", "slip")
    #expect(ended.status == 0 && ended.output.hasPrefix("ok     scene slip ended, 3 modules removed\n"), "\(ended)")
    #expect(lines(ended.output).dropFirst().allSatisfy { $0.hasSuffix("reason=sceneClosed") }, "\(ended)")
    #expect(try !minerva(set, "scene").output.contains("slip"))
    let again = try minerva(set, "scene", "end", "slip")
    #expect(again.status == 1 && again.errors.contains("scene.unknown"), "\(again)")
    #expect(try !minerva(set, "scene").output.contains("slip"), "asking for its end begins none")
    kill(try #require(try status(set)?.processes["broker"]?.pid), SIGKILL)
    #expect(try !minerva(set, "scene").output.contains("slip"))
    try down(set)
  }
}
