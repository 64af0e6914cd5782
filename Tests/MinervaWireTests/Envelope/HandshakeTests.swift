import MinervaWire
import Testing

@Suite("Handshake") struct HandshakeTests {
  private let names = ExposedNames(["b", "a", "c", "a"], number: 3)

  private func hello(oldest: UInt8 = 1, newest: UInt8 = 1, api: APIVersion) -> Hello {
    Hello(oldest: oldest, newest: newest, api: api, from: Introduction(node: "n", incarnation: .max, kind: "host", pid: 7, version: "0.1"))
  }

  @Test func `bodies come back as they were`() throws {
    var value = hello(api: names.version)
    value.from.listen = "ipc:///run/x"
    value.from.role = "admin"
    value.from.capabilities = ["lists"]
    #expect(try CBOR.decode(Hello.self, from: CBOR.encode(value)) == value)
    let reject = Reject(error: MinervaError(.unsupported, "no", details: ["a": "b"]), api: names.version)
    #expect(try CBOR.decode(Reject.self, from: CBOR.encode(reject)) == reject)
  }

  @Test func `versions and APIs that do not meet are refused with both named`() throws {
    #expect(try hello(api: names.version).agree(api: names.version) == 1)
    #expect(try hello(oldest: 2, newest: 5, api: names.version).agree(oldest: 1, newest: 3, api: names.version) == 3)
    let protocols = #expect(throws: MinervaError.self) { try hello(oldest: 4, newest: 5, api: names.version).agree(api: names.version) }
    #expect(protocols?.code == .unsupported && protocols?.message.contains("4-5") == true && protocols?.message.contains("1-1") == true)
    let other = ExposedNames(["a", "b"], number: 3).version
    let apis = #expect(throws: MinervaError.self) { try hello(api: other).agree(api: names.version) }
    #expect(apis?.message.contains(other.description) == true && apis?.message.contains(names.version.description) == true)
  }

  @Test func `exposed names are sorted, each once, with bounds`() {
    #expect(names.names == ["a", "b", "c"])
    #expect(names.index(of: "c") == 2 && names[2] == "c" && names[3] == nil && names.index(of: "d") == nil)
    #expect(ExposedNames(["ab", "c"], number: 1).version != ExposedNames(["a", "bc"], number: 1).version)
    #expect(ExposedNames(["a"], number: 1).version != ExposedNames(["a"], number: 2).version)
  }

  @Test func `a peer's nonsense limits do not take ours away`() {
    var theirs = Limits.standard
    theirs.messageBytes = -1
    theirs.callsInFlight = 1 << 60
    let kept = Limits.standard.stricter(theirs)
    #expect(kept.messageBytes == 4096 && kept.callsInFlight == 1024)
  }

  @Test func `every code of the runtime has one entry with cause and remedy`() {
    let codes = ErrorCatalogue.entries.map(\.code)
    #expect(Set(codes).count == codes.count)
    #expect(ErrorCatalogue.entries.allSatisfy { !$0.cause.isEmpty && !$0.remedy.isEmpty })
    #expect(MinervaError(.backpressure, "x").retryable && !MinervaError(.tooLarge, "x").retryable)
    #expect(!MinervaError("app.whatever", "x").retryable)
  }
}
