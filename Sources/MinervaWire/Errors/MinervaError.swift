/// An error that crosses processes: a stable code for programs, a text for people, and whether trying again can help.
///
/// Every error of the bus, of navigation and of an app travels in this shape. The text says what to do; it never holds payload values that a
/// schema marks as secret.
public struct MinervaError: Error, Hashable, Sendable {
  /// What went wrong, as a stable dotted name.
  public var code: Code
  /// What went wrong and what to do about it, for people.
  public var message: String
  /// Facts a program may act on, by name: `retry_after_ms`, `maybe_executed`, `path`.
  public var details: [String: String]
  /// Whether the same request may succeed when it is sent again later.
  public var retryable: Bool

  /// Creates an error; `retryable` comes from the catalogue when it is not given.
  public init(_ code: Code, _ message: String, details: [String: String] = [:], retryable: Bool? = nil) {
    self.code = code
    self.message = message
    self.details = details
    self.retryable = retryable ?? ErrorCatalogue.entry(for: code)?.retryable ?? false
  }
}

extension MinervaError: Codable {}

extension MinervaError: CustomStringConvertible {
  /// `code: text`, as the shell prints it.
  public var description: String { "\(code): \(message)" }
}

extension MinervaError {
  /// The names of the details that the runtime itself sets and reads.
  public enum Detail {
    public static let maybeExecuted = "maybe_executed"
    public static let retryAfterMilliseconds = "retry_after_ms"
    public static let path = "path"
    public static let limit = "limit"
    public static let epoch = "epoch"
    public static let owner = "owner"
    public static let deadWorkers = "dead_workers"
  }

  /// Whether the request may have taken effect although no answer came.
  public var maybeExecuted: Bool { details[Detail.maybeExecuted] == "true" }

  /// How long to wait before trying again, in milliseconds, where the other side said so.
  public var retryAfterMilliseconds: Int64? { details[Detail.retryAfterMilliseconds].flatMap { Int64($0) } }

  /// The peer went away while a call was in flight.
  public static func peerLost(_ peer: String, reason: String, maybeExecuted: Bool) -> MinervaError {
    MinervaError(
      .peerLost, "\(peer) went away (\(reason))" + (maybeExecuted ? "; the call may have been executed" : "; the call was not sent"),
      details: [Detail.maybeExecuted: maybeExecuted ? "true" : "false"], retryable: !maybeExecuted)
  }

  /// A queue is full; the caller is told when to come back.
  public static func backpressure(_ what: String, limit: Int, retryAfterMilliseconds: Int64) -> MinervaError {
    MinervaError(
      .backpressure, "\(what) is full (\(limit)); try again in \(retryAfterMilliseconds) ms",
      details: [Detail.limit: "\(limit)", Detail.retryAfterMilliseconds: "\(retryAfterMilliseconds)"])
  }

  /// Something is larger than the limit both sides keep.
  public static func tooLarge(_ what: String, bytes: Int, limit: Int) -> MinervaError {
    MinervaError(.tooLarge, "\(what) has \(bytes) bytes, the limit is \(limit)", details: [Detail.limit: "\(limit)"])
  }

  /// Bytes that do not follow the protocol.
  public static func badMessage(_ text: String) -> MinervaError { MinervaError(.badMessage, text) }
}
