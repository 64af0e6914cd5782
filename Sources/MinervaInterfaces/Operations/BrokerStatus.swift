/// What a broker says of itself and of everyone connected to it.
public struct BrokerStatus: Codable, Sendable {
  public var node: String
  public var version: String
  public var pid: Int32
  public var epoch: UInt64
  /// Milliseconds since it began to serve.
  public var uptime: Int
  public var endpoints: [String]
  /// Where its events are published.
  public var events: [String]
  public var peers: [PeerStatus]
  public var scenes: Int
  /// Records journaled since the start.
  public var records: UInt64
  public var pool: PoolStatus
  /// Named counters, such as `frames.bad` or `requests.answered`.
  public var counters: [String: Int]
  /// What was found damaged in the journal since the start, and what became of it: a line each.
  public var troubles: [String]

  public init(
    node: String, version: String, pid: Int32, epoch: UInt64, uptime: Int, endpoints: [String], events: [String], peers: [PeerStatus],
    scenes: Int,
    records: UInt64, pool: PoolStatus, counters: [String: Int], troubles: [String] = []
  ) {
    self.node = node
    self.version = version
    self.pid = pid
    self.epoch = epoch
    self.uptime = uptime
    self.endpoints = endpoints
    self.events = events
    self.peers = peers
    self.scenes = scenes
    self.records = records
    self.pool = pool
    self.counters = counters
    self.troubles = troubles
  }
}

/// One connection of a broker.
public struct PeerStatus: Codable, Sendable {
  public var node: String
  /// `host`, `diff`, `shell`, `supervisor` or what else the peer called itself.
  public var kind: String
  public var version: String
  public var pid: Int32
  public var endpoint: String?
  /// Milliseconds since the peer was heard.
  public var heartbeatAge: Int
  /// Milliseconds since it connected.
  public var uptime: Int
  /// What keeps it from serving as it should, in words for people: it listens over tcp and does not know the newest list of keys.
  public var trouble: String?

  public init(
    node: String, kind: String, version: String, pid: Int32, endpoint: String?, heartbeatAge: Int, uptime: Int, trouble: String? = nil
  ) {
    self.trouble = trouble
    self.node = node
    self.kind = kind
    self.version = version
    self.pid = pid
    self.endpoint = endpoint
    self.heartbeatAge = heartbeatAge
    self.uptime = uptime
  }
}

/// The state of the diff workers' pool.
public struct PoolStatus: Codable, Sendable {
  public var workers: Int
  public var waiting: Int
  public var running: Int
  public var poisoned: Int
  /// The workers that hold a job, by name.
  public var busy: [String]

  public init(workers: Int = 0, waiting: Int = 0, running: Int = 0, poisoned: Int = 0, busy: [String] = []) {
    self.workers = workers
    self.waiting = waiting
    self.running = running
    self.poisoned = poisoned
    self.busy = busy
  }
}
