import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Synchronization
import TestSupport
import Testing

/// An error whose text tells what nobody should read.
private enum LoginError: Error {
  case wrong(password: String)
}

/// Turns that are not taken, and what is left of their coordinators.
@Suite("Turns that are not taken (K3)", .timeLimit(.minutes(1)))
struct RefusedTurnTests {
  private func state(_ turn: TurnSubmission) -> String? { turn.report.state.map { String(decoding: $0, as: UTF8.self) } }

  @Test("K3: a turn that is refused for what it holds is answered with that, changes nothing, and its coordinator goes on")
  func emptied() async throws {
    let host = try TestHost([
      .scripted([
        "big": { me in
          me.note("big")
          try me.context.output("far too much")
          try me.context.push(Counter.self, .init(start: 1))
          try me.context.finish("over")
        },
        "small": { $0.note("small") },
      ])
    ])
    await host.open("Scripted", as: 1)
    _ = await host.broker.turns.first(1)
    host.broker.refuse(next: [Refusal(code: "bus.too_large", message: "4 MiB and more")])
    await host.tap("big", on: 1)
    let turns = await host.broker.turns.first(2)
    #expect(turns.map(\.report.number) == [2, 2] && turns.map(\.report.handled) == [1, 1])
    #expect(turns[1].report.reply == .refused(Refusal(code: "bus.too_large", message: "4 MiB and more")))
    #expect(turns[1].report.outputs.isEmpty && turns[1].report.requests.isEmpty && turns[1].report.ending == .none)
    #expect(state(turns[1]) == nil)
    await host.tap("small", on: 1)
    let next = await host.broker.turns.first(1)[0]
    #expect(next.report.number == 3 && next.report.handled == 2)
    #expect(state(next) == #"{"log":["small"]}"#, "what was not taken is forgotten")
    for await shown in host.broker.renderings {
      guard let text = try? ScreenRendering(encoded: shown.rendering.body).row("l0")?.text else { continue }
      #expect(text == "small", "what was not taken is not shown")
      break
    }
  }

  @Test("K3: who awaits a module whose turn was not taken is told why, and goes on")
  func awaited() async throws {
    let host = try TestHost([
      .scripted([
        "ask": { me in
          do { _ = try await me.context.push(Counter.self, .init(start: 1)).result } catch let refusal as Refusal { me.note(refusal.code) }
        }
      ])
    ])
    await host.open("Scripted", as: 1)
    _ = await host.broker.turns.first(1)
    host.broker.refuse(next: [Refusal(code: "input.secret", message: "no")])
    await host.tap("ask", on: 1)
    let turns = await host.broker.turns.first(3)
    #expect(turns.map(\.report.number) == [2, 2, 3])
    #expect(state(turns[2]) == #"{"log":["input.secret"]}"#)
  }

  @Test("K3: a coordinator whose turns are refused even empty ends its module; one whose screen is gone ends at once, and runs no more")
  func ended() async throws {
    let host = try TestHost([.scripted(["go": { $0.note("went") }])])
    await host.open("Scripted", as: 1)
    await host.open("Scripted", as: 2)
    _ = await host.broker.turns.first(2)
    let no = Refusal(code: "bus.unauthorized", message: "no")
    host.broker.refuse(next: [no, no])
    await host.tap("go", on: 1)
    let turns = await host.broker.turns.first(3)
    #expect(turns.map(\.report.ending) == [.none, .none, .cancel])
    host.broker.refuse(next: [Refusal(code: "bus.stale_epoch", message: "another's")])
    await host.tap("go", on: 2)
    _ = await host.broker.turns.first(1)
    try await until("one runs") { await host.runtime.running().map(\.screen) == [ScreenID(1)] }
  }

  @Test("B01: a screen that cannot be drawn fails its turn: what the handler asked for does not happen")
  func undrawable() async throws {
    let host = try TestHost([ModuleOffer { _, context in TwiceCoordinator(context) }])
    await host.open("Twice", as: 1)
    _ = await host.broker.turns.first(1)
    await host.tap("twice", on: 1)
    let turn = await host.broker.turns.first(1)[0].report
    guard case .refused(let refusal) = turn.reply else { throw MinervaError(.badMessage, "\(turn.reply)") }
    #expect(refusal.code == "list.duplicate_id")
    #expect(turn.requests.isEmpty && turn.outputs.isEmpty && turn.state == nil)
    await host.tap("once", on: 1)
    let next = await host.broker.turns.first(1)[0].report
    #expect(next.reply == .done && next.state == Array(#"["once"]"#.utf8))
  }

  @Test("P4: of an author's error only its type is told and journaled; its text stays in the host's log")
  func secrets() async throws {
    let host = try TestHost([
      .scripted(["login": { _ in throw LoginError.wrong(password: "geheim") }]),
      ModuleOffer { (input: Counter.Input, _: Context<Counter>) -> CounterCoordinator in throw LoginError.wrong(password: "geheim") },
    ])
    await host.open("Scripted", as: 1)
    _ = await host.broker.turns.first(1)
    await host.tap("login", on: 1)
    let turn = await host.broker.turns.first(1)[0].report
    let verdict = await host.open("Counter", #"{"start":1}"#, as: 2)
    for text in ["\(turn)", "\(verdict)"] {
      #expect(!text.contains("geheim"))
      #expect(text.contains("LoginError"))
    }
    #expect(host.broker.noted.filter { $0.contains("geheim") }.count == 2)
  }

  @Test("K2: a handler that awaits a child is cancelled with its screen, also when it does not mind that the child is gone")
  func steppedAside() async throws {
    let isLeft = Mutex(false)
    let host = try TestHost([
      .scripted([
        "ask": { me in
          _ = try? await me.context.push(Counter.self, .init(start: 1)).result
          while !Task.isCancelled { await Task.yield() }
          isLeft.withLock { $0 = true }
        },
        "other": { $0.note("other") },
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("ask", on: 1)
    await host.tap("other", on: 1)
    // The other handler ran: this one has stepped aside.
    _ = await host.broker.turns.first(3)
    #expect(isLeft.withLock { !$0 })
    await host.end(1)
    try await until("the handler is cancelled") { isLeft.withLock { $0 } }
  }

  @Test("K3: a load that is given up and returns late neither doubles nor ends what was made anew under a later lease")
  func lateLoad() async throws {
    let (gate, entered) = (Gate(), Gate())
    let made = Mutex(0)
    let host = try TestHost([
      .scripted(
        ["go": { $0.note("went") }],
        onLoad: { _ in
          let number = made.withLock { made in
            made += 1
            return made
          }
          guard number == 1 else { return }
          entered.open()
          await Task.detached { await gate.wait() }.value
        })
    ])
    async let first = host.open("Scripted", as: 1)
    await entered.wait()
    await host.end(1)
    async let second = host.open("Scripted", as: 1, lease: 2)
    async let repeated = host.open("Scripted", as: 1, lease: 2)
    gate.open()
    guard case .refused = await first, case .accepted = await second, case .accepted = await repeated else {
      throw MinervaError(.badMessage, "other verdicts")
    }
    #expect(made.withLock { $0 } == 2)
    await host.end(1)
    guard case .refused(let refusal) = await host.open("Scripted", as: 1) else {
      throw MinervaError(.badMessage, "made under an old lease")
    }
    #expect(refusal.code == "bus.stale_epoch")
    await host.tap("go", on: 1, lease: 2)
    #expect(await host.broker.turns.first(2).last?.report.lease == 2)
    #expect(await host.runtime.running().map(\.lease) == [2])
  }
}

/// Draws a row twice when it is told to.
private enum Twice: Module {
  typealias Output = String
}

private actor TwiceCoordinator: Coordinator {
  let context: Context<Twice>
  var state: [String] = []

  init(_ context: Context<Twice>) { self.context = context }

  func handle(_ action: Action) throws {
    guard case .tap(let row) = action else { return }
    state.append(row)
    if row == "twice" { try context.output("never said") }
  }

  func render() -> Screen {
    Screen("Twice") {
      ListSection("steps") {
        Button("once", "Once")
        Button("twice", "Twice")
        Label("a", "a")
        Label(state.contains("twice") ? "a" : "b", "b")
      }
    }
  }
}
