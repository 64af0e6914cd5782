import MinervaWire

/// What a call asks for beside its arguments: plain words, so that handing it on costs nothing.
@usableFromInline struct CallTerms: Sendable {
  /// How many arguments the encoder holds.
  let arguments: Int
  /// Whether the message counts against the limit for lists.
  let isList: Bool
  /// When the call ends without an answer, in monotonic milliseconds.
  let deadline: Int64
}

/// A call that cannot begin at once: its caller runs on another thread, or its peer is not reached yet.
struct OutgoingCall: @unchecked Sendable {
  // Made by the caller, then owned by the loop alone.
  let address: ActorAddress
  let target: String
  let encoder: CBOREncoder
  let terms: CallTerms
  let continuation: CallEnd

  func fail(_ error: MinervaError) { continuation.resume(throwing: error) }
}
