import CommandKit
import MinervaWire

/// Prints the rows of a run as they come: objects of JSON, or tables and the goals at the end.
final class BrokerBenchReport {
  private let isJSON: Bool
  private let console: Console
  private var goals = BrokerGoals()
  private var transitions = TableText(
    ["scenes", "in flight", "hosted", "transitions/s", "p50 us", "p99 us", "p99.9 us", "broker us", "caller us", "file system", "durable"],
    rightAligned: [0, 1, 3, 4, 5, 6, 7, 8])
  private var events = TableText(
    ["subscribers", "stopped", "events/s", "deliveries/s", "broker us", "missed"], rightAligned: Set(0...5))

  init(isJSON: Bool, _ console: Console) {
    self.isJSON = isJSON
    self.console = console
  }

  private func line(_ row: some Encodable) throws {
    try console.out.line(try JSONValueEncoder().encode(row).text)
    try console.out.flush()
  }

  func add(_ row: BrokerRow.Transitions) throws {
    goals.add(row)
    if isJSON { return try line(row) }
    console.notice(
      "\(row.scenes) scenes, \(row.inFlight) in flight, \(row.hosted ? "hosted" : "no host"): \(Figure.text(row.transitionsPerSecond, 0))/s"
    )
    transitions.add([
      "\(row.scenes)", "\(row.inFlight)", row.hosted ? "yes" : "no", Figure.text(row.transitionsPerSecond, 0), "\(row.p50)", "\(row.p99)",
      "\(row.p999)", Figure.text(row.brokerMicroseconds, 1), Figure.text(row.callerMicroseconds, 1), row.fileSystem,
      row.durable ? "yes" : "no",
    ])
  }

  func add(_ row: BrokerRow.Events) throws {
    if isJSON { return try line(row) }
    console.notice("\(row.subscribers) subscribers, \(row.stopped) stopped: \(Figure.text(row.eventsPerSecond, 0)) events/s")
    events.add([
      "\(row.subscribers)", "\(row.stopped)", Figure.text(row.eventsPerSecond, 0), Figure.text(row.deliveriesPerSecond, 0),
      Figure.text(row.brokerMicroseconds, 1), "\(row.missed)",
    ])
  }

  func add(_ row: BrokerRow.Memory) throws {
    goals.add(row)
    if isJSON { return try line(row) }
    try console.out.line(
      "\(row.scenes) open scenes of \(row.screens) screens, inputs of \(row.inputBytes) bytes: \(Figure.text(row.bytesPerScene, 0)) bytes a scene"
    )
  }

  func add(_ row: BrokerRow.Restart) throws {
    goals.add(row)
    if isJSON { return try line(row) }
    try console.out.line(
      "restart with \(row.records) records in \(row.scenes) \(row.scenes == 1 ? "scene" : "scenes"), \(row.unsaved) after the last snapshot: "
        + "first answer after \(row.firstAnswerMilliseconds) ms")
  }

  func endOfTransitions() throws { try end(of: transitions) }

  func endOfEvents() throws { try end(of: events) }

  private func end(of table: TableText) throws {
    guard !isJSON, !table.isEmpty else { return }
    try console.out.lines(table.lines())
    try console.out.line("")
    try console.out.flush()
  }

  /// Prints which goals were met; a miss changes nothing.
  func end() throws {
    guard !isJSON else { return }
    var table = TableText(["goal", "wanted", "found", ""])
    for verdict in goals.verdicts {
      table.add([verdict.goal, verdict.wanted, verdict.found, verdict.isMet ? "met" : "missed"])
    }
    guard !table.isEmpty else { return }
    try console.out.line("")
    try console.out.lines(table.lines())
  }
}

/// What a broker should reach on two cores, held against the rows of one run.
struct BrokerGoals {
  struct Verdict: Hashable, Sendable {
    var goal: String
    var wanted: String
    var found: String
    var isMet: Bool
  }

  private(set) var verdicts: [Verdict] = []

  private static let rates: [(scenes: Int, isHosted: Bool, wanted: Double)] = [
    (1, false, 20_000), (64, false, 40_000), (64, true, 10_000),
  ]

  mutating func add(_ row: BrokerRow.Transitions) {
    guard row.inFlight == 64 else { return }
    for (scenes, isHosted, wanted) in Self.rates where scenes == row.scenes && isHosted == row.hosted {
      verdicts.append(
        Verdict(
          goal: "\(scenes == 1 ? "one scene" : "\(scenes) scenes"), 64 in flight, \(isHosted ? "hosted" : "no host")",
          wanted: "≥ \(Figure.text(wanted, 0))/s",
          found: "\(Figure.text(row.transitionsPerSecond, 0))/s\(row.durable ? "" : ", not durable")",
          isMet: row.durable && row.transitionsPerSecond >= wanted))
    }
  }

  mutating func add(_ row: BrokerRow.Memory) {
    verdicts.append(
      Verdict(
        goal: "memory of \(row.scenes) open scenes", wanted: "≤ 4096 bytes a scene", found: Figure.text(row.bytesPerScene, 0),
        isMet: row.bytesPerScene <= 4_096))
  }

  mutating func add(_ row: BrokerRow.Restart) {
    verdicts.append(
      Verdict(
        goal: "restart with \(row.records) records in \(row.scenes) \(row.scenes == 1 ? "scene" : "scenes")",
        wanted: "first answer ≤ 1000 ms", found: "\(row.firstAnswerMilliseconds) ms",
        isMet: row.firstAnswerMilliseconds <= 1_000))
  }
}
