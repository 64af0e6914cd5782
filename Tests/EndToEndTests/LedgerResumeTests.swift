import Foundation
import Glibc
import LedgerLoad
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Testing

/// A half-filled form and a counter that no input can rebuild, in a real host that is killed at random moments (K3).
@Suite("Real hosts that die at any moment", .serialized, .oneAtATime, .timeLimit(.minutes(15)))
struct LedgerResumeTests {
  private static let moments = getenv("MINERVA_KILLS").flatMap { Int(String(cString: $0)) } ?? (getenv("MINERVA_DEEP") == nil ? 5 : 100)

  /// One thing that a person does; what exactly depends on how deep the stack is, and that is the same in every run.
  private struct Step {
    var roll: Int
    var number: Int
    /// How long after it is asked the host dies; `nil` for a step in peace.
    var death: Duration?
  }

  /// What a run leaves: screens are named by the order in which they were presented.
  private struct Run: Equatable {
    var effects: [String] = []
    var stack: [Int] = []
    var forms: [Int: [String: String]] = [:]
    var states: [Int: Ledger.State] = [:]
  }

  @Test(
    "Processes: a host is killed at random moments: the form is as left, outputs are heard once, all is as without kills (K3)"
  )
  func asWithoutKills() async throws {
    let seed = getenv("MINERVA_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
    var random = Seeded(seed)
    var steps = (0..<Self.moments * 2 + 10).map { _ in
      Step(roll: Int.random(in: 0..<100, using: &random), number: Int.random(in: 0..<1_000, using: &random))
    }
    for index in steps.indices.shuffled(using: &random).prefix(Self.moments) {
      steps[index].death = .microseconds(Int.random(in: 0..<12_000, using: &random))
    }
    let disturbed = try await run(steps, "seed \(seed)")
    let peaceful = try await run(steps.map { Step(roll: $0.roll, number: $0.number, death: nil) }, "seed \(seed), in peace")
    #expect(disturbed.states.values.flatMap(\.troubles) == [], "seed \(seed)")
    for (index, pair) in zip(disturbed.effects, peaceful.effects).enumerated() where pair.0 != pair.1 {
      Issue.record("seed \(seed): effect \(index) is \(pair.0), without kills \(pair.1)")
      break
    }
    #expect(disturbed.effects.count == peaceful.effects.count, "seed \(seed)")
    #expect(disturbed.stack == peaceful.stack, "seed \(seed)")
    #expect(disturbed.forms == peaceful.forms, "seed \(seed)")
    #expect(disturbed.states == peaceful.states, "seed \(seed)")
    print("seed \(seed): \(Self.moments) kills in \(steps.count) steps, \(disturbed.effects.count) effects")
  }

  private func run(_ steps: [Step], _ context: String) async throws -> Run {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    try set.start("diff-1", "minerva-diff")
    try set.start("ledgers-1", "ledger-host")
    let person = Person(client: try await set.client(), scene: SceneAddress(name: "main", app: "ledgers"))
    #expect(await set.wait { ((try? await person.client.modules().isEmpty) ?? true) == false })
    _ = try await person.opens("Ledger", input: #"{"add":0}"#)
    for (index, step) in steps.enumerated() {
      let stack = try await person.client.snapshot(of: person.scene).tree.layers.first?.stack.map(\.id) ?? []
      async let answer: Void = Self.take(action(step, on: stack), by: person)
      if let death = step.death {
        let moment = ContinuousClock.now + death
        while ContinuousClock.now < moment { await Task.yield() }
        set.kill("ledgers-1")
        try set.start("ledgers-1", "ledger-host")
      }
      do { try await answer } catch { Issue.record("\(context), step \(index): \(error)") }
      let isAtRest = await set.wait(atMost: .seconds(20)) {
        guard let snapshot = try? await person.client.snapshot(of: person.scene), snapshot.settled,
          let reports = try? await person.client.coordinators(of: person.scene)
        else { return false }
        return !reports.contains { $0.isSuspended || $0.unhandled > 0 }
      }
      guard isAtRest else {
        Issue.record("\(context), step \(index): no rest; \(set.log(of: "ledgers-1").suffix(500))")
        break
      }
    }
    let run = try await look(person, set)
    await person.client.close()
    return run
  }

  private func action(_ step: Step, on stack: [ScreenID]) -> Command.Action {
    let top = stack[stack.count - 1]
    return switch step.roll {
    case ..<20: LedgerAsk.tap(top, row: "more").action
    case ..<40: LedgerAsk.send(stack[step.number % stack.count], add: step.number).action
    case ..<65: LedgerAsk.enter(top, field: step.number.isMultiple(of: 2) ? "name" : "note", value: "value \(step.number)").action
    case ..<75 where stack.count < 6: LedgerAsk.tap(top, row: "child").action
    case ..<83 where stack.count < 6: LedgerAsk.open(add: step.number).action
    case ..<92 where stack.count > 1: LedgerAsk.tap(top, row: "done").action
    default: stack.count > 1 ? LedgerAsk.back.action : LedgerAsk.tap(top, row: "child").action
    }
  }

  /// Asks until it is done: an opening whose host died twice is rolled back, and says so.
  private static func take(_ action: Command.Action, by person: Person) async throws {
    while true {
      do {
        try await person.does(action, within: .seconds(20))
        return
      } catch let error as MinervaError where error.code == .hostLost {
        continue
      }
    }
  }

  private func look(_ person: Person, _ set: ProcessSet) async throws -> Run {
    let scene = try await LedgerScene(person.client, person.scene)
    var names: [ScreenID: Int] = [:]
    for case .presented(let summary, _) in scene.events.map(\.kind) { names[summary.screen] = names.count }
    func name(_ screen: ScreenID) -> Int { names[screen] ?? -1 }
    var run = Run()
    for event in scene.events {
      switch event.kind {
      case .presented(let summary, let input):
        run.effects.append(
          "\(name(summary.screen)) presented over \(summary.parent.map(name) ?? -1) with \(String(decoding: input, as: UTF8.self))")
      case .removed(let summary, let reason, let outputs, let result, _) where names[summary.screen] != nil:
        run.effects.append(
          "\(name(summary.screen)) \(reason) after \(outputs), result \(result.map { String(decoding: $0, as: UTF8.self) } ?? "none")")
      case .output(let summary, let number, let bytes, let listener, _):
        run.effects.append(
          "\(name(summary.screen)) output \(number) \(String(decoding: bytes, as: UTF8.self)) to \(listener.map(name) ?? -1)")
      case .delivered(let summary, let message, let what): run.effects.append("\(name(summary.screen)) given \(message) \(what)")
      case .turned(let summary, let number, let handled): run.effects.append("\(name(summary.screen)) turn \(number) of \(handled ?? 0)")
      case .settled(let request, let outcome): run.effects.append("\(request.verb) settled, changed \(outcome.changed)")
      default: break
      }
    }
    run.stack = scene.snapshot.tree.layers.first?.stack.map { name($0.id) } ?? []
    for report in scene.reports {
      let screen = report.summary.screen
      var state = try LedgerScene.state(report)
      for index in state.heard.indices { state.heard[index].child = ScreenID(UInt32(name(state.heard[index].child) + 1)) }
      run.states[name(screen)] = state
      // What nobody sees is drawn when it is seen.
      guard report.isVisible else { continue }
      var form: [String: String] = [:]
      let isShown = await set.wait {
        guard let rendering = try? await person.rendering(screen) else { return false }
        form = [
          "name": rendering.row("name")?.value ?? "", "note": rendering.row("note")?.value ?? "", "sum": rendering.row("sum")?.text ?? "",
        ]
        return form == ["name": state.fields["name"] ?? "", "note": state.fields["note"] ?? "", "sum": "\(state.sum)"]
      }
      #expect(isShown, "\(screen) shows \(form), and is \(state)")
      run.forms[name(screen)] = form
    }
    return run
  }
}
