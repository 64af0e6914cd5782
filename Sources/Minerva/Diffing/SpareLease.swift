import MinervaInterfaces
import MinervaProtocol

/// A lease for the job that may come: in a burst of jobs the next one does not wait for the broker's word.
///
/// A job that comes soon after the last one's end makes a burst. In a burst the lease of a job that was answered serves the next one as well, under
/// the same name, so that the broker is asked for one in many jobs; others who wait are not kept waiting for it longer than a job, of whatever
/// size, and ``patience``.
/// While the lease of a long job grows old the next one is asked for ahead. One that nobody needed for a while is given back.
struct SpareLease: Sendable {
  private enum State: Sendable {
    case none
    case asked(String)
    /// Granted at `since`, unused from `idle` on.
    case ready(DiffLease, since: Moment, idle: Moment)
  }

  /// How long a burst may pause, a lease may serve further jobs, and one that serves none is kept, in milliseconds.
  static let patience: Int64 = 25

  /// From how many milliseconds on a lease's wait says that the workers are crowded.
  static let crowding: Int64 = 5

  private var state = State.none
  private var lastEnd: Moment?
  private var isBurst = false
  private var count = 0
  private let prefix: String

  init(prefix: String) { self.prefix = prefix }

  /// A job begins.
  mutating func begins(at now: Moment) { isBurst = lastEnd.map { now - $0 <= Self.patience } ?? false }

  /// A job is on its way with a lease granted at `since`; the name under which to ask for the next lease, if it is time to.
  mutating func sent(since: Moment, at now: Moment) -> String? { now - since > Self.patience / 2 ? ask() : nil }

  /// A job was answered; whether its lease is kept for the next one, which it is not where the broker knows it by a list.
  mutating func keeps(_ lease: DiffLease, ofList: Bool = false, since: Moment, at now: Moment) -> Bool {
    lastEnd = now
    // A job that has cost a worker is one to be careful with: its name counts its losses.
    guard !ofList, isBurst, case .none = state, lease.attempt == 1, now - since <= Self.patience else { return false }
    state = .ready(lease, since: since, idle: now)
    return true
  }

  /// The lease of an answered job was not kept; the name under which to ask for the next one, if it is time to.
  mutating func ended() -> String? { ask() }

  private mutating func ask() -> String? {
    guard isBurst, case .none = state else { return nil }
    count += 1
    let name = "\(prefix).spare-\(count)"
    state = .asked(name)
    return name
  }

  /// A lease took long: the workers have enough to do, and none of them is kept from others.
  mutating func crowd() { isBurst = false }

  /// A lease was granted; false when it is not wanted any more.
  mutating func granted(_ lease: DiffLease, at now: Moment) -> Bool {
    guard case .asked(lease.job) = state else { return false }
    state = .ready(lease, since: now, idle: now)
    return true
  }

  /// It was refused.
  mutating func refused(_ name: String) {
    if case .asked(name) = state { state = .none }
  }

  /// The lease and when it was granted, for a job that wants this worker or any.
  mutating func take(preferring worker: DiffWorkerLife?) -> (lease: DiffLease, since: Moment)? {
    guard case .ready(let lease, let since, _) = state, worker.map({ $0 == lease.loss }) ?? true else { return nil }
    state = .none
    return (lease, since)
  }

  /// When a lease that nobody needs is to be given back; nil where there is none.
  var expiry: Moment? {
    guard case .ready(_, _, let idle) = state else { return nil }
    return idle + Self.patience
  }

  /// The name of the lease that nobody needed in time, which is to be given back.
  mutating func expire(at now: Moment) -> String? {
    guard case .ready(let lease, _, _) = state, let expiry, expiry <= now else { return nil }
    state = .none
    return lease.job
  }
}
