/// What connections have sent of messages without their last part, each and together within a bound.
///
/// libzmq gathers the parts of a message until the last one is there: without a bound, since `ZMQ_MAXMSGSIZE` holds for a part and a queue's mark
/// counts whole messages, and without a word to the reader. But the system knows how much came in on a connection over tcp, and the reader when a
/// message came out of it. What came in since then may be one message that has no end.
struct UnfinishedMessages {
  private struct Connection {
    /// What had come in when a message was last seen to have come out.
    var finished: UInt64
    /// How much more has come in since.
    var unfinished: UInt64 = 0
    /// Whether a message came out since the last look.
    var hasFinished = false
    /// Whether one ever came out: who has said nothing yet has little to say.
    var isKnown = false
    /// Whether it is over its bound and to be hung up. It holds what it holds until it has ended.
    var isOver = false
  }

  private var connections: [Int32: Connection] = [:]
  private let each: UInt64
  private let all: UInt64
  private let stranger: UInt64

  /// What signs of life of libzmq's own may take between two looks; they are in no message.
  static let beats: UInt64 = 64

  /// - Parameters:
  ///   - largest: The largest message in bytes. One connection may have two of them unfinished, all together sixteen: a message that is finished and
  ///     not yet read looks the same.
  ///   - first: What a connection may have unfinished before its first message, in bytes.
  init(largest: Int, first: Int) {
    each = 2 * UInt64(largest)
    all = 16 * UInt64(largest)
    stranger = min(UInt64(first), each)
  }

  var isEmpty: Bool { connections.isEmpty }

  /// Whether a connection was in the middle of something at the last look, or has not said anything whole yet: the next look should be soon.
  private(set) var isUrgent = false

  /// A connection begins, on which so much has come in already.
  mutating func begin(_ connection: Int32, received: UInt64) {
    connections[connection] = Connection(finished: received)
    isUrgent = true
  }

  /// A connection has ended. Returns how much it held at the last look, which is free again.
  @discardableResult
  mutating func end(_ connection: Int32) -> UInt64 { connections.removeValue(forKey: connection)?.unfinished ?? 0 }

  /// A message came out of a connection.
  mutating func finished(_ connection: Int32) { connections[connection]?.hasFinished = true }

  /// Compares what came in with what came out, and returns the connections to hang up, each once: those over their bound, then the largest ones
  /// until the others are together within theirs. Linear in the connections.
  ///
  /// - Parameter received: How much has come in on a connection by now.
  mutating func look(_ received: (Int32) -> UInt64?) -> [Int32] {
    var excess: [Int32] = []
    isUrgent = false
    var (total, counted) = (UInt64(0), [(connection: Int32, bytes: UInt64)]())
    for (connection, known) in connections where !known.isOver {
      guard let now = received(connection) else { continue }
      let isFinished = known.hasFinished || now <= known.finished + Self.beats
      var next = Connection(finished: isFinished ? now : known.finished + Self.beats, unfinished: isFinished ? 0 : now - known.finished)
      next.isKnown = known.isKnown || known.hasFinished
      connections[connection] = next
      if next.unfinished > 0 || !next.isKnown { isUrgent = true }
      if next.unfinished > (next.isKnown ? each : stranger) {
        excess.append(connection)
      } else if next.unfinished > 0 {
        total += next.unfinished
        counted.append((connection, next.unfinished))
      }
    }
    if total > all {
      for (connection, bytes) in counted.sorted(by: { $0.bytes > $1.bytes }) where total > all {
        total -= bytes
        excess.append(connection)
      }
    }
    for connection in excess { connections[connection]?.isOver = true }
    return excess
  }
}
