import MinervaWire
import Testing

/// The header byte by byte, and what is refused.
@Suite("Envelope") struct EnvelopeTests {
  private func read(_ bytes: [UInt8], _ limits: Limits = .standard) throws -> Envelope {
    try bytes.withUnsafeBytes { try Envelope.read($0, limits: limits) }
  }

  private func code(_ bytes: [UInt8], _ limits: Limits = .standard) -> MinervaError.Code? {
    do {
      _ = try read(bytes, limits)
      return nil
    } catch { return (error as? MinervaError)?.code }
  }

  @Test func `golden frame of a call`() throws {
    var bytes = [UInt8](repeating: 0, count: Envelope.size)
    let body: [UInt8] = [0x61, 0x78, 0x05]
    bytes += body
    CallAddress.append(actor: "gate", index: 258, to: &bytes)
    let header = Envelope(
      .call, flags: .targetIndex, arguments: 2, call: 0x0102_0304_0506_0708, deadline: 5000, bodyLength: 3, trace: 0xAABB)
    header.write(into: &bytes)
    #expect(
      bytes == [
        0x4D, 0x56, 1, 4, 1, 0, 2, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0x88, 0x13, 0, 0, 3, 0, 0, 0, 0xBB, 0xAA, 0, 0, 0, 0, 0, 0, 0x61, 0x78, 5, 4,
        0,
        0x67, 0x61, 0x74, 0x65, 2, 1,
      ])
    #expect(try read(bytes) == header)
    try bytes.withUnsafeBytes { raw in
      let envelope = try Envelope.read(raw, limits: .standard)
      #expect(Array(envelope.body(in: raw)) == body)
      let address = try CallAddress(envelope.trailer(in: raw), flags: envelope.flags, limits: .standard)
      #expect(address.actor == "gate")
      guard case .index(258) = address.target else { return #expect(Bool(false), "target") }
    }
  }

  @Test func `a target by name`() throws {
    var bytes = Envelope(.call).message()
    CallAddress.append(actor: "ä", target: "$s3foo", to: &bytes)
    try bytes.withUnsafeBytes { raw in
      let envelope = try Envelope.read(raw, limits: .standard)
      let address = try CallAddress(envelope.trailer(in: raw), flags: envelope.flags, limits: .standard)
      #expect(address.actor == "ä" && address.targetName == "$s3foo")
    }
    for cut in Envelope.size..<bytes.count {
      bytes.withUnsafeBytes { raw in
        let part = UnsafeRawBufferPointer(rebasing: raw[Envelope.size..<cut])
        #expect(throws: MinervaError.self, "cut at \(cut)") { try CallAddress(part, flags: [], limits: .standard) }
      }
    }
  }

  @Test func `what is not ours is refused with a code`() {
    let good = Envelope(.call, call: 1).message(body: [1, 2, 3])
    #expect(code(good) == nil)
    #expect(code(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)) == .badMessage)
    #expect(code([]) == .badMessage)
    #expect(code(Array(good[..<31])) == .badMessage)
    #expect(code(Array(good[..<34])) == .badMessage)
    var other = good
    other[2] = 9
    #expect(code(other) == .unsupported)
    other[3] = EnvelopeKind.hello.rawValue
    #expect(code(other) == nil)  // the greeting is readable in every version, so that the refusal can name both
    other = good
    other[5] = 0x80
    #expect(code(other) == .unsupported)
    other = good
    other[20] = 0xFF
    other[23] = 0xFF
    #expect(code(other) == .badMessage)
    other = good
    other[7] = 17
    #expect(code(other) == .tooLarge)
    var small = Limits.standard
    small.messageBytes = 34
    #expect(code(good, small) == .tooLarge)
    var list = good
    list[4] = UInt8(Envelope.Flags.list.rawValue)
    #expect(code(list, small) == nil)
  }

  @Test func `unknown kinds: optional ones may be ignored`() {
    #expect(EnvelopeKind(rawValue: 200).isOptional && !EnvelopeKind(rawValue: 200).isKnown)
    #expect(!EnvelopeKind(rawValue: 77).isOptional && !EnvelopeKind(rawValue: 77).isKnown)
    #expect("\(EnvelopeKind.snapshotRequest)" == "snapshotRequest")
  }

  @Test func `a batch gives its messages in order, and no batch inside a batch`() throws {
    let messages = (0..<100).map { Envelope(.reply, call: UInt64($0)).message(body: [UInt8](repeating: 7, count: $0)) }
    var writer = BatchWriter()
    for message in messages { writer.append(message) }
    let batch = writer.finish()
    #expect(writer.count == 0)
    func unpack(_ bytes: [UInt8], _ limits: Limits = .standard) throws -> [[UInt8]] {
      try bytes.withUnsafeBytes { raw in
        let envelope = try Envelope.read(raw, limits: limits)
        var reader = BatchReader(envelope.body(in: raw), limits: limits)
        var result: [[UInt8]] = []
        while let message = try reader.next() { result.append(Array(message)) }
        return result
      }
    }
    #expect(try unpack(batch) == messages)
    writer.append(batch)
    let nested = writer.finish()
    #expect(throws: MinervaError.self) { try unpack(nested) }
    var few = Limits.standard
    few.batchMessages = 99
    #expect(throws: MinervaError.self) { try unpack(batch, few) }
    var cut = batch
    cut[Envelope.size] = 0xFF
    #expect(throws: MinervaError.self) { try unpack(cut) }
  }

  @Test func `mutated headers never trap`() {
    var random = SplitMix64(seed: 7)
    var good = Envelope(.call, call: 9, deadline: 100).message(body: [1, 2, 3, 4])
    CallAddress.append(actor: "a", target: "t", to: &good)
    for _ in 0..<20_000 {
      var bytes = Array(good.prefix(Int.random(in: 0...good.count, using: &random)))
      for _ in 0..<3 where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      bytes.withUnsafeBytes { raw in
        guard let envelope = try? Envelope.read(raw, limits: .standard) else { return }
        _ = envelope.body(in: raw)
        _ = try? CallAddress(envelope.trailer(in: raw), flags: envelope.flags, limits: .standard)
        var reader = BatchReader(envelope.body(in: raw), limits: .standard)
        while (try? reader.next()) != nil {}
      }
    }
  }
}
