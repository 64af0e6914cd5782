/// One supervised process as its supervisor sees it.
public struct ProcessReport: Codable, Hashable, Sendable {
  /// `broker`, `diff-1`, `shop-1`.
  public var name: String
  /// `broker`, `diff`, `host`.
  public var kind: String
  /// The process identifier, or `nil` while it is down.
  public var pid: Int32?
  /// Counts the starts of the process from 1.
  public var generation: Int
  public var restarts: Int
  /// `starting`, `running`, `waiting`, `gaveUp` or `stopped`.
  public var state: String
  /// Milliseconds since this generation was started.
  public var uptime: Int
  /// Resident memory in bytes, 0 while it is down.
  public var memory: Int
  /// How the last generation ended, in words, or `nil`.
  public var lastExit: String?

  public init(
    name: String, kind: String, pid: Int32?, generation: Int, restarts: Int, state: String, uptime: Int, memory: Int, lastExit: String?
  ) {
    self.name = name
    self.kind = kind
    self.pid = pid
    self.generation = generation
    self.restarts = restarts
    self.state = state
    self.uptime = uptime
    self.memory = memory
    self.lastExit = lastExit
  }
}
