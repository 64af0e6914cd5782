import CommandKit
import Glibc
import MinervaInterfaces
import MinervaSupervision
import MinervaTransport
import MinervaWire
import ServiceKit
import SetKit
import ShellKit

/// `minerva demo`: a shipped script in processes of its own, told as a story.
enum DemoCommand {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    let isJSON = command.flag("json")
    if command.flag("list") {
      for flow in DemoFlows.all {
        try console.out.line(
          isJSON ? JSONLine([("demo", .text(flow.name)), ("title", .text(flow.title))]).text : "\(flow.name)  \(flow.title)")
      }
      return .done
    }
    let script: FlowScript
    do { script = try self.script(command) } catch let faults as FlowScript.Faults {
      for line in faults.lines { console.notice(line) }
      return .usage
    }
    let signals = try TerminationSignals()
    let runtime = try RuntimeDirectory.makePrivate(prefix: "minerva-demo")
    defer { runtime.remove() }
    var plan = SetPlan()
    plan.apps = script.header.apps.compactMap(SetPlan.App.init)
    if plan.apps.isEmpty { plan.apps = [.workouts] }
    plan.splitsWorkouts = true
    plan.holdDiffs = .milliseconds(1_200)
    var connection: ConnectionSettings?
    if command.flag("tcp") { connection = try throwAwayKeys(in: runtime, &plan) }
    if !isJSON {
      let by = command.flag("tcp") ? "over tcp and CURVE, with throw-away keys" : "over sockets in its directory"
      try console.out.line(
        "runtime directory \(runtime.path); a second terminal sees the same tree: minerva shell --runtime \(runtime.path)")
      try console.out.line("starting a broker, two diff workers, a store and two hosts \(by)")
      if let connection {
        try console.out.line(
          "requests and events go by the broker's port at \(connection.endpoint) and the one behind it; lists to the workers, and what hosts ask the store and each other, straight to ports of their own; the supervisor and a second terminal use sockets in the directory"
        )
      }
      try console.out.flush()
    }
    let set = try await RunningSet.start(plan, in: runtime, unless: signals)
    let local = ConnectionSettings(endpoint: try set.endpoint)
    let reach = Reach(runtime: runtime, connection: connection ?? local)
    let scene = SceneAddress(name: "main", app: plan.apps[0].rawValue)
    let code: ExitCode
    do {
      let target = try await reach.target(name: "demo", scene: scene, control: set)
      let story = StoryReporter(console, isJSON: isJSON)
      let reporter: any FlowReporter = command.flag("fast") || isJSON ? story : PacedReporter(story)
      let task = Task { await FlowRun(script, on: target, reporter: reporter).run().result }
      signals.onSignal { _ in task.cancel() }
      let result = await task.value
      code = task.isCancelled ? .interrupted : FlowRunner.exitCode([result])
      if command.flag("keep"), code == .done {
        console.notice("the set runs on in \(runtime.path); quit or Ctrl-D ends it")
        _ = try await ShellCommand.converse(try await reach.target(name: "shell", scene: scene, control: set), command, console, signals)
      }
    } catch {
      await set.stop()
      throw error
    }
    await set.stop()
    return code
  }

  private static func script(_ command: ParsedCommand) throws -> FlowScript {
    if let file = command.text("flow") { return try FlowScript.read(file) }
    let name = command.argument("DEMO") ?? DemoFlows.all[0].name
    guard let flow = DemoFlows.all.first(where: { $0.name == name }) else {
      let known = DemoFlows.all.map(\.name)
      let hint = Suggestion.nearest(to: name, among: known).map { "did you mean \($0)?" } ?? "there is \(known.joined(separator: ", "))"
      throw UsageError("no demo \"\(name)\"; \(hint)", command: "minerva demo")
    }
    return try FlowScript.parse(flow.text, file: "\(flow.name).flow")
  }

  /// Makes keys for the broker and for everyone else, and has the whole set speak tcp.
  private static func throwAwayKeys(in runtime: RuntimeDirectory, _ plan: inout SetPlan) throws -> ConnectionSettings {
    let keys = "\(runtime.path)/keys"
    mkdir(keys, 0o700)
    let (broker, client) = (try CurveKeyPair(), try CurveKeyPair())
    try broker.write(file: "\(keys)/broker.key")
    try client.write(file: "\(keys)/client.key")
    let authorized = AuthorizedKeys([client.publicKey: AuthorizedKeys.Entry(grant: PeerGrant(role: .admin), name: "demo")])
    try FileBytes.replace("\(keys)/authorized", with: authorized.text)
    let port = try FreePort.pair()
    let endpoint = Endpoint.tcp(host: "127.0.0.1", port: port)
    plan.listen = ["\(endpoint)"]
    plan.connection = [
      "--connect", "\(endpoint)", "--key", "\(keys)/client.key", "--server-key", broker.publicKey, "--listen", "tcp://127.0.0.1:0",
    ]
    var settings = ConnectionSettings(endpoint: endpoint)
    settings.security.keys = client
    settings.security.server = broker.publicKey
    return settings
  }
}

/// Tells at the speed of a reader.
private struct PacedReporter: FlowReporter {
  private let base: any FlowReporter

  init(_ base: any FlowReporter) { self.base = base }

  func began(_ script: FlowScript) async { await base.began(script) }

  func carriedOut(_ step: FlowStep, lines: [String], events: [EventText], in script: FlowScript) async {
    await base.carriedOut(step, lines: lines, events: events, in: script)
    try? await ContinuousClock().sleep(for: .milliseconds(100))
  }

  func failed(_ failure: FlowFailure, in script: FlowScript) async { await base.failed(failure, in: script) }
  func recovered(_ recovery: Recovery, in script: FlowScript) async { await base.recovered(recovery, in: script) }
  func ended(_ result: FlowResult) async { await base.ended(result) }
}

/// Ports on loopback that nobody listens on now.
enum FreePort {
  /// A port whose next one is free too: the broker publishes its events there.
  static func pair() throws(MinervaError) -> UInt16 {
    for _ in 0..<64 {
      let first = bound(0)
      defer { if let first { close(first.descriptor) } }
      guard let first, first.port < 65_534, let second = bound(first.port + 1) else { continue }
      close(second.descriptor)
      return first.port
    }
    throw MinervaError(.endpointTaken, "no two free ports side by side on loopback")
  }

  private static func bound(_ port: UInt16) -> (descriptor: Int32, port: UInt16)? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(descriptor, raw, length) == 0 && getsockname(descriptor, raw, &length) == 0
      }
    }
    guard isBound else {
      close(descriptor)
      return nil
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }
}
