package import MinervaProtocol
package import MinervaWire

/// One link as it is performed: the state machine, the way to the peer, and the queue of what one loop turn says to it.
///
/// Small messages of a turn share one `batch` frame; from 64 KiB a message is handed over without a copy. Confined to the loop.
package final class Link: @unchecked Sendable {
  // Confined to the loop's thread.
  @exclusivity(unchecked) package internal(set) var machine: LinkStateMachine
  /// The endpoint of a dialled link.
  package let endpoint: Endpoint?
  /// The key that a dialled peer must have, where somebody vouched for it.
  let server: String?
  /// Who the peer is; nothing before the handshake.
  package internal(set) var peer: PeerIdentity?
  /// What the layer above keeps for this link.
  @exclusivity(unchecked) package var attachment: AnyObject?
  /// When the link came up, in monotonic milliseconds.
  package internal(set) var upSince: Int64 = 0

  var channel: (any LinkChannel)?
  /// The grant and key that came with the connection.
  var grant = PeerGrant.local
  var key: String?
  /// True while the link stands in the transport's list of links to flush.
  @exclusivity(unchecked) var isDirty = false

  private unowned(unsafe) let transport: Transport
  @exclusivity(unchecked) private var queue: [Outgoing] = []
  @exclusivity(unchecked) private var head = 0
  @exclusivity(unchecked) private var open: OutputBuffer?
  /// The same one, not counted.
  @exclusivity(unchecked) private var openReference: Unmanaged<OutputBuffer>?
  @exclusivity(unchecked) private var openMessages = 0
  @exclusivity(unchecked) private var openCounted = 0
  @exclusivity(unchecked) private var spare: OutputBuffer?
  /// At how many messages, and at how many bytes beside them, the turn's next piece goes out before the turn has ended.
  @exclusivity(unchecked) private var early = Link.firstEarly
  @exclusivity(unchecked) private var loose = 0
  /// True when the channel took no more in this turn; it is asked again at the turn's end.
  @exclusivity(unchecked) private var isFull = false
  /// True when a message was refused, perhaps in its middle: nothing may follow it.
  private var hasFailed = false

  /// The beats and the errors of the link itself that wait.
  private var waitingBeats: [EnvelopeKind] = []
  private var waitingErrors = 0

  /// How many errors of the link itself may wait.
  static let errorLimit = 64

  /// The first piece of a turn that is not held back until its end, in messages; each further one is twice as large. The peer begins with the
  /// first while the rest is still written, and a long turn still needs few frames. Smaller pieces cost more than they gain: answers come back in
  /// the pieces that the calls went out in.
  private static let firstEarly = 64

  /// Messages up to this size may share a frame.
  private static let batchable = 4096
  /// A batch is closed at this size.
  private static let batchSize = 32 << 10
  /// From this size a message is handed to libzmq without a copy.
  private static let handedOver = 64 << 10

  /// A sealed piece of the queue: one frame on the wire.
  private struct Outgoing {
    let buffer: OutputBuffer
    let offset: Int
    /// Byte strings that follow as frames of their own.
    var payloads: [[UInt8]] = []
    /// Messages and bytes that count against the limits.
    let messages: Int
    let bytes: Int
  }

  init(machine: LinkStateMachine, endpoint: Endpoint?, server: String? = nil, transport: Transport) {
    self.machine = machine
    self.endpoint = endpoint
    self.server = server
    self.transport = transport
    limits = transport.settings.limits
  }

  /// What both ends agreed on; nothing unless the link is up.
  package var session: LinkStateMachine.Session? { machine.session }
  package var isDialled: Bool { endpoint != nil }
  /// True while the peer may be called. Kept here since every message asks.
  @exclusivity(unchecked) package internal(set) var isUp = false

  /// The limits in force: the stricter of both ends once they have met. Kept here since every message asks.
  @exclusivity(unchecked) package internal(set) var limits: Limits

  /// True when nothing waits in this process.
  package var isFlushed: Bool { head == queue.count && openMessages == 0 }

  /// How many messages wait in this process.
  package var waiting: Int { machine.load.messages }

  // MARK: Sending

  /// Queues a whole message for the end of this turn.
  ///
  /// - Throws: `bus.too_large` and `bus.backpressure`, before anything is kept.
  ///
  /// - Returns: True when the message was copied, so that the buffer may be used again.
  @discardableResult
  package func send(_ message: OutputBuffer, _ payloads: [[UInt8]] = [], isList: Bool = false) throws(MinervaError) -> Bool {
    let count = payloads.isEmpty ? message.count : payloads.reduce(message.count) { $0 + $1.count }
    let limit = isList ? limits.listMessageBytes : limits.messageBytes
    guard count <= limit else { throw .tooLarge("the message", bytes: count, limit: limit) }
    guard payloads.count <= limits.frames else {
      throw MinervaError(.tooLarge, "the message has \(payloads.count) payload frames, the peer takes \(limits.frames)")
    }
    try machine.load.enqueue(bytes: count, limits: limits)
    guard payloads.isEmpty else {
      seal()
      queue.append(Outgoing(buffer: message, offset: 0, payloads: payloads, messages: 1, bytes: count))
      needsFlush()
      flushEarly()
      return false
    }
    append(message, counted: true)
    return count < Self.batchable
  }

  /// Queues a message of the link itself, which the limits of messages do not hold back: there are few and they are small.
  ///
  /// They stay few where a peer asks and never reads: a beat says nothing new while another one waits, and of errors ``errorLimit`` wait at most.
  ///
  /// - Returns: False for an error beyond them, which is not queued.
  @discardableResult
  func sendControl(_ envelope: Envelope, body: [UInt8] = []) -> Bool {
    switch envelope.kind {
    case .ping, .pong:
      guard !waitingBeats.contains(envelope.kind) else { return true }
      waitingBeats.append(envelope.kind)
    case .error:
      guard waitingErrors < Self.errorLimit else { return false }
      waitingErrors += 1
    default: break
    }
    let message = OutputBuffer(capacity: Envelope.size + body.count)
    message.append(zeros: Envelope.size)
    message.append(body)
    message.complete(envelope)
    append(message, counted: false)
    // A batch is refused before the handshake: what makes the peer come up may not share a frame with what follows.
    if envelope.kind.rawValue <= EnvelopeKind.reject.rawValue { seal() }
    return true
  }

  @inline(__always) private func append(_ message: OutputBuffer, counted: Bool) {
    let count = message.count
    if count < Self.batchable {
      // Lent, not kept: counting the buffer up and down would cost more than most messages.
      let size = openBatch()._withUnsafeGuaranteedRef { batch in
        batch.append(batched: message)
        return batch.count
      }
      openMessages += 1
      if counted { openCounted += 1 }
      if size >= Self.batchSize || openMessages >= limits.batchMessages { seal() }
    } else {
      seal()
      queue.append(Outgoing(buffer: message, offset: 0, messages: counted ? 1 : 0, bytes: counted ? count : 0))
      loose += count
    }
    needsFlush()
    if openMessages >= early || loose >= Self.handedOver { flushEarly() }
  }

  /// Hands on what waits before the turn has ended. What goes wrong is left to its end, since this runs inside of a call.
  func flushEarly() {
    loose = 0
    if openMessages >= early { early *= 2 }
    guard isUp, !isFull else { return }
    seal()
    _ = send(at: transport.loop.now)
  }

  @inline(__always) private func needsFlush() {
    guard !isDirty else { return }
    isDirty = true
    transport.dirty.append(self)
  }

  /// The batch that takes this turn's messages; `open` keeps it.
  @inline(__always) private func openBatch() -> Unmanaged<OutputBuffer> {
    if let openReference { return openReference }
    let batch = spare ?? OutputBuffer(capacity: 4096)
    spare = nil
    batch.append(zeros: Envelope.size)
    open = batch
    let reference = Unmanaged.passUnretained(batch)
    openReference = reference
    return reference
  }

  private func seal() {
    guard let buffer = open, openMessages > 0 else { return }
    open = nil
    openReference = nil
    let bytes = openCounted > 0 ? buffer.count - Envelope.size - 4 * openMessages : 0
    if openMessages == 1 {
      // Alone in its turn, a message travels without the batch around it.
      queue.append(Outgoing(buffer: buffer, offset: Envelope.size + 4, messages: openCounted, bytes: bytes))
    } else {
      buffer.complete(Envelope(.batch))
      queue.append(Outgoing(buffer: buffer, offset: 0, messages: openCounted, bytes: bytes))
    }
    openMessages = 0
    openCounted = 0
  }

  /// Hands what waits to the channel, as far as it takes it; true when nothing is left.
  func flush(at now: Int64) -> Bool {
    early = Self.firstEarly
    loose = 0
    isFull = false
    seal()
    switch send(at: now) {
    case .sent: return true
    case .full: return false
    case .unroutable, .failed:
      discard()
      if channel != nil { transport.perform(machine.disconnected("its connection is gone", at: now), on: self) }
      return true
    }
  }

  /// Sends what is sealed, up to the first frame that the channel does not take; without a channel it takes none.
  private func send(at now: Int64) -> ZeroMQSocket.Sent {
    guard let channel, !hasFailed else { return .failed }
    while head < queue.count {
      let next = queue[head]
      let size = next.buffer.count - next.offset
      let sent: ZeroMQSocket.Sent
      if !next.payloads.isEmpty {
        sent = channel.send(next.buffer, next.payloads)
      } else if next.offset == 0, size >= Self.handedOver {
        sent = channel.send(owned: next.buffer)
      } else {
        sent = next.buffer.withUnsafeBytes { channel.send(UnsafeRawBufferPointer(rebasing: $0[next.offset...])) }
        if sent == .sent, spare == nil, size <= 2 * Self.batchSize {
          next.buffer.removeAll()
          spare = next.buffer
        }
      }
      guard sent == .sent else {
        if sent == .full { isFull = true } else { hasFailed = true }
        return sent
      }
      head += 1
      machine.load.dequeue(messages: next.messages, bytes: next.bytes)
      machine.spoke(at: now)
      transport.counters.framesSent += 1
      transport.counters.bytesSent += UInt64(size)
    }
    queue.removeAll(keepingCapacity: true)
    head = 0
    forgetControls()
    return .sent
  }

  /// Drops what waits; the number of messages dropped.
  @discardableResult
  func discard() -> Int {
    seal()
    hasFailed = false
    var count = 0
    for index in head..<queue.count { count += queue[index].messages }
    queue.removeAll()
    head = 0
    forgetControls()
    return count
  }

  private func forgetControls() {
    if !waitingBeats.isEmpty { waitingBeats.removeAll(keepingCapacity: true) }
    waitingErrors = 0
  }
}
