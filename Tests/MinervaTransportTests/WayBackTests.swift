import Glibc
import MinervaWire
import Testing

@testable import MinervaTransport

@Suite("The way back to a peer", .timeLimit(.minutes(1)))
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
}
