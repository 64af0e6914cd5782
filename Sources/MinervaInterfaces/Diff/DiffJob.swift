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
  /// The life of the worker that the lease names; another life of that name refuses the job. Nil: whichever life is there.
  public var life: UInt64?

  public init(id: String, old: DiffRows, new: DiffRows, hold: Int = 0, life: UInt64? = nil) {
    self.id = id
    self.old = old
    self.new = new
    self.hold = hold
    self.life = life
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
  /// What the job has cost: the leases whose workers died, oldest first.
  ///
  /// Said with every question, for a broker that was restarted in between knows nothing of them and would count anew.
  public var costs: [DiffLoss]

  public init(job: String, rows: Int, list: String? = nil, costs: [DiffLoss] = []) {
    self.job = job
    self.rows = rows
    self.list = list
    self.costs = costs
  }
}

/// One life of a worker that died with a job in its hands, or could not be reached with it.
public struct DiffLoss: Codable, Hashable, Sendable {
  /// The worker's node name.
  public var worker: String
  /// The number of its life: a worker that died may be back under its name.
  public var life: UInt64

  public init(worker: String, life: UInt64) {
    self.worker = worker
    self.life = life
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
  /// The life of the worker that is meant; goes along with the job.
  public var life: UInt64

  public init(job: String, worker: String, endpoint: String, attempt: Int, life: UInt64) {
    self.job = job
    self.worker = worker
    self.endpoint = endpoint
    self.attempt = attempt
    self.life = life
  }

  /// What to say of it when its worker died.
  public var loss: DiffLoss { DiffLoss(worker: worker, life: life) }
}
