import Distributed
import MinervaActors
import MinervaTransport
import MinervaWire
import Synchronization
import TestSupport
import Testing

@Suite("Calls between two buses", .timeLimit(.minutes(1)))
struct CallTests {
  @Test("values and errors cross every kind of link", arguments: Pair.Way.allCases, [false, true])
  func crosses(_ way: Pair.Way, onLoop: Bool) async throws {
    try await Pair.with(way) { pair in
      let actor: any DistributedActor = onLoop ? try await LoopEcho.serve(on: pair.server) : try await PoolEcho.serve(on: pair.server)
      let name = try await pair.client.connect(to: pair.endpoint)
      #expect(name == "server")
      let echo = try pair.echo()
      #expect(try await echo.echo([1, 2, 3]) == [1, 2, 3])
      #expect(try await echo.add(40, 2) == 42)
      try await echo.note(1)
      let refused = await failure { try await echo.refuse("because") }
      #expect(refused == MinervaError("app.refused", "because", details: ["why": "because"], retryable: true))
      #expect(try await echo.caller() == "client admin")
      withExtendedLifetime(actor) {}
    }
  }

  @Test("an error of another type crosses by its type alone: its text may hold what a payload held")
  func redacts() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let error = await failure { try await pair.echo().crash() }
      #expect(error?.code == .appFailed)
      #expect(error?.message.contains("SecretTrouble") == true)
      #expect("\(String(describing: error))".contains("hunter2") == false)
      withExtendedLifetime(actor) {}
    }
  }

  @Test("calls go both ways over one link, whoever dialled it")
  func bothWays() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.client, as: "back")
      try await pair.client.connect(to: pair.endpoint)
      let back = try $Echo.resolve(id: ActorAddress(node: "client", name: "back"), using: pair.server)
      #expect(try await back.add(1, 2) == 3)
      withExtendedLifetime(actor) {}
    }
  }

  @Test("a local actor resolved as its interface answers through a loop-back proxy")
  func loopBack() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      let stub = try $Echo.resolve(id: actor.id, using: pair.server)
      #expect(try await stub.add(2, 3) == 5)
      #expect(try await stub.caller() == "server admin")
      let error = await failure { _ = try await stub.hidden() }
      #expect(error?.code == .notExposed)
    }
  }

  @Test("a method that is not on the actor's list is refused, and generic methods do not cross")
  func allowList() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo()
      #expect(await failure { _ = try await echo.hidden() }?.code == .notExposed)
      #expect(await failure { _ = try await echo.first([1.5]) }?.code == .unsupported)
      #expect(await failure { _ = try await pair.echo("nobody").add(1, 1) }?.code == .noSuchActor)
      withExtendedLifetime(actor) {}
    }
  }

  @Test("calls that are answered later end by their own answers, in any order, or by what was thrown at once")
  func answersLater() async throws {
    try await Pair.with { pair in
      let actor = try await LoopEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo()
      #expect(await failure { _ = try await echo.noteLate(-1) }?.code.rawValue == "app.refused")
      let calls = (0..<5).map { number in Task { try await echo.noteLate(number) } }
      try await until { await actor.whenLocal { $0.waiting } == 5 }
      await actor.whenLocal { $0.noteWaiting() }
      #expect(await failure { _ = try await calls[0].value }?.code == .appFailed)
      for number in 1..<5 { #expect(try await calls[number].value == number) }
      #expect(await pair.server.peers().first?.callsServed == 0)
    }
  }

  @Test("late answers to a caller that is gone, or gave up, go nowhere; what is worked on for it is bounded (N15)")
  func lateAnswersToNobody() async throws {
    try await Pair.with(.ipc, server: { $0.limits.callsInFlight = 4 }, client: { $0.limits.callsInFlight = 4 }) { pair in
      let actor = try await LoopEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo()
      // What the caller gave up makes room for it, up to four windows of work.
      for round in 1...4 {
        let calls = (1...4).map { number in Task { try await echo.noteLate(number) } }
        try await until { await actor.whenLocal { $0.waiting } == 4 * round }
        for call in calls { call.cancel() }
        for call in calls { #expect(await failure { _ = try await call.value }?.code == .cancelled) }
        try await until { await actor.whenLocal { $0.givenUp.count } == 4 * round }
      }
      #expect(await failure { _ = try await echo.noteLate(5) }?.code == .backpressure)
      await actor.whenLocal { $0.noteWaiting() }
      let next = Task { try await echo.noteLate(6) }
      try await until { await actor.whenLocal { $0.waiting } == 1 }
      await actor.whenLocal { $0.noteWaiting() }
      #expect(try await next.value == 6)
      let last = Task { try await echo.noteLate(7) }
      try await until { await actor.whenLocal { $0.waiting } == 1 }
      await pair.client.close(grace: .zero)
      _ = await failure { _ = try await last.value }
      try await until { await pair.server.peers().isEmpty }
      await actor.whenLocal { $0.noteWaiting() }
      // Those that work on a call hear that nobody waits, by its end or its caller's, and of none that was answered.
      #expect(await actor.whenLocal { $0.givenUp.sorted() } == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 7])
    }
  }

  @Test("calls of one caller arrive in order, direct and general path mixed", arguments: [false, true])
  func keepsOrder(onLoop: Bool) async throws {
    try await Pair.with { pair in
      let loop = try await LoopEcho.serve(on: pair.server, as: "loop")
      let pool = try await PoolEcho.serve(on: pair.server, as: "pool")
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo(onLoop ? "loop" : "pool")
      let bus = pair.client
      try await Task(executorPreference: bus.taskExecutor) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<1_000 {
            group.addTask(executorPreference: bus.taskExecutor) {
              // On the loop actor `note` takes the direct path and `noteSlowly` the general one: neither may overtake the other.
              if number % 3 == 0 { try await echo.noteSlowly(number) } else { try await echo.note(number) }
            }
          }
          try await group.waitForAll()
        }
      }.value
      let noted = onLoop ? await loop.whenLocal { $0.noted() } : await pool.whenLocal { $0.noted() }
      #expect(noted == Array(0..<1_000))
    }
  }

  @Test("messages of every size keep their order, there and back: those that share a frame and those handed over alone")
  func keepsOrderOfSizes() async throws {
    try await Pair.with { pair in
      let loop = try await LoopEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo()
      let bus = pair.client
      let answered = Numbers()
      try await Task(executorPreference: bus.taskExecutor) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<300 {
            let bytes = [UInt8](repeating: 1, count: number % 7 == 0 ? 100 << 10 : number % 3 == 0 ? 9_000 : 10)
            group.addTask(executorPreference: bus.taskExecutor) {
              _ = try await echo.echo(bytes)
              answered.append(number)
            }
          }
          try await group.waitForAll()
        }
      }.value
      #expect(answered.all == Array(0..<300))
      withExtendedLifetime(loop) {}
    }
  }

  @Test("a call ends at its deadline, and the callee is cancelled")
  func deadline() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo()
      let error = await failure { try await BusSystem.$deadline.withValue(.milliseconds(80)) { try await echo.hang() } }
      #expect(error?.code == .deadline)
      #expect(await pair.client.counters().deadlines == 1)
      withExtendedLifetime(actor) {}
    }
  }

  @Test("a cancelled caller gets bus.cancelled, before and after the call is on its way")
  func cancellation() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo()
      let running = Task { await failure { try await echo.hang() } }
      await actor.waitForHang()
      running.cancel()
      #expect(await running.value?.code == .cancelled)
      let early = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await failure { try await echo.hang() }
      }
      #expect(await early.value?.code == .cancelled)
    }
  }

  @Test("calls in flight are bounded: bus.backpressure before anything is kept")
  func window() async throws {
    try await Pair.with(client: { $0.limits.callsInFlight = 4 }) { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo()
      let hanging = (0..<4).map { _ in Task { await failure { try await echo.hang() } } }
      await actor.waitForHang()
      try await until { !(await pair.client.peers().first?.callsInFlight != 4) }
      #expect(await failure { _ = try await echo.add(1, 1) }?.code == .backpressure)
      for task in hanging { task.cancel() }
      for task in hanging { #expect(await task.value?.code == .cancelled) }
      try await until { !(await pair.server.peers().first?.callsServed != 0) }
      #expect(try await echo.add(1, 1) == 2)
    }
  }

  @Test("byte strings from 64 KiB cross as frames of their own, in order with small calls", arguments: Pair.Way.allCases, [false, true])
  func largePayloads(_ way: Pair.Way, onLoop: Bool) async throws {
    try await Pair.with(way) { pair in
      let actor: any DistributedActor = onLoop ? try await LoopEcho.serve(on: pair.server) : try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      for size in [65_535, 65_536, 65_537, 1 << 20, 3 << 20] {
        let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        async let small = pair.echo().add(size, 1)
        #expect(try await pair.echo().echo(payload) == payload)
        #expect(try await small == size + 1)
      }
      // Over 4 MiB in frames is over the limit all the same.
      #expect(await failure { _ = try await pair.echo().echo([UInt8](repeating: 1, count: 5 << 20)) }?.code == .tooLarge)
      let local = try $Echo.resolve(id: ActorAddress(node: "server", name: "echo"), using: pair.server)
      #expect(try await local.echo([UInt8](repeating: 9, count: 100_000)).count == 100_000)
      withExtendedLifetime(actor) {}
    }
  }

  @Test("a message over the limit is refused before it is sent, and the link lives on")
  func tooLarge() async throws {
    try await Pair.with(client: { $0.limits.messageBytes = 64 << 10 }) { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo()
      #expect(await failure { _ = try await echo.echo(Array(repeating: 1, count: 70 << 10)) }?.code == .tooLarge)
      let large = [UInt8](repeating: 7, count: 60 << 10)
      #expect(try await echo.echo(large) == large)
      let list = [UInt8](repeating: 9, count: 200 << 10)
      #expect(try await BusSystem.$carriesLists.withValue(true) { try await echo.echo(list) } == list)
      withExtendedLifetime(actor) {}
    }
  }
}

/// Numbers in the order in which they came.
private final class Numbers: Sendable {
  private let numbers = Mutex<[Int]>([])
  var all: [Int] { numbers.withLock { $0 } }
  func append(_ number: Int) { numbers.withLock { $0.append(number) } }
}
