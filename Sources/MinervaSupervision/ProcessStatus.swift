/// A supervised process as `status` shows it.
package struct ProcessStatus: Sendable, Hashable, Codable {
  package enum Phase: String, Sendable, Hashable, Codable {
    case starting, running
    /// Fell, and waits for its next start.
    case waiting
    case stopping, stopped
    /// Fell too often; `restart` gives it a new chance.
    case gaveUp
  }

  package var name: String
  package var kind: String
  /// Nil while it does not run.
  package var pid: Int32?
  /// How often it was started.
  package var generation: Int
  /// How often it was started again.
  package var restarts: Int
  package var phase: Phase
  /// When this generation started, in milliseconds since 1970, for display.
  package var startedAt: Int64?
  /// How long it has been running.
  package var uptimeMilliseconds: Int64?
  /// How the generation before ended.
  package var lastExit: ProcessExit?
  /// Why it could not be started, the last time that happened.
  package var lastProblem: String?

  package init(
    name: String, kind: String, pid: Int32?, generation: Int, restarts: Int, phase: Phase, startedAt: Int64? = nil,
    uptimeMilliseconds: Int64? = nil, lastExit: ProcessExit? = nil, lastProblem: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.pid = pid
    self.generation = generation
    self.restarts = restarts
    self.phase = phase
    self.startedAt = startedAt
    self.uptimeMilliseconds = uptimeMilliseconds
    self.lastExit = lastExit
    self.lastProblem = lastProblem
  }
}
