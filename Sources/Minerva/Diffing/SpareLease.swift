import MinervaInterfaces
import MinervaProtocol

/// A lease asked for ahead: in a burst of jobs the next one does not wait for the broker's word.
///
/// A job that comes soon after the last one's end makes a burst; when it is sent the next lease is asked for, under a name that the next job
/// takes, so that it is there when the answer is. One that nobody needed for a while is given back, and asked for again at the answer.
struct SpareLease: Sendable {
  private enum State: Sendable {
    case none
    case asked(String)
    case ready(String, DiffLease)
  }

  /// How long a burst may pause, and a spare lease waits for its job, in milliseconds.
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

  /// A job was answered; the name under which to ask for the next lease, if it is time to.
  mutating func ended(at now: Moment) -> String? {
    lastEnd = now
    return sent()
  }

  /// A job is on its way; the name under which to ask for the next lease, if it is time to.
  mutating func sent() -> String? {
    guard isBurst, case .none = state else { return nil }
    count += 1
    let name = "\(prefix).spare-\(count)"
    state = .asked(name)
    return name
  }

  /// A lease took long: the workers have enough to do, and none of them is kept from others.
  mutating func crowd() { isBurst = false }

  /// A lease was granted; false when it is not wanted any more.
  mutating func granted(_ lease: DiffLease) -> Bool {
    guard case .asked(lease.job) = state else { return false }
    state = .ready(lease.job, lease)
    return true
  }

  /// It was refused.
  mutating func refused(_ name: String) {
    if case .asked(name) = state { state = .none }
  }

  /// The lease, for a job that wants this worker or any.
  mutating func take(preferring worker: DiffWorkerLife?) -> DiffLease? {
    guard case .ready(_, let lease) = state, worker.map({ $0 == lease.loss }) ?? true else { return nil }
    state = .none
    return lease
  }

  /// Nobody needed it in time: whether it is to be given back.
  mutating func expire(_ name: String) -> Bool {
    guard case .ready(name, _) = state else { return false }
    state = .none
    return true
  }
}
