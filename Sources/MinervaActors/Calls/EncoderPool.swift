import MinervaWire

/// Encoders whose message was copied on its way, ready to be used again: a call costs no memory of its own then. Confined to the loop.
struct EncoderPool {
  private var free: [CBOREncoder] = []

  private static let limit = 64

  @inline(__always) mutating func take() -> CBOREncoder { free.popLast() ?? Self.make() }

  /// An encoder whose large byte strings travel as payload frames, without being copied.
  static func make() -> CBOREncoder {
    let encoder = CBOREncoder(headerRoom: Envelope.size)
    encoder.payloadThreshold = 64 << 10
    encoder.payloadLimit = 8
    return encoder
  }

  @inline(__always) mutating func giveBack(_ encoder: CBOREncoder) {
    guard free.count < Self.limit else { return }
    encoder.reset()
    free.append(encoder)
  }
}

/// Decoders that are read to their end in one go, ready to be used again. Confined to the loop.
struct DecoderPool {
  private var free: [CBORDecoder] = []

  private static let limit = 8

  @inline(__always) mutating func take(_ bytes: UnsafeRawBufferPointer, _ payloads: [UnsafeRawBufferPointer], depth: Int) -> CBORDecoder {
    guard let decoder = free.popLast(), decoder.depth == depth else { return CBORDecoder(bytes, depth: depth, payloads: payloads) }
    decoder.reset(bytes, payloads: payloads)
    return decoder
  }

  @inline(__always) mutating func giveBack(_ decoder: CBORDecoder) {
    if free.count < Self.limit { free.append(decoder) }
  }
}

/// What calls of all links share. Confined to the loop.
final class CallSupplies {
  @exclusivity(unchecked) var encoders = EncoderPool()
  @exclusivity(unchecked) var decoders = DecoderPool()
  @exclusivity(unchecked) var targets: TargetIndexCache

  init(_ names: ExposedNames) { targets = TargetIndexCache(names) }
}
