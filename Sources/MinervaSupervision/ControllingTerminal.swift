internal import Glibc

/// The terminal a process was started in, which may close while it runs.
///
/// A closing terminal sends SIGHUP, and so does whoever wants a service to read its files again; only what became of the terminal tells
/// the two apart.
package struct ControllingTerminal: Sendable {
  /// Whether there was one at the start.
  private let wasThere: Bool

  package init() { wasThere = Self.isThere }

  /// Whether the terminal has closed since.
  package var hasClosed: Bool { wasThere && !Self.isThere }

  private static var isThere: Bool {
    let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }
}
