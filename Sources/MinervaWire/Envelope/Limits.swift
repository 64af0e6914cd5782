/// The bounds both sides of a link keep; every one is checked before memory is taken for what it bounds.
public struct Limits: Hashable, Sendable, Codable {
  /// The largest message in bytes.
  public var messageBytes: Int
  /// The largest message that carries lists, in bytes, its payload frames included.
  public var listMessageBytes: Int
  /// How many calls of one peer may wait for an answer.
  public var callsInFlight: Int
  /// How deep values may nest.
  public var depth: Int
  /// How many bytes may wait to be sent to one peer.
  public var outboundBytes: Int
  /// How many messages may wait to be sent to one peer.
  public var outboundMessages: Int
  /// How many payload frames a message may carry beside its body.
  public var frames: Int
  /// How many messages one batch may hold.
  public var batchMessages: Int
  /// The longest name of an actor, a target or a node in bytes.
  public var nameBytes: Int

  public init(
    messageBytes: Int = 4 << 20, listMessageBytes: Int = 64 << 20, callsInFlight: Int = 1024, depth: Int = 64,
    outboundBytes: Int = 128 << 20, outboundMessages: Int = 65_536, frames: Int = 16, batchMessages: Int = 4096, nameBytes: Int = 1024
  ) {
    self.messageBytes = messageBytes
    self.listMessageBytes = listMessageBytes
    self.callsInFlight = callsInFlight
    self.depth = depth
    self.outboundBytes = outboundBytes
    self.outboundMessages = outboundMessages
    self.frames = frames
    self.batchMessages = batchMessages
    self.nameBytes = nameBytes
  }

  /// What is kept unless a setting says otherwise.
  public static let standard = Limits()

  /// The largest message of any kind in bytes.
  package var largest: Int { max(messageBytes, listMessageBytes) }

  /// The stricter of two sets of limits, field by field: what a link keeps after its handshake. Nonsense from a peer (zero, negative) is raised
  /// to what a handshake itself needs.
  public func stricter(_ other: Limits) -> Limits {
    func low(_ field: KeyPath<Limits, Int>, atLeast floor: Int) -> Int { max(floor, min(self[keyPath: field], other[keyPath: field])) }
    return Limits(
      messageBytes: low(\.messageBytes, atLeast: 4096), listMessageBytes: low(\.listMessageBytes, atLeast: 4096),
      callsInFlight: low(\.callsInFlight, atLeast: 1), depth: low(\.depth, atLeast: 8), outboundBytes: low(\.outboundBytes, atLeast: 4096),
      outboundMessages: low(\.outboundMessages, atLeast: 1), frames: low(\.frames, atLeast: 0),
      batchMessages: low(\.batchMessages, atLeast: 1), nameBytes: low(\.nameBytes, atLeast: 64))
  }
}
