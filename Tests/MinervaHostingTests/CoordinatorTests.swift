import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Synchronization
import Testing

@Suite("Coordinators in a host")
struct CoordinatorTests {
  @Test("K5: load is awaited before the verdict; what it asks for comes after")
  func load() async throws {
    let host = try TestHost([
      .scripted(
        [:],
        onLoad: { me in
          me.note("loaded")
          try me.context.open(Counter.self, .init(start: 1), via: .root)
        })
    ])
    let verdict = await host.open("Scripted", as: 1)
    guard case .accepted(let acceptance) = verdict else { throw MinervaError(.badMessage, "\(verdict)") }
    #expect(acceptance.host == "test-1" && acceptance.container == .none)
    let turn = await host.broker.turns.first(1)[0].report
    #expect(turn.number == 1 && turn.handled == nil && turn.requests.count == 1)
    let shown = await host.broker.renderings.first(1)[0]
    #expect(shown.answersTurn && shown.rendering.version == 1)
    #expect(try ScreenRendering(encoded: shown.rendering.body).row("l0")?.text == "loaded")
  }

  @Test("K5: lifecycle notifications arrive in order")
  func lifecycle() async throws {
    let host = try TestHost([.scripted([:])])
    await host.open("Scripted", as: 1)
    for moment in [Lifecycle.willAppear, .didAppear, .willDisappear, .didDisappear] { await host.send(.lifecycle(moment), to: 1) }
    let turns = await host.broker.turns.first(5)
    #expect(
      turns[4].report.state.map { String(decoding: $0, as: UTF8.self) }
        == #"{"log":["willAppear","didAppear","willDisappear","didDisappear"]}"#)
  }

  @Test("K5: a screen that leaves while it is seen hears that it disappears, before it is unloaded", arguments: [0, 1, 2, 3, 4])
  func disappears(heard: Int) async throws {
    let unloaded = Gate()
    let log = Mutex<[String]>([])
    let host = try TestHost([
      .scripted([
        "unload": { me in
          let state = me.state.log
          log.withLock { $0 = state }
          unloaded.open()
        }
      ])
    ])
    await host.open("Scripted", as: 1)
    let moments = [Lifecycle.willAppear, .didAppear, .willDisappear, .didDisappear]
    for moment in moments.prefix(heard) { await host.send(.lifecycle(moment), to: 1) }
    _ = await host.broker.turns.first(1 + heard)
    await host.end(1)
    await unloaded.wait()
    let last = heard == 1 ? ["willAppear", "willDisappear", "didDisappear"] : moments.map(\.rawValue)
    #expect(log.withLock { $0 } == (heard == 0 ? [] : last))
  }

  @Test("K2: the end cancels the task scope and whoever waits inside, then unloads")
  func end() async throws {
    let (cancelled, threw, unloaded, waiting) = (Gate(), Gate(), Gate(), Gate())
    let host = try TestHost([
      .scripted([
        "wait": { me in
          me.context.task {
            await withTaskCancellationHandler {
              waiting.open()
              await Gate().wait()
            } onCancel: {
              cancelled.open()
            }
          }
          do { _ = try await me.context.push(Counter.self, .init(start: 3)).result } catch is CancellationError { threw.open() }
        },
        "unload": { _ in unloaded.open() },
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("wait", on: 1)
    _ = await host.broker.turns.first(2)
    await waiting.wait()
    await host.end(1)
    await cancelled.wait()
    await threw.wait()
    await unloaded.wait()
    #expect(await host.runtime.running().isEmpty)
  }

  @Test("K8: a handler that blocks its thread delays nobody else")
  func blocking() async throws {
    let isBlocked = Atomic(true)
    let host = try TestHost([
      .scripted(["block": { _ in while isBlocked.load(ordering: .relaxed) {} }]), .counter,
    ])
    await host.open("Scripted", as: 1)
    await host.open("Counter", #"{"start":1}"#, as: 2)
    _ = await host.broker.turns.first(2)
    await host.tap("block", on: 1)
    await host.tap("more", on: 2)
    #expect(await host.broker.turns.first(1)[0].report.screen == ScreenID(2))
    isBlocked.store(false, ordering: .relaxed)
    #expect(await host.broker.turns.first(1)[0].report.screen == ScreenID(1))
  }

  @Test("K7: a question goes from coordinator to coordinator while the broker is away, and both may be busy")
  func questions() async throws {
    let gate = Gate()
    let host = try TestHost([
      .scripted([
        "ask": { me in me.note(try await me.context.ask(Greeting(name: "you"), of: ScreenID(2))) },
        "busy": { _ in await gate.wait() },
      ])
    ])
    let runtime = host.runtime
    host.broker.answerQuestions { try await runtime.answer($0) }
    await host.open("Scripted", as: 1)
    await host.open("Scripted", as: 2)
    _ = await host.broker.turns.first(2)
    await host.tap("busy", on: 2)
    host.broker.hold()
    await host.tap("ask", on: 1)
    let turn = await host.broker.turns.first(1)[0].report
    #expect(turn.screen == ScreenID(1) && turn.state == Array(#"{"log":["hello you"]}"#.utf8))
    host.broker.release()
    gate.open()
    await #expect(throws: MinervaError.self) {
      _ = try await runtime.answer(CoordinatorCall(scene: host.scene, screen: ScreenID(9), method: "Greeting", argument: []))
    }
    await #expect(throws: MinervaError.self) {
      _ = try await runtime.answer(CoordinatorCall(scene: host.scene, screen: ScreenID(1), method: "Nothing", argument: []))
    }
  }

  @Test(
    "Links that cannot be made are refused with what to do",
    arguments: [
      ("Settngs", "{}", "module.unknown", "Counter"),
      ("Counter", #"{"start":"x"}"#, "input.invalid", #"Counter.start: expected integer, found string "x""#),
      ("Counter", "{}", "input.invalid", "Counter.start"),
      ("Counter", #"{"start":"#, "input.invalid", "Counter"),
      ("Broken", "{}", "module.factory_failed", "Broken could not be made: its factory threw"),
    ])
  func refusals(module: String, input: String, code: String, says: String) async throws {
    let host = try TestHost([.counter, ModuleOffer { _, context in try BrokenCoordinator(context) }])
    guard case .refused(let refusal) = await host.open(module, input, as: 1) else { throw MinervaError(.badMessage, "accepted") }
    #expect(refusal.code == code)
    #expect(refusal.message.contains(says), "\(refusal.message)")
    #expect(await host.runtime.running().isEmpty)
  }

  @Test("An order that is repeated gets the same verdict and makes one coordinator; two offers of a name are refused")
  func repeated() async throws {
    let made = Mutex(0)
    let host = try TestHost([
      .scripted([:], onLoad: { _ in made.withLock { $0 += 1 } })
    ])
    async let first = host.open("Scripted", as: 1)
    async let second = host.open("Scripted", as: 1)
    #expect(await first == second)
    #expect(made.withLock { $0 } == 1)
    #expect(throws: MinervaError.self) { _ = try ModuleRegistry([.counter, .counter]) }
  }

  @Test("A verdict carries slots, transitions, the wish for lifecycle, and the input without its secrets (P4)")
  func acceptance() async throws {
    let host = try TestHost([ModuleOffer(FormCoordinator.init), .counter])
    guard case .accepted(let form) = await host.open("Form", #"{"user":"u","password":"geheim"}"#, as: 1) else {
      throw MinervaError(.badMessage, "refused")
    }
    #expect(form.slots == ["header"] && form.wantsLifecycle && form.transitions.map(\.name) == ["count"])
    #expect(form.transitions[0].opening.input == Array(#"{"start":7}"#.utf8))
    let shown = try #require(form.redactedInput.map { String(decoding: $0, as: UTF8.self) })
    #expect(!shown.contains("geheim") && shown.contains(#""user":"u""#))
    guard case .accepted(let counter) = await host.open("Counter", #"{"start":1}"#, as: 2) else {
      throw MinervaError(.badMessage, "refused")
    }
    #expect(counter.redactedInput == nil && !counter.wantsLifecycle && counter.transitions.isEmpty)
  }

  @Test("P4: an input with a decoder of its own is shown to nobody")
  func opaqueInput() async throws {
    let host = try TestHost([ModuleOffer(SealedCoordinator.init)])
    guard case .accepted(let made) = await host.open("Sealed", #"{"password":"geheim"}"#, as: 1) else {
      throw MinervaError(.badMessage, "refused")
    }
    #expect(made.redactedInput == Array(#""•••""#.utf8))
  }

  @Test("A registration names what runs; what the broker forgot is ended, the rest is shown again")
  func registration() async throws {
    let ended = Gate()
    let host = try TestHost([.scripted(["unload": { _ in ended.open() }]), .counter])
    await host.open("Scripted", as: 1)
    await host.open("Counter", #"{"start":1}"#, as: 2)
    _ = await host.broker.renderings.first(2)
    await host.tap("more", on: 2)
    _ = await host.broker.renderings.first(1)
    #expect(await host.runtime.running().map(\.handled) == [0, 1])
    let receipt = HostReceipt(epoch: 2, lease: 3000, forgotten: [.init(scene: host.scene, screen: ScreenID(1), handled: 0)])
    await host.runtime.registered(receipt)
    let again = await host.broker.renderings.first(1)[0]
    #expect(again.rendering.screen == ScreenID(2) && again.change.from == 0 && again.rendering.version == 2)
    await ended.wait()
  }
}

private enum Form: Module {
  struct Input: Codable, Sendable {
    var user: String
    @Secret var password: String
  }

  static let slots = ["header"]
}

private actor FormCoordinator: Coordinator {
  static let hearsLifecycle = true

  let context: Context<Form>

  init(_ input: Form.Input, _ context: Context<Form>) {
    self.context = context
  }

  func segues() throws -> [Segue] { [try Segue("count", to: Counter.self, .init(start: 7), via: .modal(.full))] }
}

private enum Sealed: Module {
  struct Input: Codable, Sendable {
    enum CodingKeys: CodingKey { case password }
    @Secret var password: String

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      guard fields.allKeys.count == 1 else { throw OutOfPaper() }
      password = try fields.decode(String.self, forKey: .password)
    }
  }
}

private actor SealedCoordinator: Coordinator {
  let context: Context<Sealed>

  init(_ input: Sealed.Input, _ context: Context<Sealed>) { self.context = context }
}

private enum Broken: Module {}

private struct OutOfPaper: Error, CustomStringConvertible {
  var description: String { "out of paper" }
}

private actor BrokenCoordinator: Coordinator {
  let context: Context<Broken>

  init(_ context: Context<Broken>) throws {
    throw OutOfPaper()
  }
}

@Suite("Commands (C)")
struct CommandTests {
  private static func offer() -> ModuleOffer {
    .scripted([
      "edit": { me in
        let command = PresentCommand("edit", Counter.self, via: .modal(.sheet), by: me.context)
        try command.execute(.init(start: 1))
        me.note("enabled \(command.isEnabled)")
      },
      "look": { me in me.note("enabled \(PresentCommand("edit", Counter.self, via: .modal(.sheet), by: me.context).isEnabled)") },
    ])
  }

  @Test("N15: a coordinator whose end was refused goes on: its next handler may ask for things")
  func refusedEnd() async throws {
    let host = try TestHost([
      .scripted([
        "end": { try $0.context.cancel() },
        "next": { me in
          try me.context.output("on")
          me.note("went on")
        },
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("end", on: 1)
    await host.send(
      .requestSettled(.ending(of: ScreenID(1), turn: 2), .refused(Refusal(code: "nav.root_protected", message: "no"))), to: 1)
    await host.tap("next", on: 1)
    let turns = await host.broker.turns.first(4)
    #expect(turns[1].report.ending == .cancel)
    #expect(turns[3].report.reply == .done && turns[3].report.outputs.count == 1)
    #expect(turns[3].report.state.map { String(decoding: $0, as: UTF8.self) } == #"{"log":["refused nav.root_protected","went on"]}"#)
  }

  @Test("C1, C2: a command is disabled from its execution to the end of its screen, and does nothing meanwhile")
  func gate() async throws {
    let host = try TestHost([Self.offer()])
    await host.open("Scripted", as: 1)
    await host.tap("edit", on: 1)
    await host.tap("edit", on: 1)
    let turns = await host.broker.turns.first(3)
    #expect(turns[1].report.requests.count == 1)
    guard case .refused(let refusal) = turns[2].report.reply else { throw MinervaError(.badMessage, "not refused") }
    #expect(refusal.code == "command.disabled" && turns[2].report.requests.isEmpty)
    let key = RequestKey(screen: ScreenID(1), turn: 2, index: 0)
    await host.send(.requestSettled(key, .done(Outcome(verb: "open", screen: ScreenID(4), changed: true))), to: 1)
    await host.tap("look", on: 1)
    await host.send(.childEnded(child: ScreenID(4), module: "Counter", reason: .gesture, result: nil), to: 1)
    await host.tap("look", on: 1)
    let log = await host.broker.turns.first(4).compactMap(\.report.state).last.map { String(decoding: $0, as: UTF8.self) }
    #expect(log == #"{"log":["enabled false","enabled false","child s4 ended(MinervaNavigation.RemovalReason.gesture)","enabled true"]}"#)
  }

  @Test("C1: a refused presentation frees the command, and one whose turn failed never took it")
  func freed() async throws {
    let host = try TestHost([Self.offer()])
    await host.open("Scripted", as: 1)
    await host.tap("edit", on: 1)
    await host.send(
      .requestSettled(RequestKey(screen: ScreenID(1), turn: 2, index: 0), .refused(Refusal(code: "nav.busy", message: ""))), to: 1)
    await host.tap("look", on: 1)
    let turns = await host.broker.turns.first(4)
    #expect(turns[3].report.state == Array(#"{"log":["enabled false","refused nav.busy","enabled true"]}"#.utf8))
  }

  @Test("C2: without a presenter a command says so")
  func noPresenter() throws {
    let command = PresentCommand("edit", Counter.self, via: .push, by: Context<Scripted>(link: NoLink()))
    do {
      try command.execute(.init(start: 1))
      Issue.record("executed")
    } catch let error as MinervaError {
      #expect(error.code == "command.no_presenter")
    }
  }
}

/// A link to nobody.
private struct NoLink: CoordinatorLink {
  var screen: ScreenID { ScreenID(1) }
  var scene: String { "main" }
  var now: SceneTime { .zero }
  private var gone: MinervaError { MinervaError(.staleRef, "nobody") }

  func request(_ action: Command.Action, policy: Policy, gate: String?) throws -> RequestToken { throw gone }
  func tell(_ output: [UInt8]) throws { throw gone }
  func end(_ ending: ModuleEnding) throws { throw gone }
  func veto(_ gestures: Vetoes) throws { throw gone }
  func wake(_ name: String, after milliseconds: UInt64?) throws { throw gone }
  func isExecuting(_ gate: String) -> Bool { false }
  func screen(of token: RequestToken) async throws -> ScreenID { throw gone }
  func ending(of token: RequestToken) async throws -> ChildEnding { throw gone }
  func ask(_ question: String, _ argument: [UInt8], of screen: ScreenID) async throws -> [UInt8] { throw gone }
  func children() async throws -> [ScreenID] { throw gone }
  func task(at place: String, _ body: @escaping @Sendable () async -> Void) {}
  func perform(_ body: @escaping @Sendable () async throws -> Void) async {}
}
