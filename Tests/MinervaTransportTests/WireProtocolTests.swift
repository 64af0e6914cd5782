import Foundation
@testable import MinervaTransport
import MinervaWire
import Testing

/// The examples of the protocol's documentation are what the product writes.
@Suite("The documented protocol")
struct WireProtocolTests {
  private static let article = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/Minerva/Minerva.docc/WireProtocol.md")

  /// The bytes of each example under its name, the last code span before it that is a kind's name.
  private static func examples() throws -> [String: String] {
    var found: [String: String] = [:]
    var name = "", isInside = false, bytes: [Substring] = []
    for line in try String(contentsOf: article, encoding: .utf8).split(separator: "\n") {
      if line == "```" {
        if isInside { found[name] = bytes.joined(separator: "\n") }
        (isInside, bytes) = (!isInside, [])
      } else if isInside {
        bytes.append(line)
      } else {
        for span in line.split(separator: "`") where kinds.contains(String(span)) { name = String(span) }
      }
    }
    return found
  }

  private static let kinds: Set<String> = [
    "hello", "welcome", "reject", "goodbye", "ping", "pong", "call", "reply", "error", "cancel", "batch", "event", "credit",
  ]

  /// What the ends of the documented handshake say of themselves.
  private static let hello = Hello(
    oldest: 1, newest: 1, api: APIVersion(number: 1, fingerprint: 2),
    from: Introduction(node: "shop-1", incarnation: 9, kind: "host", pid: 42, version: "1.0", listen: "ipc:///run/shop-1.sock"))
  private static let welcome = Welcome(
    version: 1, api: APIVersion(number: 1, fingerprint: 2),
    from: Introduction(node: "broker", incarnation: 8, kind: "broker", pid: 41, version: "1.0"))
  private static let reject = Reject(
    error: MinervaError(.nameTaken, "shop-1 is taken"), oldest: 1, newest: 1, api: APIVersion(number: 1, fingerprint: 2))

  private static func hex(_ bytes: [UInt8]) -> String {
    let digits = bytes.map { byte in
      let text = String(byte, radix: 16, uppercase: true)
      return text.count == 1 ? "0" + text : text
    }
    return stride(from: 0, to: digits.count, by: 16).map { digits[$0..<min($0 + 16, digits.count)].joined(separator: " ") }
      .joined(separator: "\n")
  }

  /// The same messages as the product writes them.
  private static func written() throws -> [String: [UInt8]] {
    let cancel = Envelope(.cancel, call: 7).message()
    let ping = Envelope(.ping).message()
    let arguments = try CBOR.encode("hi") + CBOR.encode(5)
    var call = Envelope(.call, flags: .targetIndex, arguments: 2, call: 7, deadline: 5_000).message(body: arguments)
    CallAddress.append(actor: "gate", index: 3, to: &call)
    var batch = BatchWriter()
    batch.append(cancel)
    batch.append(ping)
    let event = EventFrame.write(topic: "main", number: 2, incarnation: 9, body: try CBOR.encode("x"), limits: .standard)
    return [
      "hello": Envelope(.hello).message(body: try CBOR.encode(hello)),
      "welcome": Envelope(.welcome).message(body: try CBOR.encode(welcome)),
      "reject": Envelope(.reject).message(body: try CBOR.encode(reject)),
      "goodbye": Envelope(.goodbye).message(body: try CBOR.encode("quit")), "pong": Envelope(.pong).message(),
      "ping": ping, "call": call, "cancel": cancel, "batch": batch.finish(),
      "reply": Envelope(.reply, call: 7).message(body: try CBOR.encode(true)),
      "error": Envelope(.error, call: 7).message(body: try CBOR.encode(MinervaError(.noSuchActor, "no actor gate"))),
      "event": event.withUnsafeMutableBytes { Array($0) },
      "credit": EventCredit(topic: "main", events: 256).message(call: 1 << 63 | 5),
    ]
  }

  @Test("Every example of the protocol's page is what the product writes, byte by byte")
  func examplesHold() throws {
    let examples = try Self.examples(), written = try Self.written()
    #expect(Set(examples.keys) == Set(written.keys))
    for (name, bytes) in written.sorted(by: { $0.key < $1.key }) {
      #expect(examples[name] == Self.hex(bytes), "\(name):\n\(Self.hex(bytes))")
    }
  }

  @Test("The examples are read back as what they say")
  func examplesAreRead() throws {
    for (name, bytes) in try Self.written() where name != "event" {
      let envelope = try bytes.withUnsafeBytes { try Envelope.read($0, limits: .standard) }
      #expect("\(envelope.kind)" == name)
    }
    func body<Value: Decodable>(_ name: String) throws -> Value {
      let bytes = try #require(try Self.written()[name])
      return try CBOR.decode(Value.self, from: Array(bytes[32...]))
    }
    #expect(try body("hello") == Self.hello)
    #expect(try body("welcome") == Self.welcome)
    #expect(try body("reject") == Self.reject)
    #expect(try body("goodbye") == "quit")
    let event = try #require(try Self.written()["event"])
    let read = try event.withUnsafeBytes { try EventFrame.read($0, limits: .standard) }
    #expect(read.topic == "main" && read.number == 2 && read.incarnation == 9)
    let credit = try #require(try Self.written()["credit"])
    let wanted = try credit.withUnsafeBytes { try EventCredit(Envelope.read($0, limits: .standard), $0, limits: .standard) }
    #expect(wanted == EventCredit(topic: "main", events: 256))
  }

  @Test("An event over a link is the message of the socket, with the topic behind it; what is cut or has more is refused")
  func eventsOverLinks() throws {
    let body = try CBOR.encode("x")
    let message = EventFrame.message(topic: "main", number: 2, incarnation: 9, body: body, limits: .standard)
    let published = EventFrame.write(topic: "main", number: 2, incarnation: 9, body: body, limits: .standard).withUnsafeMutableBytes {
      Array($0)
    }
    #expect(Array(published[6...]) + Array(published[..<6]) == message)
    func read(_ bytes: [UInt8]) throws -> PublishedFrame {
      try bytes.withUnsafeBytes { try EventFrame.read(Envelope.read($0, limits: .standard), $0, limits: .standard) }
    }
    #expect(try read(message) == PublishedFrame(topic: "main", number: 2, incarnation: 9, body: body))
    for bad in [
      Array(message.dropLast()), message + [0], Array(message.dropLast(6)), Array(message.dropLast(5)),
      Array(message.dropLast(4)) + [255, 254, 253, 252],
    ] {
      #expect(throws: MinervaError.self) { try read(bad) }
    }
    for bad in [[1, 0, 0], [1, 0, 0, 0, 0]] as [[UInt8]] {
      let credit = Envelope(.credit).message(body: bad) + [4, 0] + Array("main".utf8)
      #expect(throws: MinervaError.self) {
        try credit.withUnsafeBytes { try EventCredit(Envelope.read($0, limits: .standard), $0, limits: .standard) }
      }
    }
  }
}
