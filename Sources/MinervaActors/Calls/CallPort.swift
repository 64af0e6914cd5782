import MinervaTransport
import MinervaWire

/// The calls of one life of one link, in both directions. Without a link it is the loop-back of the process itself. Confined to the loop.
final class CallPort: @unchecked Sendable {
  // Alive whenever the loop runs something: the loop keeps it until it has ended, a served call after that.
  unowned(unsafe) let system: BusSystem
  let peer: PeerIdentity
  // Held strongly, since reaching them through the unowned system would cost reference counting in every call.
  private let transport: Transport
  private let loop: EventLoop
  private let supplies: CallSupplies
  let link: Link?
  @exclusivity(unchecked) private var pending = PendingCalls()
  private var served: [UInt64: ServedCall] = [:]
  /// What the peer subscribed to, by topic.
  var lanes: [String: EventLane] = [:]
  @exclusivity(unchecked) private(set) var isOver = false

  init(_ link: Link?, _ peer: PeerIdentity, on system: BusSystem) {
    self.link = link
    self.peer = peer
    self.system = system
    transport = system.transport
    loop = system.loop
    supplies = system.supplies
    limits = link?.limits ?? system.settings.limits
  }

  /// What both ends agreed on; it does not change while the link is up.
  let limits: Limits
  var callsInFlight: Int { pending.count }
  var callsServed: Int { served.count + servedLater.count }
  /// Calls whose answer somebody holds the place of, unless the peer gave them up.
  private var servedLater: Set<UInt64> = []
  /// Those that it gave up: they take no room in the window, but whoever works on them is bounded as well.
  private var givenUp: Set<UInt64> = []

  // MARK: Own calls

  func begin(_ call: borrowing OutgoingCall) { begin(call.address, call.target, call.encoder, call.terms, call.continuation) }

  @inline(__always) func begin(
    _ address: ActorAddress, _ target: String, _ encoder: CBOREncoder, _ terms: CallTerms, _ continuation: CallEnd
  ) {
    do throws(MinervaError) {
      guard pending.count < limits.callsInFlight else {
        throw .backpressure("the window of calls in flight", limit: limits.callsInFlight, retryAfterMilliseconds: 20)
      }
      let remaining = terms.deadline - loop.now
      guard remaining > 0 else { throw BusSystem.late(address) }
      let identifier = pending.insert(PendingCall(continuation: continuation, deadline: terms.deadline))
      do throws(MinervaError) {
        try write(address, target, encoder, terms, identifier, remaining)
      } catch {
        _ = pending.remove(identifier)
        throw error
      }
      transport.counters.callsSent += 1
      loop.sweep(noLaterThan: min(terms.deadline, loop.now + Self.cancellationInterval))
    } catch {
      if error.code == .backpressure { transport.counters.backpressure += 1 }
      continuation.resume(throwing: error)
    }
  }

  /// Completes the message behind the arguments: the address as trailer, the envelope over the room in front.
  @inline(__always) private func write(
    _ address: ActorAddress, _ target: String, _ encoder: CBOREncoder, _ terms: CallTerms, _ identifier: UInt64, _ remaining: Int64
  ) throws(MinervaError) {
    let buffer = encoder.buffer
    let header = Envelope(
      .call, flags: Envelope.Flags(isList: terms.isList), arguments: UInt8(truncatingIfNeeded: terms.arguments),
      frames: UInt8(truncatingIfNeeded: encoder.payloads.count), call: identifier, deadline: UInt32(clamping: remaining))
    let target = supplies.targets.index(of: target).map(OutputBuffer.Target.index) ?? .name(target)
    try buffer.complete(call: header, to: address.name, target, nameLimit: limits.nameBytes)
    if try send(buffer, encoder.payloads, isList: terms.isList) { supplies.encoders.giveBack(encoder) }
  }

  /// Queues a message; true when the buffer may be used again.
  @inline(__always) @discardableResult private func send(_ buffer: OutputBuffer, _ payloads: [[UInt8]] = [], isList: Bool)
    throws(MinervaError) -> Bool
  {
    if let link { return try link.send(buffer, payloads, isList: isList) }
    try system.loopBack(buffer, payloads, isList: isList)
    return payloads.isEmpty
  }

  /// An answer came in; one that comes too late meets nobody.
  @inline(__always) func answered(_ identifier: UInt64, _ body: UnsafeRawBufferPointer, in frame: Frame) {
    guard let call = pending.remove(identifier, isAnswered: true) else { return answeredAgain(identifier) }
    call.continuation.resume(returning: Answer(frame: frame, body: body))
  }

  /// An answer came to a call that is over: a second one is counted, one to a call that was given up is in order.
  private func answeredAgain(_ identifier: UInt64) {
    if pending.wasAnswered(identifier) { transport.counters.answersRepeated += 1 }
  }

  /// An error came in.
  func failed(_ identifier: UInt64, _ body: UnsafeRawBufferPointer) {
    guard let call = pending.remove(identifier, isAnswered: true) else {
      answeredAgain(identifier)
      return system.refused(identifier, at: peer.node)
    }
    let error: MinervaError
    do throws(MinervaError) { error = try CBOR.decode(MinervaError.self, from: body) } catch {
      return call.continuation.resume(throwing: error)
    }
    call.continuation.resume(throwing: error)
  }

  /// How often, in milliseconds, the waiting tasks are asked whether they were cancelled.
  static let cancellationInterval: Int64 = 20

  /// Ends the calls whose time is over or whose task was cancelled; returns when to look again.
  func sweep(at now: Int64) -> Int64 {
    guard pending.count > 0 else { return .max }
    for (identifier, call) in pending.removeCancelled() {
      sendCancel(identifier)
      call.continuation.resume(throwing: MinervaError(.cancelled, "the caller gave up"))
    }
    for (identifier, call) in pending.removeExpired(at: now) {
      transport.counters.deadlines += 1
      sendCancel(identifier)
      call.continuation.resume(throwing: BusSystem.late(peer.node))
    }
    return pending.count > 0 ? min(pending.earliest, now + Self.cancellationInterval) : .max
  }

  private func sendCancel(_ identifier: UInt64) {
    let buffer = OutputBuffer(capacity: Envelope.size)
    buffer.append(zeros: Envelope.size)
    buffer.complete(Envelope(.cancel, call: identifier))
    // A full queue loses no more than the hint that an answer is not wanted.
    do throws(MinervaError) { try send(buffer, isList: false) } catch { transport.counters.backpressure += 1 }
  }

  /// The link is gone: own calls end with the error, served ones are cancelled and their answers dropped.
  func end(_ error: MinervaError) {
    guard !isOver else { return }
    isOver = true
    for call in pending.removeAll() { call.continuation.resume(throwing: error) }
    for call in served.values { call.cancel() }
    served = [:]
    let given = hearing.values
    hearing = [:]
    for body in given { body() }
    closeLanes()
  }

  // MARK: Calls of the peer

  /// Begins to serve a call on the general path.
  func serve(_ identifier: UInt64, deadline: UInt32) throws(MinervaError) -> ServedCall {
    try requireRoom()
    guard served[identifier] == nil else { throw .badMessage("two calls with one id") }
    let until = deadline == 0 ? Int64.max : loop.now + Int64(deadline)
    let call = ServedCall(identifier, on: self, context: CallContext(caller: peer, deadline: until))
    served[identifier] = call
    return call
  }

  /// How many windows of calls may be worked on for one peer, those counted that it gave up.
  private static let windowsOfWork = 4

  private func requireRoom() throws(MinervaError) {
    guard callsServed < limits.callsInFlight, callsServed + givenUp.count < Self.windowsOfWork * limits.callsInFlight else {
      transport.counters.backpressure += 1
      throw .backpressure("the window of served calls", limit: limits.callsInFlight, retryAfterMilliseconds: 20)
    }
  }

  /// Begins to serve a call whose answer comes later.
  func serveLater(_ identifier: UInt64) throws(MinervaError) {
    try requireRoom()
    guard servedLater.insert(identifier).inserted else { throw .badMessage("two calls with one id") }
  }

  /// What hears that the peer gave a call up whose answer comes later, where somebody wants to.
  private var hearing: [UInt64: () -> Void] = [:]

  func whenGivenUp(_ identifier: UInt64, _ body: @escaping () -> Void) {
    if servedLater.contains(identifier), !isOver { hearing[identifier] = body } else { body() }
  }

  /// Sends the late answer of a call.
  func answerLate(_ identifier: UInt64, _ encode: (CBOREncoder) throws(MinervaError) -> Void) {
    guard isAwaited(identifier), !isOver else { return }
    let encoder = supplies.encoders.take()
    do throws(MinervaError) {
      try encode(encoder)
      if reply(identifier, encoder) { supplies.encoders.giveBack(encoder) }
    } catch {
      reply(identifier, failing: error)
    }
  }

  /// Sends an error as the late answer of a call.
  func failLate(_ identifier: UInt64, _ error: MinervaError) {
    if isAwaited(identifier) { reply(identifier, failing: error) }
  }

  /// Whether the peer still waits for a late answer, which it is given now.
  private func isAwaited(_ identifier: UInt64) -> Bool {
    if !hearing.isEmpty { hearing[identifier] = nil }
    if servedLater.remove(identifier) != nil { return true }
    givenUp.remove(identifier)
    return false
  }

  /// The peer gave up on a call: its task is told, and an answer that comes later is dropped and takes no room until then.
  func cancelled(_ identifier: UInt64) {
    if servedLater.remove(identifier) != nil {
      givenUp.insert(identifier)
      hearing.removeValue(forKey: identifier)?()
    }
    served[identifier]?.cancel()
  }

  func ended(_ call: ServedCall) {
    if served[call.identifier] === call { served[call.identifier] = nil }
  }

  /// Sends a reply whose first bytes are room for the envelope; true when the buffer may be used again.
  @discardableResult
  func reply(_ identifier: UInt64, _ encoder: CBOREncoder) -> Bool {
    guard !isOver else { return true }
    let buffer = encoder.buffer
    let payloads = encoder.payloads
    let isList = payloads.reduce(buffer.count) { $0 + $1.count } > limits.messageBytes
    buffer.complete(
      Envelope(.reply, flags: Envelope.Flags(isList: isList), frames: UInt8(truncatingIfNeeded: payloads.count), call: identifier))
    do throws(MinervaError) {
      return try send(buffer, payloads, isList: isList)
    } catch {
      reply(identifier, failing: error)
      return false
    }
  }

  /// Sends an error as the answer.
  func reply(_ identifier: UInt64, failing error: MinervaError) {
    guard !isOver else { return }
    do throws(MinervaError) {
      let encoder = CBOREncoder(headerRoom: Envelope.size)
      try encoder.encode(error)
      encoder.buffer.complete(Envelope(.error, call: identifier))
      try send(encoder.buffer, isList: false)
    } catch {
      // Not even an error fits: the peer does not read what it asked for. It learns by losing the link rather than by silence.
      if let link { transport.violated(error, on: link) }
    }
  }
}
