import MinervaActors
import MinervaInterfaces
import MinervaProtocol
import MinervaTransport
import MinervaWire

/// A client's calls to its broker, across lost connections: what the session machine says is performed here, on the bus's loop.
actor ClientSession {
  /// A call that has not ended.
  private struct Pending {
    /// Sends it with the milliseconds it has left.
    var send: (Int64) -> Void
    /// Ends it without an answer.
    var fail: (MinervaError) -> Void
    /// Tells the broker that nobody waits any more.
    var cancel: (() -> Void)?
    /// Ends it with the answer that came.
    var deliver: (() -> Void)?
  }

  nonisolated let bus: BusSystem
  nonisolated var unownedExecutor: UnownedSerialExecutor { bus.loop.asUnownedSerialExecutor() }

  private let gateway: $BrokerGateway
  private let targets: InterfaceTargets<$BrokerGateway>
  private let broker: String
  private var machine = ClientSessionStateMachine()
  private var calls: [UInt64: Pending] = [:]
  private var lastCall: UInt64 = 0
  /// Counts the lives of the link, so that a late failure of an earlier one is not taken for the loss of the present.
  private var link = 0
  private var notices: [UInt64: AsyncStream<ClientNotice>.Continuation] = [:]
  private var lastListener: UInt64 = 0

  init(bus: BusSystem, broker: String, targets: InterfaceTargets<$BrokerGateway>) throws {
    self.bus = bus
    self.targets = targets
    self.broker = broker
    gateway = try $BrokerGateway.resolve(id: ActorAddress(node: broker, name: WellKnown.broker), using: bus)
  }

  private var now: Moment { Moment(milliseconds: bus.loop.now) }

  /// Tells people when the broker is away and back, as long as they listen.
  func notices(_ continuation: AsyncStream<ClientNotice>.Continuation) {
    lastListener += 1
    let listener = lastListener
    notices[listener] = continuation
    continuation.onTermination = { [weak self] _ in
      guard let self else { return }
      Task { await self.leaves(listener) }
    }
  }

  private func leaves(_ listener: UInt64) { notices[listener] = nil }

  /// How many listen for notices.
  var listeners: Int { notices.count }

  // MARK: Calls

  /// Makes a call that ends once, within its time.
  func call<Value: Sendable>(
    _ repeatability: ClientSessionStateMachine.Repeatability, within time: Duration,
    _ body: @escaping @Sendable ($BrokerGateway) async throws -> Value
  ) async throws -> Value {
    lastCall += 1
    let id = lastCall
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        calls[id] = Pending(
          send: { [unowned self] left in self.send(id, left, continuation, body) }, fail: { continuation.resume(throwing: $0) })
        perform(machine.call(id, repeatability, deadline: now + time.milliseconds, at: now))
      }
    } onCancel: {
      Task { await self.cancel(id) }
    }
  }

  /// Asks a scene for something: like any keyed call, and no task of its own waits for the answer, since there are many.
  func request(_ request: SceneRequest, within time: Duration) async throws -> SceneAnswer {
    lastCall += 1
    let id = lastCall
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<SceneAnswer, any Error>) in
        calls[id] = Pending(
          send: { [unowned self] left in self.send(id, left, continuation, request) }, fail: { continuation.resume(throwing: $0) })
        perform(machine.call(id, .keyed, deadline: now + time.milliseconds, at: now))
      }
    } onCancel: {
      Task { await self.cancel(id) }
    }
  }

  private func send(_ id: UInt64, _ left: Int64, _ continuation: CheckedContinuation<SceneAnswer, any Error>, _ request: SceneRequest) {
    let link = link
    let address = ActorAddress(node: broker, name: WellKnown.broker)
    let cancellation = CallCancellation()
    calls[id]?.cancel = { cancellation.cancel() }
    bus.call("request", of: targets, at: address, request, within: left, until: cancellation) {
      [self] (end: Result<SceneAnswer, any Error>) in
      // On the bus's loop, which is this actor's executor.
      assumeIsolated { me in
        switch end {
        case .success(let answer): me.ended(id) { continuation.resume(returning: answer) }
        case .failure(let error as MinervaError) where Self.isOfLink(error):
          if link == me.link { me.down(error.message) }
        case .failure(let error): me.ended(id) { continuation.resume(throwing: error) }
        }
      }
    }
  }

  private func send<Value: Sendable>(
    _ id: UInt64, _ left: Int64, _ continuation: CheckedContinuation<Value, any Error>,
    _ body: @escaping @Sendable ($BrokerGateway) async throws -> Value
  ) {
    let link = link
    let task = Task {
      do {
        let value = try await BusSystem.$deadline.withValue(.milliseconds(left)) { try await body(self.gateway) }
        self.ended(id) { continuation.resume(returning: value) }
      } catch let error as MinervaError where Self.isOfLink(error) {
        if link == self.link { self.down(error.message) }
      } catch {
        self.ended(id) { continuation.resume(throwing: error) }
      }
    }
    calls[id]?.cancel = { task.cancel() }
  }

  /// Whether an error says that the link to the broker is down. What a handler met on a link of its own has the same code, and came as an
  /// answer: the broker's refusals name its epoch.
  private static func isOfLink(_ error: MinervaError) -> Bool {
    (error.code == .peerLost || error.code == .unreachable) && error.details[MinervaError.Detail.epoch] == nil
  }

  private func ended(_ id: UInt64, _ deliver: @escaping () -> Void) {
    calls[id]?.deliver = deliver
    perform(machine.answered(id))
  }

  private func cancel(_ id: UInt64) { perform(machine.cancel(id)) }

  // MARK: The link

  /// Takes what happens to the broker's connection.
  func peer(_ event: PeerEvent) {
    switch event {
    case .connected(let peer) where peer.node == broker:
      link += 1
      perform(machine.linkUp(at: now))
    case .lost(let node, _, let reason) where node == broker: down(reason)
    default: break
    }
  }

  private func down(_ reason: String) {
    link += 1
    perform(machine.linkDown(reason: reason))
  }

  /// Ends late calls and returns when to be called next.
  func alarm(at now: Int64) -> Int64 {
    perform(machine.tick(Moment(milliseconds: now)))
    return machine.nextDeadline?.milliseconds ?? .max
  }

  /// How many calls wait for the broker to be back.
  var unsent: Int { machine.unsent }

  /// Ends every call; returns how many of them were never sent.
  func close() -> Int {
    let unsent = machine.unsent
    perform(machine.close())
    for notice in notices.values { notice.finish() }
    notices = [:]
    return unsent
  }

  private func perform(_ actions: [ClientSessionStateMachine.Action]) {
    for action in actions {
      switch action {
      // The link's own handshake is the registration of a client.
      case .register: perform(machine.registered(epoch: 0, at: now))
      case .send(let id, _, let left): calls[id]?.send(left)
      case .fail(let id, let error): calls.removeValue(forKey: id)?.fail(error)
      case .deliver(let id): calls.removeValue(forKey: id)?.deliver?()
      case .announceLost(let reason): for notice in notices.values { notice.yield(.brokerLost(reason: reason)) }
      case .announceRegistered(_, let again): if again { for notice in notices.values { notice.yield(.brokerBack) } }
      case .sendCancel(let id): calls[id]?.cancel?()
      case .dropLink: break
      }
    }
    if let next = machine.nextDeadline { bus.loop.sweep(noLaterThan: next.milliseconds) }
  }
}

/// What a client tells people of its broker.
public enum ClientNotice: Hashable, Sendable {
  case brokerLost(reason: String)
  case brokerBack
}
