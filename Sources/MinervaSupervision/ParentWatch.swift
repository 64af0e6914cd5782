internal import CPosix
internal import Glibc
package import MinervaWire
internal import Synchronization

/// The supervisor's end of the line by which its children learn that it died.
///
/// A pipe: children hold the read end as descriptor 3, the supervisor alone the write end. Whatever ends the
/// supervisor, kill -9 too, the kernel closes the write end and the children read end-of-file.
package final class ParentLine: Sendable {
  /// The variable that tells a child which descriptor to watch.
  package static let variable = "MINERVA_PARENT_FD"
  /// The number of the descriptor in a child.
  package static let childDescriptor: Int32 = 3

  let readEnd: Int32
  private let writeEnd: Int32

  package init() throws(MinervaError) {
    var ends: [Int32] = [-1, -1]
    guard cposix_pipe(&ends) == 0 else {
      throw MinervaError(.processStart, "cannot make a pipe; too many open files?", errno: errno)
    }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }
}

/// A child's watch over its supervisor: calls back once when the supervisor is gone, and ends the process itself when
/// it does not follow within a grace.
package final class ParentWatch: Sendable {
  private let cancelDescriptor: Int32

  /// Watches the supervisor named in the environment, or returns nil in a process that has none.
  ///
  /// - Parameters:
  ///   - grace: how long a clean end may take before the process is ended with status 70.
  ///   - whenGone: begins a clean end; called once on a thread of the watch.
  package static func start(
    environment: (String) -> String? = RuntimeDirectory.variable, grace: Duration = .seconds(2),
    whenGone: @escaping @Sendable () -> Void
  ) -> ParentWatch? {
    guard let text = environment(ParentLine.variable), let descriptor = Int32(text), descriptor > 2 else { return nil }
    // Only a pipe can be the line: a number left over in an environment names nothing of ours.
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    // Not for the children of this process, neither the descriptor nor its name.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unsetenv(ParentLine.variable)
    return ParentWatch(descriptor: descriptor, grace: grace, whenGone: whenGone)
  }

  init?(descriptor: Int32, grace: Duration, whenGone: @escaping @Sendable () -> Void) {
    let cancel = eventfd(0, Int32(EFD_CLOEXEC))
    guard cancel >= 0 else { return nil }
    cancelDescriptor = cancel
    let started = SystemThread.start(named: "parent-watch") {
      defer {
        close(descriptor)
        close(cancel)
      }
      var sets = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: cancel, events: Int16(POLLIN), revents: 0)]
      while true {
        let ready = poll(&sets, 2, -1)
        if ready < 0 { continue }
        if sets[1].revents != 0 { return }
        guard sets[0].revents != 0 else { continue }
        var byte: UInt8 = 0
        if read(descriptor, &byte, 1) > 0 { continue }
        break
      }
      whenGone()
      sets[1].revents = 0
      let milliseconds = Int32(clamping: grace.milliseconds)
      // A cancel within the grace means that the clean end is under way.
      if poll(&sets[1], 1, milliseconds) == 0 { _exit(70) }
    }
    if !started { return nil }
  }

  /// Ends the watch; the process goes on without one.
  package func cancel() {
    var one: UInt64 = 1
    _ = write(cancelDescriptor, &one, 8)
  }
}
