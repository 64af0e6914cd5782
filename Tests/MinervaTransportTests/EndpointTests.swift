import MinervaTransport
import Testing

@Suite("Endpoints as people write them")
struct EndpointTests {
  @Test(
    "round trip",
    arguments: [
      "ipc:///run/user/1000/minerva/bus", "tcp://127.0.0.1:7000", "tcp://[::1]:7000", "tcp://broker.example:1", "inproc://broker",
    ])
  func roundTrip(_ text: String) throws { #expect(try Endpoint(text).description == text) }

  @Test(
    "what cannot be used is refused with words",
    arguments: [
      "", "http://x", "ipc://", "ipc://relative", "ipc:///" + String(repeating: "x", count: 200), "tcp://host", "tcp://host:99999",
      "tcp://:1", "tcp://a b:1", "tcp://;127.0.0.1:1", "tcp://eth0@x:1", "inproc://",
    ])
  func refused(_ text: String) {
    #expect { try Endpoint(text) } throws: { error in !"\(error)".isEmpty && error is EndpointError }
  }

  @Test("the longest path is 107 bytes, and bytes are counted, not characters")
  func longest() {
    #expect(throws: Never.self) { try Endpoint("ipc:///" + String(repeating: "x", count: 106)) }
    #expect(throws: EndpointError.self) { try Endpoint("ipc:///" + String(repeating: "x", count: 107)) }
    #expect(throws: EndpointError.self) { try Endpoint("ipc:///" + String(repeating: "ä", count: 54)) }
  }

  @Test("loopback is 127/8, ::1 and localhost, nothing that merely looks like it")
  func loopback() throws {
    for text in ["tcp://127.0.0.1:1", "tcp://127.9.9.9:1", "tcp://[::1]:1", "tcp://localhost:1"] { #expect(try Endpoint(text).isLoopback) }
    for text in ["tcp://127.evil.com:1", "tcp://0.0.0.0:1", "tcp://127.0.0.1.x:1", "tcp://10.0.0.1:1", "ipc:///x"] {
      #expect(try !Endpoint(text).isLoopback)
    }
  }

  @Test("port 0 and * ask the system")
  func anyPort() throws { #expect(try Endpoint("tcp://127.0.0.1:*") == .tcp(host: "127.0.0.1", port: 0)) }
}
