import MinervaWire
import Testing

@Suite("CBOR with payload frames")
struct PayloadFrameTests {
  struct Job: Codable, Equatable {
    var name: String
    var old: [UInt8]
    var new: [UInt8]
    var small: [UInt8]
  }

  @Test("byte strings from the threshold on leave the body, up to the limit, and come back")
  func roundTrip() throws {
    let job = Job(name: "n", old: Array(repeating: 1, count: 200), new: Array(repeating: 2, count: 100), small: [3])
    for limit in 0...3 {
      let encoder = CBOREncoder()
      encoder.payloadThreshold = 100
      encoder.payloadLimit = limit
      try encoder.encode(job)
      #expect(encoder.payloads.count == min(2, limit))
      let payloads = encoder.payloads
      let decoded = try encoder.bytes.withUnsafeBytes { body in
        try withPointers(payloads) { try CBORDecoder(body, payloads: $0).decode(Job.self) }
      }
      #expect(decoded == job)
      encoder.reset()
      #expect(encoder.payloads.isEmpty)
    }
  }

  @Test("a frame can be asked for once: a small message cannot make many copies of a large one")
  func once() throws {
    let twice: [UInt8] = [0x82, 0xD9, 0x4D, 0x56, 0x00, 0xD9, 0x4D, 0x56, 0x00]
    try twice.withUnsafeBytes { body in
      try withPointers([[1, 2, 3]]) { payloads in
        _ = #expect(throws: MinervaError.self) { try CBORDecoder(body, payloads: payloads).decode([[UInt8]].self) }
      }
    }
  }

  private func withPointers<R>(_ payloads: [[UInt8]], _ body: ([UnsafeRawBufferPointer]) throws -> R) throws -> R {
    func go(_ index: Int, _ pointers: [UnsafeRawBufferPointer]) throws -> R {
      if index == payloads.count { return try body(pointers) }
      return try payloads[index].withUnsafeBytes { try go(index + 1, pointers + [$0]) }
    }
    return try go(0, [])
  }
}
