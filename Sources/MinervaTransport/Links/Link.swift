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
  @exclusivity(unchecked) private var openMessages = 0
  @exclusivity(unchecked) private var openCounted = 0
  @exclusivity(unchecked) private var spare: OutputBuffer?

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

  init(machine: LinkStateMachine, endpoint: Endpoint?, transport: Transport) {
    self.machine = machine
    self.endpoint = endpoint
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
      return false
    }
    append(message, counted: true)
    return count < Self.batchable
  }

  /// Queues a message of the link itself, which no limit holds back: there are few and they are small.
  func sendControl(_ envelope: Envelope, body: [UInt8] = []) {
    let message = OutputBuffer(capacity: Envelope.size + body.count)
    message.append(zeros: Envelope.size)
    message.append(body)
    var header = envelope
    header.bodyLength = UInt32(body.count)
    message.withUnsafeMutableBytes { header.write(to: $0) }
    append(message, counted: false)
    // A batch is refused before the handshake: what makes the peer come up may not share a frame with what follows.
    if envelope.kind.rawValue <= EnvelopeKind.reject.rawValue { seal() }
  }

  @inline(__always) private func append(_ message: OutputBuffer, counted: Bool) {
    let count = message.count
    if count < Self.batchable {
      let batch = openBatch()
      batch.append(littleEndian: UInt32(count))
      message.withUnsafeBytes { batch.append($0) }
      openMessages += 1
      if counted { openCounted += 1 }
      if batch.count >= Self.batchSize || openMessages >= limits.batchMessages { seal() }
    } else {
      seal()
      queue.append(Outgoing(buffer: message, offset: 0, messages: counted ? 1 : 0, bytes: counted ? count : 0))
    }
    needsFlush()
  }

  @inline(__always) private func needsFlush() {
    guard !isDirty else { return }
    isDirty = true
    transport.dirty.append(self)
  }

  @inline(__always) private func openBatch() -> OutputBuffer {
    if let open { return open }
    let batch = spare ?? OutputBuffer(capacity: 4096)
    spare = nil
    batch.append(zeros: Envelope.size)
    open = batch
    return batch
  }

  private func seal() {
    guard let buffer = open, openMessages > 0 else { return }
    open = nil
    let bytes = openCounted > 0 ? buffer.count - Envelope.size - 4 * openMessages : 0
    if openMessages == 1 {
      // Alone in its turn, a message travels without the batch around it.
      queue.append(Outgoing(buffer: buffer, offset: Envelope.size + 4, messages: openCounted, bytes: bytes))
    } else {
      let header = Envelope(.batch, bodyLength: UInt32(buffer.count - Envelope.size))
      buffer.withUnsafeMutableBytes { header.write(to: $0) }
      queue.append(Outgoing(buffer: buffer, offset: 0, messages: openCounted, bytes: bytes))
    }
    openMessages = 0
    openCounted = 0
  }

  /// Hands what waits to the channel, as far as it takes it; true when nothing is left.
  func flush(at now: Int64) -> Bool {
    seal()
    guard let channel else {
      discard()
      return true
    }
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
      switch sent {
      case .sent:
        head += 1
        machine.load.dequeue(messages: next.messages, bytes: next.bytes)
        machine.spoke(at: now)
        transport.counters.framesSent += 1
        transport.counters.bytesSent += UInt64(size)
      case .full:
        return false
      case .unroutable, .failed:
        discard()
        transport.perform(machine.disconnected("its connection is gone", at: now), on: self)
        return true
      }
    }
    queue.removeAll(keepingCapacity: true)
    head = 0
    return true
  }

  /// Drops what waits; the number of messages dropped.
  @discardableResult
  func discard() -> Int {
    seal()
    var count = 0
    for index in head..<queue.count { count += queue[index].messages }
    queue.removeAll()
    head = 0
    return count
  }
}
