/// Something that happened to a supervised process, for logs and people.
package enum SupervisionEvent: Sendable, Hashable, Codable, CustomStringConvertible {
  case started(name: String, pid: Int32, generation: Int)
  case failedToStart(name: String, generation: Int, problem: String)
  /// `expected` when it was asked to.
  case exited(name: String, pid: Int32, generation: Int, exit: ProcessExit, expected: Bool)
  /// It did not end within the grace.
  case killed(name: String, pid: Int32, grace: Duration)
  case gaveUp(name: String, restarts: Int, seconds: Int)
  case stopping

  /// Whom it is about; nil when it is about all.
  package var process: String? {
    switch self {
    case .started(let name, _, _), .failedToStart(let name, _, _), .exited(let name, _, _, _, _), .killed(let name, _, _),
      .gaveUp(let name, _, _):
      name
    case .stopping: nil
    }
  }

  package var description: String {
    switch self {
    case .started(let name, let pid, let generation): "\(name) started, pid \(pid), generation \(generation)"
    case .failedToStart(let name, let generation, let problem): "\(name) generation \(generation) could not be started: \(problem)"
    case .exited(let name, let pid, let generation, let exit, let expected):
      "\(name) generation \(generation), pid \(pid), ended\(expected ? "" : " unexpectedly"): \(exit)"
    case .killed(let name, let pid, let grace): "\(name), pid \(pid), did not end within \(grace) and is killed"
    case .gaveUp(let name, let restarts, let seconds):
      "\(name) fell \(restarts + 1) times within \(seconds) s and is given up; minerva logs \(name) says why"
    case .stopping: "stopping"
    }
  }
}
