import CZeroMQ

/// A failed libzmq call: its error number and libzmq's words for it.
struct ZeroMQFailure: Error, Hashable, Sendable, CustomStringConvertible {
  let call: String
  let number: Int32

  /// The failure of the call that has just returned on this thread.
  static func last(_ call: String) -> ZeroMQFailure { ZeroMQFailure(call: call, number: zmq_errno()) }

  var description: String { "\(call): \(String(cString: zmq_strerror(number)))" }
}
