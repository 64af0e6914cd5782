import MinervaWire

/// The way to one peer: a socket, a route through a listening socket, or the inbox of a bus in the same process. Loop thread only.
protocol LinkChannel: AnyObject {
  /// Sends a copy of the bytes without waiting; `.full` leaves them with the caller.
  func send(_ bytes: UnsafeRawBufferPointer) -> ZeroMQSocket.Sent
  /// Sends the whole buffer without copying it where the way allows; the caller may not change it any more.
  func send(owned buffer: OutputBuffer) -> ZeroMQSocket.Sent
  /// Sends a message of several frames: the head and byte strings that are not copied where the way allows.
  func send(_ head: OutputBuffer, _ payloads: [[UInt8]]) -> ZeroMQSocket.Sent
  /// Lets go of the peer. Nothing arrives afterwards.
  func close()
}
