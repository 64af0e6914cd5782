import Glibc
import Synchronization

/// The reader at the other end of the pipe has gone.
package struct OutputClosed: Error, Hashable, Sendable {
  package init() {}
}

/// A stream of text to a descriptor, buffered, safe from any task; a vanished reader is an error, never a signal (D01).
package final class Output: Sendable {
  private struct State {
    var pending: [UInt8] = []
    var isClosed = false
  }

  private let descriptor: Int32
  private let limit: Int
  private let state = Mutex(State())

  /// Makes a stream; a `limit` of zero writes each piece at once.
  package init(descriptor: Int32, limit: Int = 32_768) {
    self.descriptor = descriptor
    self.limit = limit
  }

  package func line(_ text: String) throws(OutputClosed) {
    try write(text + "\n")
  }

  package func lines(_ lines: [String]) throws(OutputClosed) {
    for text in lines { try line(text) }
  }

  package func write(_ text: String) throws(OutputClosed) {
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      state.pending += text.utf8
      if state.pending.count > limit { drain(&state) }
      return !state.isClosed
    }
    if !isOpen { throw OutputClosed() }
  }

  package func flush() throws(OutputClosed) {
    let isOpen = state.withLock { state in
      drain(&state)
      return !state.isClosed
    }
    if !isOpen { throw OutputClosed() }
  }

  private func drain(_ state: inout State) {
    var sent = 0
    while sent < state.pending.count, !state.isClosed {
      let count = state.pending.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent) }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, 1_000)
      } else if errno != EINTR {
        // EPIPE, or a full disk: nothing written later could arrive either.
        state.isClosed = true
      }
    }
    state.pending.removeAll(keepingCapacity: true)
  }
}
