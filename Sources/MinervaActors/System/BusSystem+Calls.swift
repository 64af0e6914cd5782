import MinervaProtocol
import MinervaTransport
package import MinervaWire
import Synchronization

// Own calls: from the caller's task to the loop, and the answer back.
extension BusSystem {
  /// What the current task demands of its calls.
  @usableFromInline func terms(of target: String, _ invocation: BusInvocationEncoder) throws -> CallTerms {
    if isRecorder { throw RecordedCall(target: target, arguments: invocation.arguments, isThroughStub: invocation.isThroughStub) }
    let now = loop.isCurrent ? loop.now : MonotonicTime.milliseconds
    let budget = callBudget
    return CallTerms(arguments: invocation.arguments, isList: Self.carriesLists, deadline: budget > .max - now ? .max : now + budget)
  }

  /// Brings a call on its way; the continuation is resumed once, whatever happens.
  @usableFromInline func begin(
    _ address: ActorAddress, _ target: String, _ invocation: BusInvocationEncoder, _ terms: CallTerms,
    _ continuation: UnsafeContinuation<Answer, any Error>
  ) {
    // Asked here and not of the current task, which would be counted up and down for it.
    if continuation.isTaskCancelled {
      return continuation.resume(throwing: MinervaError(.cancelled, "the caller had given up before the call"))
    }
    if loop.isCurrent { return begin(address, target, invocation.encoder, terms, .task(continuation)) }
    let call = OutgoingCall(address: address, target: target, encoder: invocation.encoder, terms: terms, continuation: .task(continuation))
    loop.post { self.begin(call.address, call.target, call.encoder, call.terms, call.continuation) }
  }

  /// The value of an answer.
  @usableFromInline func decode<Success: Decodable>(_ answer: Answer, as type: Success.Type) throws -> Success {
    let (depth, payloads) = (settings.limits.depth, answer.frame.payloadBytes)
    return try withExtendedLifetime(answer.frame) {
      guard loop.isCurrent else { return try CBORDecoder(answer.body, depth: depth, payloads: payloads).decode(type) }
      let decoder = supplies.decoders.take(answer.body, payloads, depth: depth)
      defer { supplies.decoders.giveBack(decoder) }
      return try decoder.decode(type)
    }
  }

  /// Calls a method with one argument, and hears the end on the loop: no task waits for it. Loop thread only.
  ///
  /// - Parameters:
  ///   - label: The method's label in the interface's list.
  ///   - milliseconds: How long the call may take.
  ///   - cancellation: Gives the call up when it is told to.
  ///   - hear: Told once, with the value or the error, possibly before this returns.
  package func call<Stub, Value: Decodable>(
    _ label: String, of targets: InterfaceTargets<Stub>, at address: ActorAddress, _ argument: some Encodable, within milliseconds: Int64,
    until cancellation: CallCancellation? = nil, hear: @escaping (Result<Value, any Error>) -> Void
  ) {
    guard let target = targets.target(labelled: label) else {
      return hear(.failure(MinervaError(.notExposed, "the interface has no method labelled \(label)")))
    }
    let encoder = supplies.encoders.take()
    do throws(MinervaError) { try encoder.encode(argument) } catch { return hear(.failure(error)) }
    let now = loop.now
    let terms = CallTerms(arguments: 1, isList: false, deadline: milliseconds > .max - now ? .max : now + milliseconds)
    let end = CallEnd.closure({ end in hear(end.flatMap { answer in Result { try self.decode(answer, as: Value.self) } }) }, cancellation)
    begin(address, target, encoder, terms, end)
  }

  /// How many milliseconds the current task gives its calls.
  private var callBudget: Int64 {
    let left = CallContext.current.map { $0.deadline == .max ? Int64.max : max(0, $0.deadline - MonotonicTime.milliseconds) }
    let wanted = Self.deadline.map(\.millisecondsRoundedUp)
    switch (wanted, left) {
    case (let wanted?, let left?): return min(wanted, left)
    case (let wanted?, nil): return wanted
    case (nil, let left?): return min(left, settings.deadline.millisecondsRoundedUp)
    case (nil, nil): return defaultBudget
    }
  }

  /// Brings a call on its way, or ends it at once: a peer that cannot be reached is an error now, not a silence until the deadline.
  @inline(__always) private func begin(
    _ address: ActorAddress, _ target: String, _ encoder: CBOREncoder, _ terms: CallTerms, _ continuation: CallEnd
  ) {
    if let known = lastPort, closing == nil {
      let isDone = known._withUnsafeGuaranteedRef { port in
        guard port.peer.node == address.node else { return false }
        port.begin(address, target, encoder, terms, continuation)
        return true
      }
      if isDone { return }
    }
    beginElsewhere(OutgoingCall(address: address, target: target, encoder: encoder, terms: terms, continuation: continuation))
  }

  private func beginElsewhere(_ call: OutgoingCall) {
    guard closing == nil else { return call.fail(MinervaError(.closed, "this process is closing its bus")) }
    let name = call.address.node
    if name == settings.node { return loopBackPort.begin(call) }
    guard let node = nodes[name] else { return call.fail(Self.unreachable(name, "nobody of that name is connected")) }
    if let port = node.port {
      lastPort = Unmanaged.passUnretained(port)
      port.begin(call)
      return
    }
    do throws(MinervaError) { try wait(call, for: node) } catch { call.fail(error) }
  }

  /// Dials a node of the address book; the call waits for the attempt that runs, never for a later one.
  private func wait(_ call: OutgoingCall, for node: Node) throws(MinervaError) {
    guard let route = node.route else { throw Self.unreachable(node.name, "its connection is lost and it was not dialled from here") }
    let link: Link
    if let dialled = node.dialled { link = dialled } else { link = try transport.dial(route.endpoint, server: route.server) }
    node.dialled = link
    guard link.machine.isReaching else {
      throw Self.unreachable(node.name, "the last attempt at \(route.endpoint) failed; the next one follows")
    }
    guard node.waiting.count < settings.limits.callsInFlight else {
      throw .backpressure("the queue for \(node.name)", limit: settings.limits.callsInFlight, retryAfterMilliseconds: 20)
    }
    node.waiting.append(call)
    loop.sweep(noLaterThan: min(call.terms.deadline, loop.now + CallPort.cancellationInterval))
  }

  /// Hands a message of this process to itself, in a later turn, through the same gates as one from outside.
  func loopBack(_ buffer: OutputBuffer, _ payloads: [[UInt8]], isList: Bool) throws(MinervaError) {
    let limit = isList ? settings.limits.listMessageBytes : settings.limits.messageBytes
    let count = payloads.reduce(buffer.count) { $0 + $1.count }
    guard count <= limit else { throw .tooLarge("the message", bytes: count, limit: limit) }
    guard let frame = buffer.withUnsafeBytes({ Frame.copying($0, payloads) }) else {
      throw MinervaError(.backpressure, "no memory for the message", retryable: true)
    }
    loop.post {
      do throws(MinervaError) {
        let envelope = try Envelope.read(frame.bytes, limits: self.settings.limits)
        self.take(envelope, frame.bytes, in: frame, on: self.loopBackPort)
      } catch {
        self.transport.counters.badMessages += 1
      }
    }
  }

  // MARK: Errors

  static func unreachable(_ node: String, _ reason: String) -> MinervaError {
    MinervaError(.unreachable, "\(node) cannot be called: \(reason)", retryable: true)
  }

  static func late(_ address: ActorAddress) -> MinervaError { late("\(address)") }

  static func late(_ whom: String) -> MinervaError {
    MinervaError(.deadline, "no answer of \(whom) in time", details: [MinervaError.Detail.maybeExecuted: "true"])
  }

  /// An error as it crosses processes: ours as it is, any other by its type alone, since its text may hold what a payload held.
  package static func crossing(_ error: any Error) -> MinervaError {
    switch error {
    case let error as MinervaError: error
    case is CancellationError: MinervaError(.cancelled, "the call was cancelled")
    default:
      MinervaError(
        .appFailed, "the actor threw \(String(reflecting: type(of: error)))", details: ["type": String(reflecting: type(of: error))])
    }
  }
}

extension BusSystem {
  /// How many calls wait for a first connection.
  package func waitingCalls() async -> Int { await onLoop { self.nodes.values.reduce(0) { $0 + $1.waiting.count } } }
}
