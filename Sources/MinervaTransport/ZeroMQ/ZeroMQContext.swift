import CZeroMQ

/// A libzmq context: its I/O thread and the inproc names of one bus.
///
/// Contexts do not survive `fork`; processes are started with `posix_spawn`.
final class ZeroMQContext: @unchecked Sendable {
  // Contexts are thread safe by libzmq's contract; sockets are not and stay on the loop.
  let pointer: UnsafeMutableRawPointer

  init() throws(ZeroMQFailure) {
    guard let pointer = zmq_ctx_new() else { throw .last("zmq_ctx_new") }
    self.pointer = pointer
    zmq_ctx_set(pointer, ZMQ_MAX_SOCKETS, 8192)
  }

  /// Ends the context. Every socket must be closed; waits no longer than the longest linger of any of them.
  func terminate() { while zmq_ctx_term(pointer) != 0, zmq_errno() == EINTR {} }
}
