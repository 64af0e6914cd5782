import MinervaWire

extension ScreenRendering {
  /// The rendering as it crosses processes: CBOR.
  package func encoded() throws -> [UInt8] {
    try CBOR.encode(self)
  }

  /// Reads a rendering that crossed processes.
  /// - Throws: `bus.bad_message` when the bytes are no rendering.
  public init(encoded bytes: [UInt8]) throws {
    self = try CBOR.decode(ScreenRendering.self, from: bytes)
  }
}
