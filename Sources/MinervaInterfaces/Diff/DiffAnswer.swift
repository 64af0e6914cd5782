/// A diff worker's answer.
public struct DiffAnswer: Codable, Sendable {
  public var id: String
  /// The change set in the compact binary form of `ListDiff`, column after column: sectioned when the rows had sections, flat otherwise.
  ///
  /// Of one longer than ``chunk`` bytes this is the beginning; the rest is fetched with `rest(of:from:)`.
  public var changes: [UInt8]
  /// The length of the whole change set in bytes.
  public var size: Int
  /// The worker's node name.
  public var worker: String
  /// How long the worker computed, in microseconds of its monotonic clock.
  public var microseconds: Int
  /// How long the job waited for a thread, in microseconds.
  public var waited: Int
  /// The version of the list that the worker holds now; nil when it keeps none.
  public var held: UInt64?

  public init(
    id: String, changes: [UInt8], size: Int? = nil, worker: String, microseconds: Int, waited: Int = 0, held: UInt64? = nil
  ) {
    self.id = id
    self.changes = changes
    self.size = size ?? changes.count
    self.worker = worker
    self.microseconds = microseconds
    self.waited = waited
    self.held = held
  }

  /// The most bytes of a change set in one message.
  public static let chunk = 2 << 20
}

/// How far a job is.
public struct DiffProgress: Codable, Sendable, Hashable {
  public enum Phase: String, Codable, Sendable, Hashable {
    /// Pieces of its lists are coming in.
    case receiving
    /// It waits for a thread.
    case waiting
    /// It is being compared.
    case comparing
    /// The answer is there, or on its way.
    case answered
  }

  public var phase: Phase
  /// Rows of both lists that are there.
  public var rows: Int
  /// Rows that were looked at, over all passes; at the end it is about two to five times `rows`.
  public var handled: Int
  /// Milliseconds since the job, or its first piece, came.
  public var milliseconds: Int

  public init(phase: Phase, rows: Int, handled: Int, milliseconds: Int) {
    self.phase = phase
    self.rows = rows
    self.handled = handled
    self.milliseconds = milliseconds
  }
}

/// What a worker has taken on.
public struct DiffWorkerStatus: Codable, Sendable, Hashable {
  /// Jobs that wait or are compared.
  public var jobs: Int
  /// Lists that are held between jobs.
  public var lists: Int
  /// The bytes of all that: lists, pieces, working memory, answers that are not fetched.
  public var bytes: Int
  /// The most of them at a time.
  public var mostBytes: Int
  /// What there may be.
  public var limit: Int
  /// Lists that were dropped to make room.
  public var dropped: Int
  /// Jobs turned away with `bus.backpressure`.
  public var turnedAway: Int

  public init(jobs: Int = 0, lists: Int = 0, bytes: Int = 0, mostBytes: Int = 0, limit: Int = 0, dropped: Int = 0, turnedAway: Int = 0) {
    self.jobs = jobs
    self.lists = lists
    self.bytes = bytes
    self.mostBytes = mostBytes
    self.limit = limit
    self.dropped = dropped
    self.turnedAway = turnedAway
  }
}
