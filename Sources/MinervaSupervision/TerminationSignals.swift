internal import CPosix
internal import Glibc
package import MinervaWire
internal import Synchronization

/// The requests of the system to end or reload: SIGTERM, SIGINT, SIGHUP, told through a pipe.
///
/// The handler writes one byte and does nothing else; a thread reads the pipe. One object a process.
package final class TerminationSignals: Sendable {
  /// A signal that asks a service for something.
  package enum Signal: Int32, Sendable, Hashable, CaseIterable {
    case hangUp = 1
    case interrupt = 2
    case terminate = 15
  }

  private struct State {
    var handlers: [@Sendable (Signal) -> Void] = []
    var waiters: [CheckedContinuation<Signal, Never>] = []
    var unclaimed: [Signal] = []
  }

  private let state = Mutex(State())
  private let watched: [Signal]

  /// Takes the signals over. A broken pipe is ignored from then on.
  ///
  /// - Throws: `runtime.file` when the system has no pipe or thread left.
  package init(_ signals: [Signal] = [.terminate, .interrupt, .hangUp]) throws(MinervaError) {
    watched = signals
    var ends: [Int32] = [-1, -1]
    // A full pipe must not block a handler; what is lost then are repeats.
    guard cposix_pipe(&ends) == 0, fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 else {
      throw MinervaError(.runtimeFile, "cannot make a pipe for signals", errno: errno)
    }
    cposix_ignore_broken_pipes()
    for signal in signals {
      let failure = cposix_tell_signal(signal.rawValue, ends[1])
      guard failure == 0 else { throw MinervaError(.runtimeFile, "cannot handle signal \(signal.rawValue)", errno: failure) }
    }
    let readEnd = ends[0]
    let started = SystemThread.start(named: "signals") { [self] in
      while true {
        var byte: UInt8 = 0
        let count = read(readEnd, &byte, 1)
        if count < 0 && errno == EINTR { continue }
        guard count == 1 else { return }
        if let signal = Signal(rawValue: Int32(byte)) { arrived(signal) }
      }
    }
    guard started else { throw MinervaError(.runtimeFile, "cannot start the thread for signals") }
  }

  /// Calls back on a thread of this object for each signal, also those that came before.
  package func onSignal(_ handler: @escaping @Sendable (Signal) -> Void) {
    let early = state.withLock { state in
      state.handlers.append(handler)
      return state.unclaimed
    }
    for signal in early { handler(signal) }
  }

  /// Waits for the next signal, at once when one came that nobody has waited for.
  package func next() async -> Signal {
    await withCheckedContinuation { continuation in
      let early: Signal? = state.withLock { state in
        if !state.unclaimed.isEmpty { return state.unclaimed.removeFirst() }
        state.waiters.append(continuation)
        return nil
      }
      if let early { continuation.resume(returning: early) }
    }
  }

  /// Waits until the process is asked to end; a hang-up calls `reload` and is no end.
  package func termination(reload: @Sendable () -> Void = {}) async -> Signal {
    while true {
      let signal = await next()
      guard signal == .hangUp else { return signal }
      reload()
    }
  }

  /// Gives the signals back to the system: a second Ctrl-C then ends the process at once.
  package func release() {
    for signal in watched { _ = cposix_default_signal(signal.rawValue) }
  }

  private func arrived(_ signal: Signal) {
    let (handlers, waiters) = state.withLock { state in
      // Equal ones are one, as to the system: none is lost behind many of another kind.
      if state.waiters.isEmpty, !state.unclaimed.contains(signal) { state.unclaimed.append(signal) }
      defer { state.waiters = [] }
      return (state.handlers, state.waiters)
    }
    for handler in handlers { handler(signal) }
    for waiter in waiters { waiter.resume(returning: signal) }
  }
}
