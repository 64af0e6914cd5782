/// One question to a diff worker: what turns `old` into `new`?
///
/// A job is pure, so it may be asked again of another worker under the same identifier.
public struct DiffJob: Codable, Sendable {
  /// Chosen by the caller, unique; the broker counts the attempts of a job by it.
  public var id: String
  public var old: DiffRows
  public var new: DiffRows
  /// Milliseconds of work the worker does at least before it answers; for demonstrations and fault tests.
  public var hold: Int

  public init(id: String, old: DiffRows, new: DiffRows, hold: Int = 0) {
    self.id = id
    self.old = old
    self.new = new
    self.hold = hold
  }
}

/// A diff worker's answer.
public struct DiffAnswer: Codable, Sendable {
  public var id: String
  /// The change set in the compact binary form of `ListDiff`: sectioned when the rows had sections, flat otherwise.
  public var changes: [UInt8]
  /// The worker's node name.
  public var worker: String
  /// How long the worker computed, in microseconds of its monotonic clock.
  public var microseconds: Int

  public init(id: String, changes: [UInt8], worker: String, microseconds: Int) {
    self.id = id
    self.changes = changes
    self.worker = worker
    self.microseconds = microseconds
  }
}

/// What a caller says to the broker when it wants a worker.
public struct DiffLeaseRequest: Codable, Sendable {
  public var job: String
  /// Rows of both lists together: small jobs go first.
  public var rows: Int
  /// Jobs of one list supersede each other: a newer one drops those of its list that still wait.
  public var list: String?
  /// Set when an attempt ended because its worker died: the node of that worker.
  public var lost: String?
  /// The attempt that was lost: a worker that died may be back under its name, and hold the job again.
  public var attempt: Int?

  public init(job: String, rows: Int, list: String? = nil, lost: String? = nil, attempt: Int? = nil) {
    self.job = job
    self.rows = rows
    self.list = list
    self.lost = lost
    self.attempt = attempt
  }
}

/// The right to send one job to one worker.
public struct DiffLease: Codable, Sendable {
  public var job: String
  /// The worker's node name.
  public var worker: String
  /// Where the worker listens.
  public var endpoint: String
  /// Counts from 1.
  public var attempt: Int

  public init(job: String, worker: String, endpoint: String, attempt: Int) {
    self.job = job
    self.worker = worker
    self.endpoint = endpoint
    self.attempt = attempt
  }
}
