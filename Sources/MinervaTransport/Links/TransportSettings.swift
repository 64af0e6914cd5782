package import MinervaProtocol
package import MinervaWire

/// A line for the log of a bus: what happened, at most once a second a kind.
public struct BusLogLine: Hashable, Sendable {
  /// What kind of thing happened: `handshake`, `bad_message`, `unauthorized`, `rejected`, `lost`.
  public let kind: String
  /// The line, without any payload.
  public let text: String
  /// How many lines of the kind were held back since the last one.
  public let heldBack: Int
}

/// What a bus counts; all of it since its start.
public struct BusCounters: Hashable, Sendable, Codable {
  public var framesReceived: UInt64 = 0
  public var bytesReceived: UInt64 = 0
  public var framesSent: UInt64 = 0
  public var bytesSent: UInt64 = 0
  /// Connections that spoke no ZMTP or were of an unfitting kind.
  public var failedHandshakes: UInt64 = 0
  /// Connections whose key was refused.
  public var refusedKeys: UInt64 = 0
  /// Messages that did not follow the protocol and were dropped.
  public var badMessages: UInt64 = 0
  /// Peers that were refused by name, version or role.
  public var rejectedPeers: UInt64 = 0
  /// Links that came up and links that were lost.
  public var linksUp: UInt64 = 0
  public var linksLost: UInt64 = 0
  /// Calls sent, calls served, and calls that ended by deadline or were refused by a bound.
  public var callsSent: UInt64 = 0
  public var callsServed: UInt64 = 0
  public var deadlines: UInt64 = 0
  public var backpressure: UInt64 = 0
  /// Answers to calls that had theirs already.
  public var answersRepeated: UInt64 = 0
  /// Events published and taken in.
  public var eventsPublished: UInt64 = 0
  public var eventsReceived: UInt64 = 0

  public init() {}
}

/// What a transport is told at its start.
package struct TransportSettings: Sendable {
  package var introduction: Introduction
  package var api: APIVersion
  package var limits: Limits { introduction.limits }
  package var handshakeTimeout: Int64 = 3_000
  package var missLimit: Int64 = 3
  package var backoff = Backoff(first: 50, cap: 2_000)
  /// How many peers may be connected.
  package var peerLimit = 4_096
  /// Frames that libzmq may hold for one peer and direction.
  package var highWaterMark: Int32 = 64
  package var security = BusSecurity()
  /// The keys with which peers are dialled that somebody vouched for, where `security` has none.
  package var spareKeys: CurveKeyPair?
  package var hub: InProcessHub?
  package var log: (@Sendable (BusLogLine) -> Void)?

  package init(introduction: Introduction, api: APIVersion) {
    self.introduction = introduction
    self.api = api
  }

  /// The longest pause between two attempts to reach a process of this machine, in milliseconds: one costs next to nothing, and whoever waits
  /// for a broker that starts should not be late by as much again.
  static let localPause: Int64 = 200

  /// What a link to an endpoint is told at its start.
  func link(to endpoint: Endpoint) -> LinkStateMachine.Settings {
    var settings = link
    if case .ipc = endpoint { settings.backoff = Backoff(first: backoff.first, cap: min(backoff.cap, Self.localPause)) }
    return settings
  }

  var link: LinkStateMachine.Settings {
    LinkStateMachine.Settings(
      introduction: introduction, api: api, handshakeTimeout: handshakeTimeout, missLimit: missLimit, backoff: backoff)
  }
}

/// Lets one line a second and kind through and counts the rest. Loop thread only.
final class LogLimiter {
  private var last: [String: (at: Int64, heldBack: Int)] = [:]
  private let write: (@Sendable (BusLogLine) -> Void)?
  private static let interval: Int64 = 1_000

  init(_ write: (@Sendable (BusLogLine) -> Void)?) { self.write = write }

  func line(_ kind: String, at now: Int64, _ text: @autoclosure () -> String) {
    guard let write else { return }
    var heldBack = 0
    if let known = last[kind] {
      if now - known.at < Self.interval {
        last[kind] = (known.at, known.heldBack + 1)
        return
      }
      heldBack = known.heldBack
    }
    last[kind] = (now, 0)
    write(BusLogLine(kind: kind, text: text(), heldBack: heldBack))
  }
}
