/// What a caller says to the broker when it wants a worker.
public struct DiffLeaseRequest: Codable, Sendable {
  public var job: String
  /// Rows of both lists together: small jobs go first.
  public var rows: Int
  /// Jobs of one list and caller supersede each other: a newer one ends those of its list that have not ended.
  public var list: String?
  /// The worker that holds the list, which is taken when it has room.
  public var prefers: DiffWorkerLife?
  /// What the job has cost: the leases whose workers died, oldest first.
  ///
  /// Said with every question, for a broker that was restarted in between knows nothing of them and would count anew.
  public var costs: [DiffWorkerLife]

  public init(job: String, rows: Int, list: String? = nil, prefers: DiffWorkerLife? = nil, costs: [DiffWorkerLife] = []) {
    self.job = job
    self.rows = rows
    self.list = list
    self.prefers = prefers
    self.costs = costs
  }
}

/// One life of a worker.
public struct DiffWorkerLife: Codable, Hashable, Sendable {
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
  /// The public key the worker has at its endpoint, over tcp.
  public var key: String?

  public init(job: String, worker: String, endpoint: String, attempt: Int, life: UInt64, key: String? = nil) {
    self.job = job
    self.worker = worker
    self.endpoint = endpoint
    self.attempt = attempt
    self.life = life
    self.key = key
  }

  /// The worker as a caller names it: as a cost when it died of the job, or as the one it prefers.
  public var loss: DiffWorkerLife { DiffWorkerLife(worker: worker, life: life) }
}
