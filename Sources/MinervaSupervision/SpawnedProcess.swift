internal import CPosix
internal import Glibc
package import MinervaWire
internal import Synchronization

/// A child process, started with `posix_spawn` (contexts of libzmq do not survive a fork).
///
/// Signals go through a pidfd, so they never reach a process that got the number later. The child is reaped by
/// whoever asks for its exit; the first answer is kept.
package final class SpawnedProcess: Sendable {
  package let name: String
  package let pid: Int32
  /// Readable once the process ended; belongs to this object.
  package let descriptor: Int32
  private let ended: Mutex<ProcessExit?>

  private init(name: String, pid: Int32, descriptor: Int32) {
    self.name = name
    self.pid = pid
    self.descriptor = descriptor
    ended = Mutex(nil)
  }

  deinit { close(descriptor) }

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - specification: what to start.
  ///   - runtime: the directory of its log.
  ///   - parent: the line by which it notices that this process died; nil leaves it without.
  /// - Throws: `process.start` with the path and the system's reason.
  package static func start(
    _ specification: ProcessSpecification, runtime: RuntimeDirectory? = nil, parent: ParentLine? = nil
  ) throws(MinervaError) -> SpawnedProcess {
    var output: Int32 = -1
    var error: Int32 = -1
    var log: Int32 = -1
    switch specification.output {
    case .inherit:
      output = STDOUT_FILENO
      error = STDERR_FILENO
    case .discard: break
    case .log:
      guard let runtime else {
        throw MinervaError(.processStart, "\(specification.name) is to write a log and has no runtime directory to write it in")
      }
      log = try openLog(specification.name, in: runtime)
      output = log
      error = log
    }
    defer { if log >= 0 { close(log) } }

    var variables = specification.environment
    // In a log a crash report is a few lines that say where: registers and images would drown what it died of.
    let backtrace = "SWIFT_BACKTRACE"
    if specification.output == .log, variables[backtrace] == nil, RuntimeDirectory.variable(backtrace) == nil {
      variables[backtrace] = "registers=none,images=none,color=no"
    }
    if parent != nil { variables[ParentLine.variable] = String(ParentLine.childDescriptor) }
    let environment = CStrings(inheritedEnvironment(replacing: variables))
    let arguments = CStrings([specification.executable] + specification.arguments)
    var pid: pid_t = 0
    let failure = specification.executable.withCString { path in
      var request = cposix_spawn_request(
        path: path, arguments: arguments.pointers, environment: environment.pointers, directory: nil, input: -1,
        output: output, error: error, inherited: parent?.readEnd ?? -1, own_group: specification.ownGroup ? 1 : 0)
      return cposix_spawn(&request, &pid)
    }
    guard failure == 0 else {
      throw MinervaError(
        .processStart, "cannot start \(specification.name): \(specification.executable); is it built and executable?", errno: failure)
    }
    let descriptor = cposix_pidfd_open(pid)
    guard descriptor >= 0 else {
      let failure = errno
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw MinervaError(.processStart, "cannot watch \(specification.name); pidfd_open needs Linux 5.3", errno: failure)
    }
    return SpawnedProcess(name: specification.name, pid: pid, descriptor: descriptor)
  }

  /// The exit, once there is one; never waits.
  package func poll() -> ProcessExit? {
    ended.withLock { ended in
      if let ended { return ended }
      let result = cposix_reap(pid)
      if result.ended == 0 { return nil }
      // Reaped by a stranger (SIGCHLD ignored): gone all the same, its status is lost.
      if result.ended < 0 { ended = .status(-1) } else { ended = result.signal == 0 ? .status(result.status) : .signal(result.signal) }
      return ended
    }
  }

  /// Waits for the exit, blocking the calling thread, nil when it has not come in time.
  package func wait(atMost limit: Duration) -> ProcessExit? {
    let deadline = MonotonicTime.now + limit
    while true {
      if let exit = poll() { return exit }
      let left = deadline - MonotonicTime.now
      guard left > .zero else { return nil }
      var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = Glibc.poll(&set, 1, MonotonicTime.milliseconds(left))
    }
  }

  /// Sends a signal; false when the process is gone.
  @discardableResult
  package func signal(_ number: Int32) -> Bool {
    ended.withLock { $0 == nil && cposix_pidfd_signal(descriptor, number) == 0 }
  }

  /// Asks with SIGTERM, waits for the grace, then kills; blocks the calling thread.
  ///
  /// A stopped process is continued, else it would not see the signal.
  @discardableResult
  package func terminate(grace: Duration = .seconds(2)) -> ProcessExit {
    signal(SIGTERM)
    signal(SIGCONT)
    if let exit = wait(atMost: grace) { return exit }
    signal(SIGKILL)
    // An uninterruptible wait in the kernel can outlast any signal; the caller gets an answer all the same.
    return wait(atMost: .seconds(5)) ?? .signal(SIGKILL)
  }

  private static func openLog(_ name: String, in runtime: RuntimeDirectory) throws(MinervaError) -> Int32 {
    if mkdir(runtime.logDirectory, 0o700) != 0 && errno != EEXIST {
      throw MinervaError(.runtimeFile, "cannot create \(runtime.logDirectory)", errno: errno)
    }
    let descriptor = open(runtime.logPath(name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw MinervaError(.runtimeFile, "cannot open the log \(runtime.logPath(name))", errno: errno)
    }
    return descriptor
  }

  private static func inheritedEnvironment(replacing variables: [String: String]) -> [String] {
    var result: [String] = []
    var next = cposix_environ()
    while let pointer = next, let entry = pointer.pointee {
      let text = String(cString: entry)
      let name = String(text.prefix { $0 != "=" })
      // A grandchild must not take the number of our own line for one of its own.
      if variables[name] == nil && name != ParentLine.variable { result.append(text) }
      next = pointer + 1
    }
    for name in variables.keys.sorted() { result.append("\(name)=\(variables[name] ?? "")") }
    return result
  }
}

/// A null-terminated array of C strings that lives as long as this object.
private final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    pointers = .allocate(capacity: strings.count + 1)
    for (index, string) in strings.enumerated() { (pointers + index).initialize(to: strdup(string)) }
    (pointers + strings.count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }
}
