/// What the subscribers of one socket have asked for, each within a bound.
///
/// libzmq keeps every prefix it is sent in a tree, some thirty bytes for one of theirs and without a bound; so whoever asks for more than anyone
/// needs is let go, and the tree with it. In doubt there is a wish.
struct EventWishes {
  private struct Subscriber {
    var key: String?
    var prefixes: Set<[UInt8]> = []
    var bytes = 0
  }

  /// By the descriptor of the connection.
  private var subscribers: [Int32: Subscriber] = [:]
  /// How many ask for a whole topic, and how many for prefixes that are no whole topic: what everything begins with, or nothing of ours.
  private var topics: [String: Int] = [:]
  private var wide = 0

  /// What one subscriber may ask for, in number and in bytes.
  static let prefixLimit = 16_384
  static let byteLimit = 1 << 20

  /// Takes a message of a subscriber: a wish, the end of one, or anything else, which is nothing.
  ///
  /// - Returns: False when the subscriber asks for more than it may; it is to be let go.
  mutating func take(_ message: UnsafeRawBufferPointer, from connection: Int32, key: String? = nil) -> Bool {
    guard let kind = message.first, kind <= 1 else { return true }
    let prefix = Array(message.dropFirst())
    var subscriber = subscribers[connection] ?? Subscriber(key: key)
    if kind == 1 {
      guard !subscriber.prefixes.contains(prefix) else { return true }
      guard subscriber.prefixes.count < Self.prefixLimit, subscriber.bytes + prefix.count <= Self.byteLimit else { return false }
      subscriber.prefixes.insert(prefix)
      subscriber.bytes += prefix.count
      add(prefix)
    } else {
      guard subscriber.prefixes.remove(prefix) != nil else { return true }
      subscriber.bytes -= prefix.count
      remove(prefix)
    }
    subscribers[connection] = subscriber
    return true
  }

  /// The connection is gone, and its wishes with it.
  mutating func forget(_ connection: Int32) {
    guard let gone = subscribers.removeValue(forKey: connection) else { return }
    for prefix in gone.prefixes { remove(prefix) }
  }

  /// Whether somebody may have asked for a topic.
  func contains(_ topic: String) -> Bool { wide > 0 || topics[topic] != nil }

  /// The connections whose key is one that `isShut` says.
  func connections(where isShut: (String) -> Bool) -> [Int32] {
    subscribers.compactMap { connection, subscriber in subscriber.key.map(isShut) == true ? connection : nil }
  }

  private mutating func add(_ prefix: [UInt8]) {
    guard let topic = Self.topic(prefix) else { return wide += 1 }
    topics[topic, default: 0] += 1
  }

  private mutating func remove(_ prefix: [UInt8]) {
    guard let topic = Self.topic(prefix) else { return wide -= 1 }
    guard let count = topics[topic] else { return }
    topics[topic] = count > 1 ? count - 1 : nil
  }

  /// The topic that a prefix names in full.
  private static func topic(_ prefix: [UInt8]) -> String? {
    guard prefix.count >= 2, prefix.count == 2 + (Int(prefix[0]) | Int(prefix[1]) << 8) else { return nil }
    return String(validating: prefix[2...], as: UTF8.self)
  }
}
