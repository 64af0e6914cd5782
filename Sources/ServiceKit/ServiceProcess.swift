package import CommandKit
package import MinervaActors
package import MinervaInterfaces
package import MinervaSupervision
package import MinervaTransport
package import MinervaWire
import Synchronization

/// The frame of a service process: its directory, its name's lock, its log, and the wish that it ends.
///
/// The log goes to standard error, one line an event: `2026-11-30T20:21:05.123Z broker  text`. A service ends on SIGTERM and SIGINT, and
/// when its supervisor is gone.
package final class ServiceProcess: Sendable {
  package let runtime: RuntimeDirectory
  package let name: String
  private let lock: LockFile
  private let console: Console
  private let signals: TerminationSignals
  private let ending: AsyncStream<String>
  private let starting: Starting
  private let watch: ParentWatch?

  /// Opens the runtime directory and takes the name's lock in it.
  ///
  /// - Throws: `bus.unsafe_directory`, `bus.endpoint_taken` when a live process has the name.
  package init(_ command: ParsedCommand, name fallback: String, console: Console) throws(MinervaError) {
    name = command.text("name") ?? fallback
    guard (1...64).contains(name.utf8.count), !name.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "/") || $0 == 0x7F }) else {
      throw MinervaError(.usageName, "a process's name has 1 to 64 bytes without spaces and slashes")
    }
    // What an author's coordinator prints belongs into the log when it is printed.
    PrintedLines.leaveAtOnce()
    runtime = try RuntimeDirectory.open(option: command.text("runtime"), for: [name])
    // Before the lock: whoever holds the name may be sent a signal, and what comes early is kept.
    signals = try TerminationSignals()
    lock = try LockFile.acquire(runtime.lockPath(name))
    self.console = console
    // A connection is a descriptor, and many systems give a process a thousand of them where it may have far more.
    DescriptorLimit.raise()
    let (ending, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
    self.ending = ending
    let starting = Starting()
    self.starting = starting
    watch = ParentWatch.start {
      continuation.yield("its supervisor is gone")
      starting.cancel()
    }
    signals.onSignal { signal in
      guard signal != .hangUp else { return }
      continuation.yield("signal \(signal.rawValue)")
      starting.cancel()
    }
  }

  /// Runs what starts the service; the wish that it ends cancels it, so that nobody waits for a broker that never comes up (C01).
  ///
  /// - Throws: What the start threw; `ExitCode.done` when it was cancelled by that wish.
  package func start<Service: Sendable>(_ body: @escaping @Sendable () async throws -> Service) async throws -> Service {
    let task = Task { try await body() }
    starting.begin { task.cancel() }
    defer { starting.end() }
    do {
      return try await task.value
    } catch {
      guard task.isCancelled else { throw error }
      log("ends (\(await untilAskedToEnd())) before it was up; 0 messages undelivered")
      throw ExitCode.done
    }
  }

  /// The socket of a name in the runtime directory, free for a bind: the lock says that nobody else may have it.
  package func socket(_ socketName: String) throws(MinervaError) -> Endpoint {
    let path = try runtime.socketPath(socketName)
    try lock.clearSocket(at: path)
    return .ipc(path: path)
  }

  /// Writes a line to the log.
  package func log(_ text: String) { console.notice("\(ProcessLog.stamp) \(name)  \(Escaping.visible(text))") }

  /// The settings of the process's bus.
  package func bus(
    kind: String, interfaces: FixedInterfaces, listen: String? = nil, security: BusSecurity = BusSecurity(), capabilities: [String] = []
  ) -> BusSettings {
    let name = name, console = console
    return BusSettings(
      node: name, kind: kind, version: ProductVersion.text, capabilities: capabilities, interfaces: interfaces.catalogue,
      security: security,
      listen: listen
    ) { line in
      let held = line.heldBack > 0 ? " (\(line.heldBack) more like it)" : ""
      console.notice("\(ProcessLog.stamp) \(name)  \(line.kind): \(Escaping.visible(line.text))\(held)")
    }
  }

  /// Calls back at each SIGHUP.
  package func onHangUp(_ reload: @escaping @Sendable () -> Void) {
    signals.onSignal { if $0 == .hangUp { reload() } }
  }

  /// Waits until the process is asked to end, and says by whom.
  package func untilAskedToEnd() async -> String {
    for await reason in ending { return reason }
    return "cancelled"
  }

  /// Gives the lock back; a second signal ends the process at once from now on.
  package func end() {
    watch?.cancel()
    signals.release()
    lock.release()
  }
}

/// The start of a service, as long as it can be cancelled.
private final class Starting: Sendable {
  private struct State {
    var isCancelled = false
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  func begin(_ cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.cancel = cancel
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  func end() { state.withLock { $0.cancel = nil } }

  func cancel() {
    let cancel = state.withLock { state in
      state.isCancelled = true
      return state.cancel
    }
    cancel?()
  }
}
