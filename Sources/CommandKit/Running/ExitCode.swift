/// How every program of Minerva ends; decided here and nowhere else.
package struct ExitCode: RawRepresentable, Error, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let done = ExitCode(rawValue: 0)
  /// A request was refused or an expectation did not hold.
  package static let refused = ExitCode(rawValue: 1)
  /// The command line or a script could not be understood.
  package static let usage = ExitCode(rawValue: 2)
  /// Bus or broker cannot be reached.
  package static let unreachable = ExitCode(rawValue: 3)
  package static let timeout = ExitCode(rawValue: 4)
  /// A replay took another course than its recording.
  package static let diverged = ExitCode(rawValue: 5)
  package static let internalError = ExitCode(rawValue: 70)
  package static let interrupted = ExitCode(rawValue: 130)

  /// Decides by the stable code of an error.
  package init(errorCode code: String) {
    switch code {
    case "bus.unreachable", "bus.peer_lost": self = .unreachable
    case "bus.deadline", "link.timeout", "nav.timeout": self = .timeout
    case "bus.cancelled": self = .interrupted
    case "replay.diverged": self = .diverged
    default:
      switch code.prefix(while: { $0 != "." }) {
      case "parse", "usage", "script": self = .usage
      case "internal": self = .internalError
      default: self = .refused
      }
    }
  }
}
