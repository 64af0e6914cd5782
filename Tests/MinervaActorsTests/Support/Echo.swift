import Distributed
import MinervaActors
import MinervaTransport
import MinervaWire
import Synchronization

/// The interface the tests call.
@Resolvable
protocol Echo: DistributedActor where ActorSystem == BusSystem {
  distributed func echo(_ bytes: [UInt8]) async throws -> [UInt8]
  distributed func add(_ left: Int, _ right: Int) async throws -> Int
  distributed func note(_ number: Int) async throws
  distributed func noteSlowly(_ number: Int) async throws
  distributed func noteLate(_ number: Int) async throws -> Int
  distributed func refuse(_ text: String) async throws
  distributed func crash() async throws
  distributed func hang() async throws
  distributed func caller() async throws -> String
  distributed func first<Element: Codable & Sendable>(_ elements: [Element]) async throws -> Element
  distributed func hidden() async throws -> Int
}

struct SecretTrouble: Error { let secret = "hunter2" }

extension InterfaceTargets where Stub == $Echo {
  static func echo() async throws -> InterfaceTargets {
    try await learn($Echo.self) { probe in
      try await probe("echo") { _ = try await $0.echo([]) }
      try await probe("add") { _ = try await $0.add(0, 0) }
      try await probe("note") { try await $0.note(0) }
      try await probe("noteSlowly") { try await $0.noteSlowly(0) }
      try await probe("noteLate") { _ = try await $0.noteLate(0) }
      try await probe("refuse") { try await $0.refuse("") }
      try await probe("crash") { try await $0.crash() }
      try await probe("hang") { try await $0.hang() }
      try await probe("caller") { _ = try await $0.caller() }
    }
  }
}

/// An ordinary actor on the cooperative pool.
distributed actor PoolEcho: Echo {
  typealias ActorSystem = BusSystem
  private var numbers: [Int] = []
  private let hung = Signal()

  distributed func echo(_ bytes: [UInt8]) throws -> [UInt8] { bytes }
  distributed func add(_ left: Int, _ right: Int) throws -> Int { left + right }
  distributed func note(_ number: Int) throws { numbers.append(number) }
  distributed func noteSlowly(_ number: Int) throws { numbers.append(number) }
  distributed func noteLate(_ number: Int) throws -> Int { number }
  distributed func refuse(_ text: String) throws { throw MinervaError("app.refused", text, details: ["why": text], retryable: true) }
  distributed func crash() throws { throw SecretTrouble() }
  distributed func hang() async throws {
    hung.set()
    try await Task.sleep(for: .seconds(3_600))
  }
  distributed func caller() throws -> String { BusSystem.currentCaller.map { "\($0.node) \($0.role)" } ?? "nobody" }
  distributed func first<Element: Codable & Sendable>(_ elements: [Element]) throws -> Element { elements[0] }
  distributed func hidden() throws -> Int { 42 }

  func noted() -> [Int] { numbers }
  nonisolated func waitForHang() async { if let local = await whenLocal({ $0.hung }) { await local.wait() } }
}

/// An actor that runs on the bus's loop.
distributed actor LoopEcho: Echo {
  typealias ActorSystem = BusSystem
  nonisolated var unownedExecutor: UnownedSerialExecutor { actorSystem.loop.asUnownedSerialExecutor() }
  private var numbers: [Int] = []

  distributed func echo(_ bytes: [UInt8]) throws -> [UInt8] { bytes }
  distributed func add(_ left: Int, _ right: Int) throws -> Int { left + right }
  distributed func note(_ number: Int) throws { numbers.append(number) }
  distributed func noteSlowly(_ number: Int) throws { numbers.append(number) }
  distributed func noteLate(_ number: Int) throws -> Int { number }
  distributed func refuse(_ text: String) throws { throw MinervaError("app.refused", text, details: ["why": text], retryable: true) }
  distributed func crash() throws { throw SecretTrouble() }
  distributed func hang() async throws { try await Task.sleep(for: .seconds(3_600)) }
  distributed func caller() throws -> String { BusSystem.currentCaller.map { "\($0.node) \($0.role)" } ?? "nobody" }
  distributed func first<Element: Codable & Sendable>(_ elements: [Element]) throws -> Element { elements[0] }
  distributed func hidden() throws -> Int { 42 }

  /// Notes to come, and who waits for them.
  private var late: [(number: Int, reply: LateReply)] = []

  /// The notes of callers that did not wait.
  private(set) var givenUp: [Int] = []

  func noted() -> [Int] { numbers }

  var waiting: Int { late.count }

  /// Makes the notes that wait, the last first; a note of zero is refused.
  func noteWaiting() {
    for (number, reply) in late.reversed() {
      numbers.append(number)
      if number == 0 { reply.fail(SecretTrouble()) } else { reply.answer(number) }
    }
    late = []
  }

  /// Exposes an actor, with direct paths for some methods but not for `add`.
  static func serve(on bus: BusSystem, as name: String = "echo") async throws -> LoopEcho {
    let actor = BusSystem.named(name) { LoopEcho(actorSystem: bus) }
    try await bus.expose(actor, as: .echo()) { table in
      try table.direct("echo") { me, arguments in try me.echo(arguments.next()) }
      try table.direct("note") { me, arguments in try me.note(arguments.next()) }
      try table.direct("caller") { me, _ in try me.caller() }
      try table.direct("crash") { me, _ in try me.crash() }
      try table.direct("refuse") { me, arguments in try me.refuse(arguments.next()) }
      try table.later("noteLate") { me, arguments, reply in
        let number: Int = try arguments.next()
        if number < 0 { throw MinervaError("app.refused", "no negative numbers") }
        me.late.append((number, reply))
        reply.whenGivenUp { me.givenUp.append(number) }
      }
    }
    return actor
  }
}

extension PoolEcho {
  static func serve(on bus: BusSystem, as name: String = "echo") async throws -> PoolEcho {
    let actor = BusSystem.named(name) { PoolEcho(actorSystem: bus) }
    try await bus.expose(actor, as: .echo())
    return actor
  }
}

/// Something that happens once and can be waited for.
final class Signal: Sendable {
  private let state = Mutex<(isSet: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

  func set() {
    let waiters = state.withLock { state in
      state.isSet = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isSet = state.withLock { state in
        if !state.isSet { state.waiters.append(continuation) }
        return state.isSet
      }
      if isSet { continuation.resume() }
    }
  }
}
