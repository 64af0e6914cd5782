import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Synchronization
import TestSupport
import Testing

/// What a host says of what it holds (K4).
@Suite("What is left of coordinators (K4)")
struct InspectionTests {
  private func held(_ host: TestHost) async -> [HostInspection.Coordinator] { await host.runtime.inspect(nil).coordinators }

  @Test("K4: a task that goes on after its screen is gone is named with its place, one that ends is not")
  func tasks() async throws {
    let (gate, running) = (Gate(), Gate())
    let host = try TestHost([
      .scripted([
        "obedient": { me in
          me.context.task { while !Task.isCancelled { await Task.yield() } }
        },
        "stubborn": { me in
          me.context.task(file: "Edit.swift", line: 31) {
            running.open()
            await gate.waitHoweverCancelled()
          }
        },
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("obedient", on: 1)
    await host.tap("stubborn", on: 1)
    _ = await host.broker.turns.first(3)
    await running.wait()
    #expect(await held(host).map(\.tasks.count) == [2])
    #expect(await held(host).first?.ended == nil)
    await host.end(1)
    try await until("the task alone is left") { await held(host).first.map { $0.ended != nil && $0.tasks.count == 1 } ?? false }
    #expect(await held(host).first?.tasks.map(\.place) == ["Edit.swift:31"])
    gate.open()
    try await until("nothing is left") { await held(host).isEmpty }
  }

  @Test("K4: a handler at work is told with its message; one that awaits a child is not at work")
  func handlers() async throws {
    let (gate, entered) = (Gate(), Gate())
    let host = try TestHost([
      .scripted([
        "slow": { _ in
          entered.open()
          await gate.wait()
        },
        "ask": { me in _ = try await me.context.push(Counter.self, .init(start: 1)).result },
      ])
    ])
    await host.open("Scripted", as: 1)
    await host.tap("ask", on: 1)
    _ = await host.broker.turns.first(2)
    try await until("the handler that awaits has stepped aside") { await held(host).first?.handler == nil }
    await host.tap("slow", on: 1)
    await entered.wait()
    #expect(await held(host).first?.handler?.message == 2)
    gate.open()
    _ = await host.broker.turns.first(1)
    try await until("nobody is at work") { await held(host).first?.handler == nil }
    await host.send(
      .requestSettled(RequestKey(screen: ScreenID(1), turn: 2, index: 0), .done(Outcome(verb: "open", screen: ScreenID(2)))), to: 1)
    await host.end(1)
    try await until("nothing is left") { await held(host).isEmpty }
  }

  @Test("K4: a coordinator that something still holds is told of until it is let go")
  func heldInMemory() async throws {
    let kept = Mutex<[ScriptedCoordinator]>([])
    let host = try TestHost([
      ModuleOffer { (_: NoInput, context: Context<Scripted>) in
        let coordinator = ScriptedCoordinator(context, [:])
        kept.withLock { $0.append(coordinator) }
        return coordinator
      }
    ])
    await host.open("Scripted", as: 1)
    await host.end(1)
    try await until("it is held") { await held(host).first?.remains == .held }
    #expect(await held(host).map(\.tasks.count) == [0])
    kept.withLock { $0 = [] }
    try await until("nothing is left") { await held(host).isEmpty }
  }

  @Test("K4: a factory that does not return, and an unload that does not, are told of after the end")
  func stuck() async throws {
    let (making, unloading, entered) = (Gate(), Gate(), Gate())
    let host = try TestHost([
      ModuleOffer { (input: Counter.Input, context: Context<Counter>) in
        entered.open()
        await making.waitHoweverCancelled()
        return CounterCoordinator(input, context)
      },
      .scripted(["unload": { _ in await unloading.waitHoweverCancelled() }]),
    ])
    let opening = Task { await host.open("Counter", #"{"start":1}"#, as: 1) }
    await entered.wait()
    await host.open("Scripted", as: 2)
    await host.end(1)
    await host.end(2)
    try await until("both are told of") { await held(host).map(\.remains) == [.making, .unloading] }
    making.open()
    unloading.open()
    _ = await opening.value
    try await until("nothing is left") { await held(host).isEmpty }
  }

  @Test("K4: a thousand openings and closings leave nothing (1,000 cycles)")
  func cycles() async throws {
    let host = try TestHost([
      .scripted([
        "work": { me in
          me.context.task { while !Task.isCancelled { await Task.yield() } }
          me.context.observe(AsyncStream<Int> { _ in }) { [weak me] _ in await me?.note("never") }
        }
      ])
    ])
    await host.open("Scripted", as: 1)
    for screen in UInt32(2)...1_001 {
      await host.open("Scripted", as: screen)
      await host.tap("work", on: screen)
      await host.end(screen)
    }
    try await until("one is left") { await held(host).count == 1 }
    #expect(await held(host).first?.screen == ScreenID(1))
    #expect(await held(host).first?.ended == nil)
  }
}

extension Gate {
  /// Waits as code does that does not look whether it was cancelled.
  fileprivate func waitHoweverCancelled() async {
    await Task.detached { await self.wait() }.value
  }
}
