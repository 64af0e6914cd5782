internal import CPosix

/// A refusal of the operating system's side: runtime directory, lock, process.
///
/// The text says what happened and what to do about it; `code` is stable and may be compared by scripts.
package struct SupervisionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable dotted code; new ones may come.
  package struct Code: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// The runtime directory, or a file in it, belongs to somebody else.
    package static let owner = Code("runtime.owner")
    /// Others may read or write the runtime directory.
    package static let mode = Code("runtime.mode")
    /// The path of the runtime directory is something else than a directory.
    package static let notDirectory = Code("runtime.not_directory")
    /// A socket's path would be longer than the system allows.
    package static let pathTooLong = Code("runtime.path_too_long")
    /// Another live process holds the name or the endpoint.
    package static let taken = Code("runtime.taken")
    /// A file that is no socket stands where a socket is to be bound.
    package static let notSocket = Code("runtime.not_socket")
    /// The system refused an operation on the runtime directory.
    package static let inputOutput = Code("runtime.io")
    /// A process could not be started.
    package static let spawn = Code("process.spawn")
    /// No such process is supervised.
    package static let unknownProcess = Code("process.unknown")
    /// An operation of the supervisor missed its deadline.
    package static let deadline = Code("process.deadline")

    private init(_ description: String) { self.description = description }
  }

  package let code: Code
  package let message: String
  /// The system's error number behind it, or 0.
  package let errno: Int32

  package init(_ code: Code, _ message: String, errno: Int32 = 0) {
    self.code = code
    self.message = message
    self.errno = errno
  }

  package var description: String {
    errno == 0 ? "\(code): \(message)" : "\(code): \(message) (\(Self.text(of: errno)))"
  }

  /// The system's words for an error number.
  static func text(of number: Int32) -> String {
    cposix_error_text(number).map { String(cString: $0) } ?? "error \(number)"
  }
}
