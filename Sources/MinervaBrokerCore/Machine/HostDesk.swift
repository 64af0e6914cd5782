import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// The desk for hosts: which there are and what they offer, who speaks for which name, who may still come back, and what each has to make
/// again.
///
/// A host is away while its lease runs after its loss, or, after this broker's own restart, while it is only known from its screens.
struct HostDesk {
  /// A host that is taken in when the scenes that it speaks of are in memory.
  private struct Joining {
    /// Which of all attempts it is: an earlier one of its name counts for nothing.
    var attempt: UInt64
    /// How many scenes are still to come.
    var left: Int
    var token: CallToken
  }

  /// What hosts offer.
  private(set) var registry = Registry()
  /// Which host may speak for which name.
  var leases: HostLeaseStateMachine
  /// Hosts that a restarted broker knows by their screens alone, with the moment until which they may come back.
  private var expected: [String: Moment] = [:]
  private var joining: [String: Joining] = [:]
  private var lastAttempt: UInt64 = 0
  /// What each host is to make again, and has not yet.
  private var lanes: [String: ResumeLane] = [:]
  /// How long a host is waited for, in milliseconds.
  private let patience: Int64

  init(settings: HostLeaseStateMachine.Settings) {
    leases = HostLeaseStateMachine(settings: settings)
    patience = settings.lease
  }

  // MARK: What there is

  mutating func register(_ registration: HostRegistration) throws(MinervaError) { try registry.register(registration) }

  /// Marks a host as one that has its receipt; `false` when it has registered once more since, or is gone.
  mutating func greet(_ node: String, join: UInt64) -> Bool { registry.greet(node, join: join) }

  mutating func adjustLoad(of node: String, by change: Int) { registry.adjustLoad(of: node, by: change) }

  /// A host is gone, and makes nothing any more.
  mutating func lose(_ node: String) {
    registry.lose(node)
    lanes[node] = nil
  }

  /// Forgets a host that is gone and whose lease is over.
  mutating func forget(_ node: String) { registry.forget(node) }

  // MARK: Who may come back

  /// Whether nobody is waited for since a restart.
  var expectsNobody: Bool { expected.isEmpty }

  /// Whether a host is waited for since a restart.
  func isExpected(_ node: String) -> Bool { expected[node] != nil }

  /// Waits for those of these hosts that are not there, from now on.
  mutating func expect(_ nodes: some Sequence<String>, from now: Moment) {
    for node in nodes where !registry.isAlive(node) { expected[node] = now + patience }
  }

  /// Waits for a host no more; `false` when nobody did.
  @discardableResult
  mutating func stopExpecting(_ node: String) -> Bool { expected.removeValue(forKey: node) != nil }

  mutating func stopExpecting() { expected = [:] }

  /// The hosts that have been waited for long enough, sorted.
  func overdue(_ now: Moment) -> [String] { expected.filter { $0.value <= now }.keys.sorted() }

  /// Whether a host is lost and may still come back.
  func isAway(_ node: String) -> Bool { isExpected(node) || (leases.lease(of: node) != nil && !leases.isRegistered(node)) }

  /// Whether a host that is not to be asked yet offers a module, or may: one that is known by its screens alone may offer anything.
  func mayOffer(_ module: String, of app: String) -> Bool {
    if !expected.isEmpty { return true }
    return registry.hosts.values.contains { host in
      (isAway(host.registration.node) || host.isAlive && !host.isGreeted) && host.registration.app == app
        && host.registration.modules.contains { $0.name == module }
    }
  }

  /// When a lease is over, or a host has been waited for long enough.
  var nextDeadline: Moment? { [leases.nextDeadline, expected.values.min()].compactMap { $0 }.min() }

  // MARK: Joining

  /// Whether a host waits to be taken in.
  var isJoining: Bool { !joining.isEmpty }

  /// Has a host wait until so many scenes are in memory, in the place of an earlier attempt.
  ///
  /// - Returns: The attempt's number.
  mutating func join(_ node: String, after scenes: Int, token: CallToken) -> UInt64 {
    lastAttempt += 1
    joining[node] = Joining(attempt: lastAttempt, left: scenes, token: token)
    return lastAttempt
  }

  /// One of the scenes is there; `true` when it was the last that this attempt waited for.
  mutating func arrived(for node: String, attempt: UInt64) -> Bool {
    guard let waiting = joining[node], waiting.attempt == attempt else { return false }
    joining[node]?.left -= 1
    guard waiting.left <= 1 else { return false }
    joining[node] = nil
    return true
  }

  /// A host that waits is gone, or asks once more: its call, if there is one.
  mutating func leave(_ node: String) -> CallToken? { joining.removeValue(forKey: node)?.token }

  /// Takes out everyone who waits, by the names of hosts.
  mutating func takeJoining() -> [CallToken] {
    defer { joining = [:] }
    return joining.sorted { $0.key < $1.key }.map(\.value.token)
  }

  // MARK: Making again

  /// Has a host make a coordinator again when its turn comes.
  mutating func append(_ order: ResumeOrder, _ key: ResumeLane.Key, for host: String, at now: Moment) {
    lanes[host, default: ResumeLane(now: now)].append(key, order)
  }

  /// What a host is to make again next, if it may; `ended` must follow.
  mutating func next(for host: String, _ now: Moment) -> (key: ResumeLane.Key, order: ResumeOrder)? {
    guard let next = lanes[host]?.next(now) else {
      if lanes[host]?.isEmpty == true { lanes[host] = nil }
      return nil
    }
    return next
  }

  /// Nobody waits for a host to make a coordinator again any more.
  mutating func ended(_ key: ResumeLane.Key, at host: String, _ now: Moment) { lanes[host]?.ended(key, at: now) }

  /// Until when a screen that a host is to make again keeps its place; nil for one that it takes too long for.
  func keeps(_ key: ResumeLane.Key, at host: String, _ now: Moment) -> Moment? { lanes[host]?.keeps(key, for: patience, at: now) }

  /// Forgets what is still to be asked for.
  mutating func dropOrders() { for node in Array(lanes.keys) { lanes[node]?.drop() } }
}
