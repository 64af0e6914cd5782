import Glibc
import Synchronization

/// Why nothing more can be written.
package enum OutputEnd: Error, Hashable, Sendable {
  /// The reader at the other end of the pipe has gone.
  case readerGone
  /// The system refused the bytes, for want of space perhaps: what was written before is all there is.
  case refused(errno: Int32)
}

/// A stream of text to a descriptor, buffered, safe from any task; a vanished reader is an error, never a signal (D01).
///
/// Once a write has failed, every later one and `flush` throw the same.
package final class Output: Sendable {
  private struct State {
    var pending: [UInt8] = []
    var end: OutputEnd?
  }

  private let descriptor: Int32
  private let limit: Int
  private let state = Mutex(State())

  /// Makes a stream; a `limit` of zero writes each piece at once.
  package init(descriptor: Int32, limit: Int = 32_768) {
    self.descriptor = descriptor
    self.limit = limit
  }

  package func line(_ text: String) throws(OutputEnd) {
    try write(text + "\n")
  }

  package func lines(_ lines: [String]) throws(OutputEnd) {
    for text in lines { try line(text) }
  }

  package func write(_ text: String) throws(OutputEnd) {
    let end = state.withLock { state in
      guard state.end == nil else { return state.end }
      state.pending += text.utf8
      if state.pending.count > limit { drain(&state) }
      return state.end
    }
    if let end { throw end }
  }

  package func flush() throws(OutputEnd) {
    let end = state.withLock { state in
      drain(&state)
      return state.end
    }
    if let end { throw end }
  }

  /// Whether anybody can still read what is written; a pipe whose other end is closed has nobody, also while nothing is written.
  package var hasReader: Bool {
    state.withLock { state in
      guard state.end == nil else { return false }
      var end = pollfd(fd: descriptor, events: 0, revents: 0)
      guard poll(&end, 1, 0) > 0, end.revents & Int16(POLLERR | POLLNVAL) != 0 else { return true }
      state.end = .readerGone
      return false
    }
  }

  /// Calls back when the reader has left, as `head -1` does, for what tells only when something happens. Ends when it is cancelled.
  package func whenReaderLeaves(_ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        if !self.hasReader { return body() }
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
  }

  private func drain(_ state: inout State) {
    var sent = 0
    while sent < state.pending.count, state.end == nil {
      let count = state.pending.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent) }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, 1_000)
      } else if errno != EINTR {
        // Nothing written later could stand where it belongs either.
        state.end = errno == EPIPE || errno == ECONNRESET ? .readerGone : .refused(errno: errno)
      }
    }
    state.pending.removeAll(keepingCapacity: true)
  }
}
