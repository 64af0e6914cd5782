package import MinervaWire

/// One published event as a subscriber takes it in.
public struct PublishedFrame: Hashable, Sendable {
  /// What the event is about; a scene, as a rule.
  public let topic: String
  /// The number of the event within its topic and the publisher's life, from 1.
  public let number: UInt64
  /// The publisher's life: after a restart numbers start over, and this differs.
  public let incarnation: UInt64
  public let body: [UInt8]

  public init(topic: String, number: UInt64, incarnation: UInt64, body: [UInt8]) {
    self.topic = topic
    self.number = number
    self.incarnation = incarnation
    self.body = body
  }
}

/// The form of an event on the wire: `u16 length, topic`, then an `event` envelope whose call id is the number and whose trace id is the
/// publisher's life, then the body.
///
/// The length stands first so that a subscription to `scene1` does not match `scene10`.
package enum EventFrame {
  static func prefix(topic: String) -> [UInt8] {
    let bytes = Array(topic.utf8.prefix(1024))
    return [UInt8(truncatingIfNeeded: bytes.count), UInt8(truncatingIfNeeded: bytes.count >> 8)] + bytes
  }

  static func write(topic: String, number: UInt64, incarnation: UInt64, body: [UInt8], limits: Limits) -> OutputBuffer {
    let prefix = prefix(topic: topic)
    let buffer = OutputBuffer(capacity: prefix.count + Envelope.size + body.count)
    buffer.append(prefix)
    buffer.append(zeros: Envelope.size)
    buffer.append(body)
    let isList = Envelope.size + body.count > limits.messageBytes
    let header = Envelope(
      .event, flags: Envelope.Flags(isList: isList), call: number, bodyLength: UInt32(clamping: body.count), trace: incarnation)
    buffer.withUnsafeMutableBytes { header.write(to: $0, at: prefix.count) }
    return buffer
  }

  static func read(_ bytes: UnsafeRawBufferPointer, limits: Limits) throws(MinervaError) -> PublishedFrame {
    guard bytes.count >= 2 else { throw .badMessage("an event without a topic") }
    let length = Int(bytes[0]) | Int(bytes[1]) << 8
    guard length <= limits.nameBytes, bytes.count >= 2 + length else { throw .badMessage("an event with a topic of \(length) bytes") }
    guard let topic = String(validating: bytes[2..<2 + length], as: UTF8.self) else { throw .badMessage("a topic that is no text") }
    let message = UnsafeRawBufferPointer(rebasing: bytes[(2 + length)...])
    let envelope = try Envelope.read(message, limits: limits)
    guard envelope.kind == .event else { throw .badMessage("\(envelope.kind) on an event socket") }
    return PublishedFrame(topic: topic, number: envelope.call, incarnation: envelope.trace, body: Array(envelope.body(in: message)))
  }

  // MARK: Over a link

  /// An event as a message of a link: the same envelope and body, and the topic behind them, since a message of a link begins with its header.
  package static func message(topic: String, number: UInt64, incarnation: UInt64, body: [UInt8], limits: Limits) -> [UInt8] {
    let prefix = prefix(topic: topic)
    let isList = Envelope.size + body.count + prefix.count > limits.messageBytes
    return Envelope(.event, flags: Envelope.Flags(isList: isList), call: number, trace: incarnation).message(body: body) + prefix
  }

  /// Reads an event that came over a link.
  package static func read(_ envelope: Envelope, _ message: UnsafeRawBufferPointer, limits: Limits) throws(MinervaError) -> PublishedFrame {
    let topic = try topic(envelope.trailer(in: message), limits: limits)
    return PublishedFrame(topic: topic, number: envelope.call, incarnation: envelope.trace, body: Array(envelope.body(in: message)))
  }

  /// Reads `u16 length, topic`; nothing may follow.
  static func topic(_ bytes: UnsafeRawBufferPointer, limits: Limits) throws(MinervaError) -> String {
    guard bytes.count >= 2 else { throw .badMessage("an event without a topic") }
    let length = Int(bytes[0]) | Int(bytes[1]) << 8
    guard length <= limits.nameBytes, bytes.count == 2 + length else { throw .badMessage("a topic of \(length) bytes") }
    guard let topic = String(validating: bytes[2...], as: UTF8.self) else { throw .badMessage("a topic that is no text") }
    return topic
  }
}

/// What a subscriber over a link says: the topic, and how many more of its events may come. The first opens the subscription, none ends it.
package struct EventCredit: Hashable, Sendable {
  package let topic: String
  package let events: UInt32

  package init(topic: String, events: UInt32) {
    self.topic = topic
    self.events = events
  }

  /// Reads what a peer sent: the number as the body, the topic behind it.
  package init(_ envelope: Envelope, _ message: UnsafeRawBufferPointer, limits: Limits) throws(MinervaError) {
    let body = envelope.body(in: message)
    guard body.count == 4 else { throw .badMessage("credit is a number of 4 bytes") }
    events = UInt32(littleEndian: body.loadUnaligned(as: UInt32.self))
    topic = try EventFrame.topic(envelope.trailer(in: message), limits: limits)
  }

  /// The message; an error that answers it has its call id.
  package func message(call: UInt64) -> [UInt8] {
    Envelope(.credit, call: call).message(body: withUnsafeBytes(of: events.littleEndian) { Array($0) }) + EventFrame.prefix(topic: topic)
  }
}
