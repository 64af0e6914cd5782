package import MinervaWire

/// The broker's leases of its hosts: who may speak for which name.
///
/// A host that is lost keeps its screens for the lease; when it comes back in time it goes on, else it has expired, once, and whoever returns under
/// the name starts anew under a new lease number. What speaks under an old number or an old incarnation is refused `bus.stale_epoch`: a host that
/// was stopped for longer than the lease and wakes must register again instead of acting on its stale view (C07).
package struct HostLeaseStateMachine: Sendable {
  package struct Settings: Hashable, Sendable {
    /// How long a lost host keeps its screens, in milliseconds.
    package var lease: Int64 = 3_000
    /// How many ended incarnations are remembered, to refuse their late messages by the right name.
    package var remembered = 256

    package init() {}
  }

  /// One registration of one life of a host.
  package struct Lease: Hashable, Sendable, Codable {
    package let node: String
    package let incarnation: UInt64
    /// Grows with every registration at this broker.
    package let number: UInt64
  }

  package enum Action: Hashable, Sendable {
    /// The host is in; `resumed` keeps its screens, else it starts without any.
    case accepted(Lease, resumed: Bool)
    case refused(MinervaError)
    /// The host is away; its screens wait until then.
    case suspended(Lease, until: Moment)
    /// The host is gone for good: its screens end or move. Said once a lease.
    case expired(Lease, reason: Reason)
  }

  package enum Reason: String, Hashable, Sendable, Codable {
    /// It did not come back within the lease.
    case timedOut
    /// Another life of the name took its place.
    case replaced
    /// It said goodbye.
    case left
  }

  private enum State: Hashable, Sendable {
    /// Its link is up.
    case registered
    /// Its link is down; until when it may come back.
    case suspended(until: Moment)
  }

  private struct Entry: Hashable, Sendable {
    let lease: Lease
    var state: State
  }

  private let settings: Settings
  private var hosts: [String: Entry] = [:]
  private var lastNumber: UInt64
  /// Incarnations another life has replaced, oldest first: they never get the name back.
  private var replaced: [UInt64] = []
  /// The incarnation whose lease of a name ran out last: it may start anew, unless another life of the name has come before it.
  private var timedOut: [String: UInt64] = [:]

  /// Creates the leases of a broker; numbers go on after those of its earlier lives, so that none is ever given twice.
  package init(settings: Settings = Settings(), numbersAfter lastNumber: UInt64 = 0) {
    self.settings = settings
    self.lastNumber = lastNumber
  }

  /// The lease that holds a name, whether the host is there or away.
  package func lease(of node: String) -> Lease? { hosts[node]?.lease }

  /// Whether the host is there.
  package func isRegistered(_ node: String) -> Bool { hosts[node]?.state == .registered }

  /// When ``tick(_:)`` has to be called next, or never.
  package var nextDeadline: Moment? {
    hosts.values.lazy.compactMap { if case .suspended(let until) = $0.state { until } else { nil } }.min()
  }

  /// A host asks to be let in.
  package mutating func register(node: String, incarnation: UInt64, at now: Moment) -> [Action] {
    var actions = tick(now)
    if replaced.contains(incarnation) {
      return actions + [.refused(MinervaError(.staleEpoch, "another life of \(node) has taken its place; end this one"))]
    }
    if var entry = hosts[node] {
      if entry.lease.incarnation == incarnation {
        entry.state = .registered
        hosts[node] = entry
        return actions + [.accepted(entry.lease, resumed: true)]
      }
      guard case .suspended = entry.state else {
        return actions + [.refused(MinervaError(.nameTaken, "a live host has the name \(node); choose another name or stop it"))]
      }
      remember(entry.lease.incarnation)
      actions.append(.expired(entry.lease, reason: .replaced))
    }
    if let earlier = timedOut.removeValue(forKey: node), earlier != incarnation { remember(earlier) }
    lastNumber += 1
    let lease = Lease(node: node, incarnation: incarnation, number: lastNumber)
    hosts[node] = Entry(lease: lease, state: .registered)
    return actions + [.accepted(lease, resumed: false)]
  }

  /// The link of a host is down. A life that does not hold the name is nothing.
  package mutating func lost(node: String, incarnation: UInt64, at now: Moment) -> [Action] {
    guard var entry = hosts[node], entry.lease.incarnation == incarnation, entry.state == .registered else { return [] }
    let until = now + settings.lease
    entry.state = .suspended(until: until)
    hosts[node] = entry
    return [.suspended(entry.lease, until: until)]
  }

  /// A host says goodbye: nothing is kept for it.
  package mutating func left(node: String, incarnation: UInt64) -> [Action] {
    guard let entry = hosts[node], entry.lease.incarnation == incarnation else { return [] }
    hosts[node] = nil
    return [.expired(entry.lease, reason: .left)]
  }

  /// Time passes: leases end.
  package mutating func tick(_ now: Moment) -> [Action] {
    var ended: [Lease] = []
    for entry in hosts.values { if case .suspended(let until) = entry.state, until <= now { ended.append(entry.lease) } }
    ended.sort { $0.number < $1.number }
    for lease in ended {
      hosts[lease.node] = nil
      if timedOut.count < settings.remembered { timedOut[lease.node] = lease.incarnation }
    }
    return ended.map { .expired($0, reason: .timedOut) }
  }

  /// Whether what a host says counts: nothing when it does, else the refusal it is answered with.
  package func check(node: String, incarnation: UInt64, number: UInt64) -> MinervaError? {
    guard let entry = hosts[node], entry.lease.incarnation == incarnation, entry.lease.number == number else {
      return MinervaError(
        .staleEpoch, "\(node) speaks under lease \(number), which has ended; register again and drop what it held",
        details: [MinervaError.Detail.epoch: "\(hosts[node]?.lease.number ?? 0)"])
    }
    guard entry.state == .registered else {
      return MinervaError(.staleEpoch, "\(node) is suspended; register again, then repeat")
    }
    return nil
  }

  private mutating func remember(_ incarnation: UInt64) {
    replaced.append(incarnation)
    if replaced.count > settings.remembered { replaced.removeFirst() }
  }
}
