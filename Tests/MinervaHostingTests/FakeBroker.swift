import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Synchronization

/// A broker that notes what hosts say, and answers as it is told to.
final class FakeBroker: BrokerLink {
  private struct State {
    var isHeld = false
    var held: [CheckedContinuation<Void, Never>] = []
    var refusal: Refusal?
    var once: [Refusal] = []
    var noted: [String] = []
    var away: Gate?
    var said: [String] = []
    var asker: (@Sendable (CoordinatorCall) async throws -> [UInt8])?
  }

  private let state = Mutex(State())
  let turns: AsyncStream<TurnSubmission>
  let renderings: AsyncStream<RenderingReport>
  private let turnsIn: AsyncStream<TurnSubmission>.Continuation
  private let renderingsIn: AsyncStream<RenderingReport>.Continuation

  init() {
    (turns, turnsIn) = AsyncStream.makeStream()
    (renderings, renderingsIn) = AsyncStream.makeStream()
  }

  /// The turns and renderings so far, in order, as `turn s1.2` and `show s1 v3`.
  var said: [String] { state.withLock { $0.said } }

  func children(of screen: ScreenID, in scene: SceneIdentity) async throws -> [ScreenID] { [ScreenID(screen.number + 1)] }

  /// From now on turns are answered only after `release`, as if the broker were away.
  func hold() { state.withLock { $0.isHeld = true } }

  func release() {
    let held = state.withLock { state in
      state.isHeld = false
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// From now on turns are refused.
  func refuse(_ refusal: Refusal) { state.withLock { $0.refusal = refusal } }

  /// The next turns are refused, one for each refusal.
  func refuse(next refusals: [Refusal]) { state.withLock { $0.once = refusals } }

  /// The lines of the host's log.
  var noted: [String] { state.withLock { $0.noted } }

  func answerQuestions(_ asker: @escaping @Sendable (CoordinatorCall) async throws -> [UInt8]) { state.withLock { $0.asker = asker } }

  func submit(_ turn: TurnSubmission) async throws -> TurnReceipt {
    state.withLock { $0.said.append("turn \(turn.report.screen).\(turn.report.number)") }
    turnsIn.yield(turn)
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if state.isHeld { state.held.append(continuation) }
        return state.isHeld
      }
      if !isHeld { continuation.resume() }
    }
    return TurnReceipt(refusal: state.withLock { $0.once.isEmpty ? $0.refusal : $0.once.removeFirst() })
  }

  func report(_ rendering: RenderingReport) async {
    state.withLock { $0.said.append("show \(rendering.rendering.screen) v\(rendering.rendering.version)") }
    renderingsIn.yield(rendering)
    if let gate = state.withLock({ $0.away }) { await gate.wait() }
  }

  /// From now on what screens show is delivered when the gate opens, as if the broker were away.
  func holdRenderings(_ gate: Gate?) { state.withLock { $0.away = gate } }

  func note(_ line: String) { state.withLock { $0.noted.append(line) } }

  func ask(_ call: CoordinatorCall) async throws -> [UInt8] {
    guard let asker = state.withLock({ $0.asker }) else { throw MinervaError(.staleRef, "nobody is there") }
    return try await asker(call)
  }
}

/// A host with a fake broker, and its coordinators' messages numbered for it.
final class TestHost: Sendable {
  let broker = FakeBroker()
  let runtime: HostRuntime
  let scene = SceneIdentity(name: "main", app: "test", incarnation: 1)
  private let numbers = Mutex<[ScreenID: UInt32]>([:])

  init(_ modules: [ModuleOffer], differ: any DiffComputing = InProcessDiff()) throws {
    runtime = HostRuntime(name: "test-1", modules: try ModuleRegistry(modules), link: broker, differ: differ)
  }

  /// Opens a module as the broker would, and lets it start.
  @discardableResult
  func open(_ module: String, _ input: String = "{}", as screen: UInt32, lease: UInt32 = 1) async -> LinkVerdict {
    let connection = made(
      Orders.Connection(
        screen: ScreenID(screen), lease: lease, module: ModuleAddress(name: module), input: Array(input.utf8), via: .push, parent: nil,
        parentHost: nil, seq: 1, txn: "t\(screen)", deadline: SceneTime(milliseconds: 2000)), as: Connection.self)
    let verdict = await runtime.connect(ConnectOrder(scene: scene, connection: connection))
    await runtime.start(ScreenID(screen), in: scene)
    return verdict
  }

  func resume(
    _ module: String, _ input: String, state: String?, nextTurn: UInt32, lease: UInt32, as screen: UInt32, shown: ShownList? = nil
  )
    async -> LinkVerdict
  {
    let resumption = made(
      Orders.Resumption(
        screen: ScreenID(screen), lease: lease, module: ModuleAddress(name: module), host: "test-1", input: Array(input.utf8),
        state: state.map { Array($0.utf8) }, nextTurn: nextTurn, parent: nil, children: [], deadline: SceneTime(milliseconds: 2000)),
      as: Resumption.self)
    let verdict = await runtime.resume(ResumeOrder(scene: scene, resumption: resumption, shown: shown))
    await runtime.start(ScreenID(screen), in: scene)
    return verdict
  }

  /// Delivers a message under the next number of its coordinator.
  func send(_ body: Message.Body, to screen: UInt32, lease: UInt32 = 1) async {
    let number = numbers.withLock { numbers in
      numbers[ScreenID(screen), default: 0] += 1
      return numbers[ScreenID(screen), default: 0]
    }
    await deliver(Message(number: number, body: body), to: screen, lease: lease)
  }

  func deliver(_ message: Message, to screen: UInt32, lease: UInt32 = 1) async {
    let delivery = made(Orders.Delivery(screen: ScreenID(screen), host: "test-1", lease: lease, message: message), as: Delivery.self)
    await runtime.take([.deliver(scene, delivery, at: SceneTime(milliseconds: UInt64(message.number) * 1000))])
  }

  func tap(_ row: String, on screen: UInt32, lease: UInt32 = 1) async {
    await send(.act(.tap(row: row, action: nil)), to: screen, lease: lease)
  }

  func end(_ screen: UInt32, _ module: String = "") async {
    let departure = made(
      Orders.Departure(screen: ScreenID(screen), module: module, host: "test-1", lease: 1, reason: .popped), as: Departure.self)
    await runtime.take([.end(scene, departure)])
  }
}

/// The orders that only the core makes, in their encoded shape.
private enum Orders {
  struct Connection: Encodable {
    var screen: ScreenID
    var lease: UInt32
    var module: ModuleAddress
    var input: [UInt8]
    var via: Presentation?
    var parent: ScreenID?
    var parentHost: String?
    var seq: UInt64
    var txn: String
    var deadline: SceneTime
  }

  struct Resumption: Encodable {
    var screen: ScreenID
    var lease: UInt32
    var module: ModuleAddress
    var host: String
    var input: [UInt8]
    var state: [UInt8]?
    var nextTurn: UInt32
    var parent: ScreenID?
    var children: [ScreenSummary]
    var deadline: SceneTime
  }

  struct Delivery: Encodable {
    var screen: ScreenID
    var host: String
    var lease: UInt32
    var message: Message
  }

  struct Departure: Encodable {
    var screen: ScreenID
    var module: String
    var host: String
    var lease: UInt32
    var reason: RemovalReason
  }
}

private func made<Order: Decodable>(_ order: some Encodable, as type: Order.Type) -> Order {
  do {
    return try CBOR.decode(type, from: CBOR.encode(order))
  } catch {
    preconditionFailure("\(type) has another shape now: \(error)")
  }
}

extension AsyncStream {
  /// The first elements, as many as asked for.
  func first(_ count: Int) async -> [Element] {
    var elements: [Element] = []
    for await element in self {
      elements.append(element)
      if elements.count == count { break }
    }
    return elements
  }
}

/// Something that tests hold back and let go.
final class Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let opener: AsyncStream<Void>.Continuation

  init() {
    (stream, opener) = AsyncStream.makeStream()
  }

  func open() { opener.finish() }

  func wait() async {
    for await _ in stream {}
  }
}
