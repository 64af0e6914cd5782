/// How a process ended.
package enum ProcessExit: Sendable, Hashable, Codable, CustomStringConvertible {
  /// It left by itself, with that status.
  case status(Int32)
  /// A signal ended it.
  case signal(Int32)

  package var isSuccess: Bool { self == .status(0) }

  package var description: String {
    switch self {
    case .status(let status): "exit \(status)"
    case .signal(let signal): "signal \(signal)"
    }
  }
}
