import CZeroMQ
import TestSupport
import Testing

@testable import MinervaTransport

@Suite("Room in a socket's queue", .timeLimit(.minutes(1)))
struct RoomTests {
  @Test("a dealer whose queue was full says once when there is room again")
  func room() async throws {
    let context = try ZeroMQContext()
    let (server, client) = (try ZeroMQSocket(.dealer, in: context), try ZeroMQSocket(.dealer, in: context))
    for socket in [server, client] {
      try socket.set(ZMQ_SNDHWM, 4)
      try socket.set(ZMQ_RCVHWM, 4)
    }
    try server.bind("inproc://room")
    try client.connect("inproc://room")
    let message: [UInt8] = [7]
    var count = 0
    while count < 1_000, message.withUnsafeBytes({ client.send($0) }) == .sent { count += 1 }
    try #require(count > 0 && count < 1_000, "the queue takes \(count) messages")
    #expect(!client.isReadable, "nothing waits and there is no room")
    while server.receive() != nil {}
    try await until("there is room") { client.isReadable }
    #expect(!client.isReadable, "it was said, and nothing was sent since")
    #expect(message.withUnsafeBytes { client.send($0) } == .sent)
    #expect(!client.isReadable, "a queue that is not full awaits no room")
    client.close()
    server.close()
    context.terminate()
  }
}
