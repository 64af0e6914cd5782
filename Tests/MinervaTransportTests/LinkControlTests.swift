import MinervaProtocol
@testable import MinervaTransport
import MinervaWire
import Testing

@Suite("What a link says itself")
struct LinkControlTests {
  /// A way that is full until it is opened, and keeps the kinds of the messages that it took.
  final class Way: LinkChannel {
    var isOpen = false
    var kinds: [EnvelopeKind] = []

    func send(_ bytes: UnsafeRawBufferPointer) -> ZeroMQSocket.Sent {
      guard isOpen else { return .full }
      guard let envelope = try? Envelope.read(bytes, limits: .standard) else { return .failed }
      guard envelope.kind == .batch else {
        kinds.append(envelope.kind)
        return .sent
      }
      var reader = BatchReader(envelope.body(in: bytes), limits: .standard)
      while let next = try? reader.next() { if let inner = try? Envelope.read(next, limits: .standard) { kinds.append(inner.kind) } }
      return .sent
    }

    func send(owned buffer: OutputBuffer) -> ZeroMQSocket.Sent { buffer.withUnsafeBytes { send($0) } }
    func send(_ head: OutputBuffer, _ payloads: [[UInt8]]) -> ZeroMQSocket.Sent { head.withUnsafeBytes { send($0) } }
    func close() {}
  }

  private static func link() -> (Link, Way, Transport) {
    let settings = TransportSettings(
      introduction: Introduction(node: "a", incarnation: 1, kind: "test", pid: 1, version: "1"), api: APIVersion(number: 0, fingerprint: 0))
    let transport = Transport(settings)
    let link = Link(machine: .accepted(settings.link), endpoint: nil, transport: transport)
    let way = Way()
    link.channel = way
    return (link, way, transport)
  }

  @Test("a process of this machine is tried more often than one of another")
  func localPauses() throws {
    var settings = TransportSettings(
      introduction: Introduction(node: "a", incarnation: 1, kind: "test", pid: 1, version: "1"), api: APIVersion(number: 0, fingerprint: 0))
    #expect(settings.link(to: .ipc(path: "/run/broker.sock")).backoff.cap == 200)
    let remote = try Endpoint("tcp://127.0.0.1:7788")
    #expect(settings.link(to: remote).backoff == settings.backoff)
    settings.backoff = Backoff(first: 10, cap: 50)
    #expect(settings.link(to: .ipc(path: "/run/broker.sock")).backoff == settings.backoff)
  }

  @Test("a peer that asks for signs of life and never reads gets one of each when it does")
  func beats() {
    let (link, way, transport) = Self.link()
    for _ in 0..<1_000 {
      link.sendControl(Envelope(.pong))
      link.sendControl(Envelope(.ping))
      #expect(!link.flush(at: 0))
    }
    way.isOpen = true
    #expect(link.flush(at: 0))
    #expect(way.kinds == [.pong, .ping])
    // The next one is a sign of life again.
    link.sendControl(Envelope(.pong))
    #expect(link.flush(at: 0))
    #expect(way.kinds == [.pong, .ping, .pong])
    withExtendedLifetime(transport) {}
  }

  @Test("errors about messages nobody knows wait up to their bound")
  func errors() {
    let (link, way, transport) = Self.link()
    let queued = (0..<1_000).count { _ in
      let isQueued = link.sendControl(Envelope(.error))
      _ = link.flush(at: 0)
      return isQueued
    }
    #expect(queued == Link.errorLimit)
    way.isOpen = true
    #expect(link.flush(at: 0))
    #expect(way.kinds.count == Link.errorLimit)
    #expect(link.sendControl(Envelope(.error)))
    withExtendedLifetime(transport) {}
  }
}
