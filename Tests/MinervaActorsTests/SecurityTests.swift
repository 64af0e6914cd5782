import Distributed
import Glibc
import MinervaActors
import MinervaTransport
import MinervaWire
import Testing

@Suite("tcp with CURVE", .timeLimit(.minutes(1)))
struct SecurityTests {
  /// A server on tcp that knows some keys.
  static func server(_ authorized: [String: PeerGrant]) async throws -> (BusSystem, Endpoint, String) {
    let keys = try CurveKeyPair()
    var settings = BusSettings(node: "server")
    settings.security = BusSecurity(keys: keys, authorized: AuthorizedKeys(authorized.mapValues { AuthorizedKeys.Entry(grant: $0) }))
    let bus = BusSystem(settings)
    return (bus, try await bus.listen(on: .tcp(host: "127.0.0.1", port: 0)), keys.publicKey)
  }

  static func client(_ name: String, _ keys: CurveKeyPair?, server: String?) -> BusSystem {
    var settings = BusSettings(node: name, deadline: .seconds(30))
    settings.security = BusSecurity(keys: keys, server: server)
    return BusSystem(settings)
  }

  @Test("an allowed key works and its role reaches the callee; an unknown key is refused, typed, without a hang")
  func roles() async throws {
    let known = try CurveKeyPair()
    let (server, endpoint, key) = try await Self.server([known.publicKey: PeerGrant(role: .observe, apps: ["shop"])])
    let actor = try await PoolEcho.serve(on: server)
    let friend = Self.client("friend", known, server: key)
    #expect(try await friend.connect(to: endpoint) == "server")
    let echo = try $Echo.resolve(id: ActorAddress(node: "server", name: "echo"), using: friend)
    #expect(try await echo.caller() == "friend observe")
    #expect(await server.peers().first?.grant == PeerGrant(role: .observe, apps: ["shop"]))
    let stranger = Self.client("stranger", try CurveKeyPair(), server: key)
    #expect(await failure { try await stranger.connect(to: endpoint) }?.code == .unauthorized)
    #expect(await server.counters().refusedKeys >= 1)
    for bus in [stranger, friend, server] { await bus.close(grace: .zero) }
    withExtendedLifetime(actor) {}
  }

  @Test("a client that has another server's key, or no key at all, gets a typed error")
  func wrongServer() async throws {
    let known = try CurveKeyPair()
    let (server, endpoint, key) = try await Self.server([known.publicKey: .local])
    let wrong = Self.client("wrong", known, server: try CurveKeyPair().publicKey)
    #expect(await failure { try await wrong.connect(to: endpoint) }?.code == .unreachable)
    let bare = Self.client("bare", nil, server: key)
    #expect(await failure { try await bare.connect(to: endpoint) }?.code == .unauthorized)
    var settings = BusSettings(node: "plain")
    settings.security.allowsInsecureLoopback = true
    let plain = BusSystem(settings)
    #expect(await failure { try await plain.connect(to: endpoint) }?.code == .unreachable)
    for bus in [wrong, bare, plain, server] { await bus.close(grace: .zero) }
  }

  @Test("a key that is struck out loses its link; one that is added gets in")
  func reload() async throws {
    let keys = try CurveKeyPair()
    let (server, endpoint, key) = try await Self.server([:])
    let client = Self.client("client", keys, server: key)
    #expect(await failure { try await client.connect(to: endpoint) }?.code == .unauthorized)
    await server.authorize(AuthorizedKeys([keys.publicKey: AuthorizedKeys.Entry(grant: .local)]))
    let events = client.peerEvents
    #expect(try await client.connect(to: endpoint) == "server")
    await server.authorize(AuthorizedKeys())
    for await event in events { if case .lost = event { break } }
    for bus in [client, server] { await bus.close(grace: .zero) }
  }

  @Test("tcp without keys is refused, unless it is loopback and explicitly insecure")
  func insecure() async throws {
    let bus = BusSystem(BusSettings(node: "server"))
    #expect(await failure { try await bus.listen(on: .tcp(host: "127.0.0.1", port: 0)) }?.code == .unauthorized)
    var settings = BusSettings(node: "server")
    settings.security.allowsInsecureLoopback = true
    let loopback = BusSystem(settings)
    #expect(await failure { try await loopback.listen(on: .tcp(host: "0.0.0.0", port: 0)) }?.code == .unauthorized)
    #expect(await failure { try await loopback.listen(on: .tcp(host: "127.evil.com", port: 0)) }?.code == .unauthorized)
    try await loopback.listen(on: .tcp(host: "127.0.0.1", port: 0))
    for bus in [bus, loopback] { await bus.close(grace: .zero) }
  }

  @Test("a key file is written 0600, never over another, and not read when others can read it")
  func keyFiles() throws {
    let directory = Pair.directory()
    let path = "\(directory)/key"
    defer {
      unlink(path)
      rmdir(directory)
    }
    let keys = try CurveKeyPair()
    try keys.write(file: path)
    #expect(try CurveKeyPair(file: path) == keys)
    #expect(throws: MinervaError.self) { try keys.write(file: path) }
    chmod(path, 0o640)
    #expect(throws: MinervaError.self) { try CurveKeyPair(file: path) }
    #expect(throws: MinervaError.self) { try CurveKeyPair(file: "\(path)-none") }
  }

  @Test("authorized keys as text: round trip, and a line that cannot be read refuses the list")
  func authorizedKeys() throws {
    let key = try CurveKeyPair().publicKey
    let keys = try AuthorizedKeys(text: "# comment\n\n\(key) navigate app=shop,fit scene=s1 # the tablet\n")
    #expect(keys[key] == PeerGrant(role: .navigate, apps: ["shop", "fit"], scenes: ["s1"]))
    #expect(try AuthorizedKeys(text: keys.text) == keys)
    // Whatever a scene is called, and whatever a person calls a key, it stays one line that can be read again.
    let odd = AuthorizedKeys([key: .init(grant: PeerGrant(role: .observe, apps: [], scenes: ["my scene", "a,b 100%", "größe"]), name: "x")])
    #expect(try AuthorizedKeys(text: odd.text) == odd)
    let forged = AuthorizedKeys([key: .init(grant: PeerGrant(role: .observe), name: "x\n\(key) admin")])
    #expect(try AuthorizedKeys(text: forged.text).entries.count == 1)
    #expect(try AuthorizedKeys(text: forged.text)[key]?.role == .observe)
    for text in ["short admin", "\(key)", "\(key) root", "\(key) admin app=", "\(key) admin colour=red"] {
      #expect(throws: MinervaError.self) { try AuthorizedKeys(text: text) }
    }
  }
}
