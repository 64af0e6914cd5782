import Glibc
import MinervaWire
import RawPeers
import Testing

@testable import MinervaTransport

@Suite("The way to a peer and back", .timeLimit(.minutes(1)))
struct WayBackTests {
  @Test("a message to a peer that is not there is unroutable, not dropped without a word")
  func vanishedRoute() async throws {
    let transport = TransportTests.transport("server", InProcessHub(), TransportTests.Listener())
    let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let path = "\(place)/minerva-way-back-\(getpid())"
    let sent = await TransportTests.onLoop(transport) { () -> String in
      do {
        let context = try ZeroMQContext()
        defer { context.terminate() }
        let listener = try RouterListener(on: .ipc(path: path), number: 0, in: context, transport: transport)
        defer { listener.close(linger: 0) }
        guard let route = ([0, 1, 2, 3, 4] as [UInt8]).withUnsafeBytes({ RouterListener.Route($0) }) else { return "no route" }
        let channel = RouterChannel(route: route, connection: -1, listener: listener)
        return "\(Envelope(.reply, call: 7).message().withUnsafeBytes { channel.send($0) })"
      } catch {
        return "\(error)"
      }
    }
    #expect(sent == "unroutable")
    await TransportTests.close(transport)
  }

  @Test("a message to a server that does not answer has no room: libzmq queues nothing for who may never be there (C01)")
  func serverThatIsNotThere() async throws {
    let mute = try #require(RawListener())
    var settings = TransportSettings(
      introduction: Introduction(node: "a", incarnation: 1, kind: "test", pid: 1, version: "1"), api: APIVersion(number: 0, fingerprint: 0))
    settings.security.allowsInsecureLoopback = true
    let transport = Transport(settings)
    let listener = TransportTests.Listener()
    transport.start(keeping: listener)
    let sent = await TransportTests.onLoop(transport) { [settings, place = mute.endpoint] () -> String in
      do {
        let context = try ZeroMQContext()
        defer { context.terminate() }
        let channel = try DealerChannel(
          to: place, server: nil, settings: settings, number: 0, in: context, loop: transport.loop, onEvent: { _ in })
        defer { channel.close() }
        return "\(Envelope(.call, call: 7).message().withUnsafeBytes { channel.send($0) })"
      } catch {
        return "\(error)"
      }
    }
    #expect(sent == "full")
    await TransportTests.close(transport)
    withExtendedLifetime(mute) {}
  }
}
