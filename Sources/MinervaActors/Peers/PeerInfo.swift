public import MinervaTransport

/// A process at the other end of a link.
public struct PeerInfo: Hashable, Sendable {
  public var node: String
  public var kind: String
  public var pid: Int32
  public var version: String
  /// The random number of this life of the process.
  public var incarnation: UInt64
  public var capabilities: [String]
  /// Where others may dial it, if it said so.
  public var endpoint: String?
  /// What it may do here.
  public var grant: PeerGrant
  /// True when this end dialled.
  public var isDialled: Bool
  /// Milliseconds since it was last heard, and since the link came up.
  public var silence: Int64
  public var uptime: Int64
  /// Calls sent to it that wait for an answer, calls of it that run here, messages that wait to be sent.
  public var callsInFlight: Int
  public var callsServed: Int
  public var waiting: Int

  public var role: PeerRole { grant.role }
}

/// What happens to the peers of a bus.
public enum PeerEvent: Hashable, Sendable {
  /// The peer may be called.
  case connected(PeerInfo)
  /// The peer may no longer be called; what was in flight has ended.
  case lost(node: String, incarnation: UInt64, reason: String)
}

/// Why an actor that was watched is no longer there.
public struct Termination: Hashable, Sendable {
  public let address: ActorAddress
  public let reason: String
}

/// What a closed bus left behind.
public struct CloseReport: Hashable, Sendable, Codable {
  /// Messages that could not be handed to their peers.
  public var undelivered: Int
  /// Calls that had no answer yet.
  public var unanswered: Int

  public init(undelivered: Int, unanswered: Int) {
    self.undelivered = undelivered
    self.unanswered = unanswered
  }
}
