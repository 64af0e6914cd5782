@testable import MinervaActors
import MinervaTransport
import MinervaWire
import Testing

@Suite("The life of a received frame")
struct FrameLifeTests {
  private func frame(_ values: [String]) throws -> Frame {
    let encoder = CBOREncoder()
    for value in values { try encoder.encode(value) }
    return try #require(encoder.bytes.withUnsafeBytes { Frame.copying($0, [[UInt8](repeating: 1, count: 1 << 16)]) })
  }

  @Test("a call lets go of the frame it came in when its last argument is read, however long it takes")
  func released() throws {
    var frame: Frame? = try frame(["one", "two"])
    weak let kept = frame
    let decoder = CBORDecoder(try #require(frame).bytes, payloads: try #require(frame).payloadBytes)
    var arguments = BusInvocationDecoder(decoder, arguments: 2, stub: nil, in: try #require(frame))
    // What the task of the call keeps.
    let copy = arguments
    frame = nil
    #expect(try arguments.decodeNextArgument() == "one")
    #expect(kept != nil, "the second argument is still in it")
    #expect(try arguments.decodeNextArgument() == "two")
    #expect(kept == nil)
    #expect(throws: MinervaError.self) { try arguments.decodeNextArgument() as String }
    withExtendedLifetime(copy) {}
  }

  @Test("a call without arguments, and one whose last argument is none, keep no frame")
  func nothingToRead() throws {
    var frame: Frame? = try frame(["text"])
    weak let kept = frame
    let none = BusInvocationDecoder(CBORDecoder(try #require(frame).bytes), arguments: 0, stub: nil, in: try #require(frame))
    var wrong = BusInvocationDecoder(CBORDecoder(try #require(frame).bytes), arguments: 1, stub: nil, in: try #require(frame))
    #expect(throws: MinervaError.self) { try wrong.decodeNextArgument() as Int }
    frame = nil
    #expect(kept == nil)
    withExtendedLifetime((none, wrong)) {}
  }
}
