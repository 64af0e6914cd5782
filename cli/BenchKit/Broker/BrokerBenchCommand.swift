package import CommandKit
import Glibc
import MinervaSupervision
import MinervaTransport
import MinervaWire
import Synchronization

/// `minerva bench broker`: journaled transitions, memory, restart and events of a broker in processes of its own.
package enum BrokerBenchCommand {
  /// What is measured.
  enum Part: String, CaseIterable, Sendable {
    case transitions, memory, restart, events
  }

  package static let definition = CommandDefinition(
    "broker", "Journaled transitions, memory, restart and events of a broker",
    discussion: """
      Caller and broker are two processes over ipc, at full durability; a transition counts when its answer has reached the caller, and each \
      changes something. Screens without a host first, then hosted ones, each push with its module link. After each run the trees are \
      compared with what the answers say; one that differs ends the bench with 1. Rows name the file system; where a sync promises nothing \
      they say durable: false. A goal that is missed is printed and changes nothing.
      """,
    options: [
      .flag("quick", "shorter, and of everything less"),
      .value("only", .choice(Part.allCases.map(\.rawValue)), "only this part", repeats: true),
      .value("scenes", .integer(1...100_000), "only transitions in so many scenes", placeholder: "N", repeats: true),
      .value("in-flight", .integer(1...1_024), "only transitions with so many requests in flight", placeholder: "N", repeats: true),
      .value("hosted", .choice(["no", "yes"]), "only screens without a host, or only hosted ones"),
      .value("for", .duration, "how long each row of transitions or events is measured"),
      .value("open", .integer(1...1_000_000), "how many open scenes memory is measured with", placeholder: "N"),
      .value("records", .integer(1_024...100_000_000), "how many records a restart finds", placeholder: "N"),
      .value("readers", .integer(1...1_000), "only so many subscribers", placeholder: "N", repeats: true),
      .value("data", .directory, "below which directory the journals lie; without it the temporary one"),
      .value("serve", .choice(["host", "readers"]), "be a part of a bench"),
      .value("scene", .text, "the scene that readers read", placeholder: "NAME"),
      .value("report", .file, "where readers say how far they are"),
    ],
    examples: [
      .init("minerva bench broker --json", "one object a row"),
      .init("minerva bench broker --only transitions --scenes 64 --in-flight 64 --hosted no", "one row"),
    ])

  package static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    if let role = command.text("serve") { return try await serve(role, command) }
    let signals = try TerminationSignals([.interrupt, .terminate])
    let measuring = Task { try await measure(BrokerBenchPlan(command), command, console) }
    let isInterrupted = Atomic<Bool>(false)
    signals.onSignal { _ in
      isInterrupted.store(true, ordering: .relaxed)
      measuring.cancel()
    }
    do {
      return try await measuring.value ? .done : .refused
    } catch {
      // What was under way is gone by now, with its processes and files.
      if isInterrupted.load(ordering: .relaxed) { return .interrupted }
      guard let fault = error as? SceneModel.Fault else { throw error }
      console.notice("wrong: \(Escaping.visible(fault.description))")
      return .refused
    }
  }

  /// Measures and prints.
  private static func measure(_ plan: BrokerBenchPlan, _ command: ParsedCommand, _ console: Console) async throws -> Bool {
    let bench = BrokerBench(directory: command.text("data"), duration: plan.duration) { console.notice($0) }
    let report = BrokerBenchReport(isJSON: command.flag("json"), console)
    for wanted in plan.transitions { try report.add(try await bench.transitions(wanted)) }
    try report.endOfTransitions()
    for subscribers in plan.subscribers {
      for stopped in [0, 1] { try report.add(try await bench.events(subscribers: subscribers, stopped: stopped)) }
    }
    try report.endOfEvents()
    if let scenes = plan.openScenes { try report.add(try await bench.memory(scenes: scenes)) }
    for restart in plan.restarts { try report.add(try await bench.restart(records: restart.records, scenes: restart.scenes)) }
    try report.end()
    return true
  }

  /// Is a process of a bench, until it is asked to end or the bench is gone.
  private static func serve(_ role: String, _ command: ParsedCommand) async throws -> ExitCode {
    guard let text = command.text("connect") else { throw UsageError("--serve needs --connect", command: "minerva bench broker") }
    let endpoint: Endpoint
    do throws(EndpointError) { endpoint = try Endpoint(text) } catch { throw MinervaError(.endpointInvalid, error.description) }
    let signals = try TerminationSignals([.interrupt, .terminate])
    let (ending, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    signals.onSignal { _ in end.yield() }
    let watch = ParentWatch.start { end.yield() }
    defer { watch?.cancel() }
    @Sendable func untilAskedToEnd() async { for await _ in ending { return } }
    if role == "host" {
      try await PageHost.serve(endpoint, name: "bench-1", until: untilAskedToEnd)
    } else {
      guard let path = command.text("report") else { throw UsageError("readers need --report", command: "minerva bench broker") }
      try await EventReaders.serve(
        endpoint, scene: command.text("scene") ?? "main", readers: command.integer("readers") ?? 1, report: path, until: untilAskedToEnd)
    }
    return .done
  }
}

/// What one run measures, read from its options.
struct BrokerBenchPlan: Hashable, Sendable {
  var duration: Duration
  var transitions: [TransitionLoad.Settings] = []
  var subscribers: [Int] = []
  var openScenes: Int?
  var restarts: [Restart] = []

  /// What a broker finds when it starts.
  struct Restart: Hashable, Sendable {
    var records: Int
    var scenes: Int
  }

  init(_ command: ParsedCommand) {
    let isQuick = command.flag("quick")
    duration = command.duration("for") ?? (isQuick ? .milliseconds(500) : .seconds(5))
    let only = Set(command.texts("only").compactMap(BrokerBenchCommand.Part.init))
    func wants(_ part: BrokerBenchCommand.Part) -> Bool { only.isEmpty || only.contains(part) }
    let scenes = command.texts("scenes").compactMap { Int($0) }
    let inFlight = command.texts("in-flight").compactMap { Int($0) }
    let readers = command.texts("readers").compactMap { Int($0) }
    if wants(.transitions) {
      for isHosted in [false, true] where command.text("hosted").map({ ($0 == "yes") == isHosted }) ?? true {
        for scenes in scenes.isEmpty ? [1, 64] : scenes {
          for inFlight in inFlight.isEmpty ? [1, 64, 256] : inFlight {
            transitions.append(TransitionLoad.Settings(scenes: scenes, inFlight: inFlight, isHosted: isHosted))
          }
        }
      }
    }
    if wants(.events) { subscribers = readers.isEmpty ? [1, 10, 100] : readers }
    if wants(.memory) { openScenes = command.integer("open") ?? (isQuick ? 2_000 : 100_000) }
    if wants(.restart) {
      let records = command.integer("records") ?? (isQuick ? 10_000 : 1_000_000)
      // One scene with all of them, and as many scenes as there can be with ten each.
      restarts = [Restart(records: records, scenes: 1), Restart(records: records, scenes: max(64, records / 10))]
    }
  }
}
