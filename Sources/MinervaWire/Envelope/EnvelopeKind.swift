/// What a message is. Open: a peer may be newer. Values from 128 are optional and may be ignored by whoever does not know them; any other unknown
/// kind is answered `bus.unsupported`.
package struct EnvelopeKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let hello = EnvelopeKind(rawValue: 1)
  package static let welcome = EnvelopeKind(rawValue: 2)
  package static let reject = EnvelopeKind(rawValue: 3)
  package static let call = EnvelopeKind(rawValue: 4)
  package static let reply = EnvelopeKind(rawValue: 5)
  package static let error = EnvelopeKind(rawValue: 6)
  package static let cancel = EnvelopeKind(rawValue: 7)
  package static let ping = EnvelopeKind(rawValue: 8)
  package static let pong = EnvelopeKind(rawValue: 9)
  package static let batch = EnvelopeKind(rawValue: 10)
  package static let event = EnvelopeKind(rawValue: 11)
  package static let snapshotRequest = EnvelopeKind(rawValue: 12)
  package static let snapshotReply = EnvelopeKind(rawValue: 13)
  package static let credit = EnvelopeKind(rawValue: 14)
  package static let goodbye = EnvelopeKind(rawValue: 15)

  /// Whether this build knows the kind.
  package var isKnown: Bool { rawValue >= 1 && rawValue <= 15 }

  /// Whether a peer that does not know the kind may ignore it.
  package var isOptional: Bool { rawValue >= 128 }
}

extension EnvelopeKind: CustomStringConvertible {
  private static let names = [
    "hello", "welcome", "reject", "call", "reply", "error", "cancel", "ping", "pong", "batch", "event", "snapshotRequest", "snapshotReply",
    "credit", "goodbye",
  ]

  package var description: String { isKnown ? Self.names[Int(rawValue) - 1] : "kind \(rawValue)" }
}
