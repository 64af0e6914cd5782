import CZeroMQ
import MinervaWire

/// What the subscribers of one socket have asked for.
///
/// libzmq tells the first wish for a prefix and the end of the last. In doubt there is a wish.
struct EventWishes {
  private var topics: Set<String> = []
  /// Prefixes that are no whole topic: what everything begins with, or what nobody of ours asks for.
  private var wide: Set<[UInt8]> = []
  /// Set for good by a peer with more wishes than anyone needs; what they are is then not kept.
  private var isOverrun = false

  static let limit = 65_536

  /// Takes a message of a subscriber: a wish, the end of one, or anything else, which is nothing.
  mutating func take(_ message: UnsafeRawBufferPointer) {
    guard let kind = message.first, kind <= 1 else { return }
    let prefix = Array(message.dropFirst())
    let isWish = kind == 1
    if isWish, topics.count + wide.count >= Self.limit { isOverrun = true }
    guard !isOverrun else { return }
    if let topic = Self.topic(prefix) {
      if isWish { topics.insert(topic) } else { topics.remove(topic) }
    } else {
      if isWish { wide.insert(prefix) } else { wide.remove(prefix) }
    }
  }

  /// Whether somebody may have asked for a topic.
  func contains(_ topic: String) -> Bool { isOverrun || !wide.isEmpty || topics.contains(topic) }

  /// The topic that a prefix names in full.
  private static func topic(_ prefix: [UInt8]) -> String? {
    guard prefix.count >= 2, prefix.count == 2 + (Int(prefix[0]) | Int(prefix[1]) << 8) else { return nil }
    return String(validating: prefix[2...], as: UTF8.self)
  }
}

/// A socket of events: numbered events, a bounded queue for each subscriber.
///
/// A subscriber that does not read loses events from its own queue alone and sees the gap in the numbers (C06). Confined to the loop.
final class EventPublisher: EventSource {
  let endpoint: Endpoint
  var isReady = true
  var descriptor: Int32 { socket?.descriptor ?? -1 }
  var needsDrain: Bool { socket.map { $0.isTouched && $0.isReadable } ?? false }

  private let socket: ZeroMQSocket?
  private unowned let transport: Transport
  private var wishes = EventWishes()
  /// The turn in which subscribers were last listened to.
  private var lastLook: Int64 = -1

  /// Events that may wait for one subscriber.
  private static let highWaterMark: Int32 = 4_096

  init(on wanted: Endpoint, transport: Transport) throws {
    self.transport = transport
    if case .inProcess = wanted {
      socket = nil
      endpoint = wanted
      return
    }
    let socket = try ZeroMQSocket(.publish, in: transport.context())
    try socket.apply(transport.settings)
    try socket.set(ZMQ_SNDHWM, Self.highWaterMark)
    // Subscriptions are small; a subscriber may send no more than one name.
    try socket.set(ZMQ_MAXMSGSIZE, wide: 4_096)
    try socket.set(ZMQ_HEARTBEAT_IVL, 1_000)
    try socket.set(ZMQ_HEARTBEAT_TIMEOUT, 3_000)
    _ = try socket.secure(listening: wanted, domain: KeyGate.events, transport.settings.security)
    endpoint = try socket.listen(on: wanted)
    self.socket = socket
    transport.loop.add(self)
  }

  /// Takes in what is subscribed to; what becomes of it is libzmq's own business.
  func drain(budget: Int) -> Bool {
    var taken = 0
    while taken < budget, let frame = socket?.receive() {
      taken += 1
      wishes.take(frame.bytes)
    }
    return taken == budget
  }

  /// Whether somebody may want the events of a topic. Looks at subscribers at most once a millisecond.
  func isHeard(_ topic: String) -> Bool {
    if case .inProcess(let name) = endpoint { return transport.settings.hub?.isHeard(name) ?? false }
    if lastLook != transport.loop.now {
      lastLook = transport.loop.now
      _ = drain(budget: 1_024)
    }
    return wishes.contains(topic)
  }

  func publish(topic: String, number: UInt64, body: [UInt8]) {
    let frame = EventFrame.write(topic: topic, number: number, incarnation: transport.settings.introduction.incarnation, body: body)
    transport.counters.eventsPublished += 1
    if let socket {
      _ = frame.count >= 64 << 10 ? socket.send(owned: frame) : frame.withUnsafeBytes { socket.send($0) }
    } else if case .inProcess(let name) = endpoint {
      frame.withUnsafeBytes { transport.settings.hub?.publish(name, $0) }
    }
  }

  func close() {
    guard let socket, !socket.isClosed else { return }
    transport.loop.remove(self)
    socket.unbind(endpoint.description)
    socket.close()
    if case .ipc(let path) = endpoint { removeSocketFile(path) }
  }
}
