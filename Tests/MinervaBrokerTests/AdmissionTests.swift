import Distributed
import Glibc
import Minerva
import MinervaActors
import MinervaBroker
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaTransport
import MinervaWire
import Synchronization
import TestSupport
import Testing

/// A host that does nothing but answer, or not, when it is told whom to let in.
private distributed actor StubbornHost: ModuleEndpoint {
  typealias ActorSystem = BusSystem

  enum Way: Sendable { case takes, refuses(MinervaError), hangs }

  let way: Mood

  final class Mood: Sendable {
    let state = Mutex<(way: Way, lists: [String])>((.takes, []))
    func set(_ way: Way) { state.withLock { $0.way = way } }
    var lists: [String] { state.withLock { $0.lists } }
  }

  init(way: Mood, actorSystem: BusSystem) {
    self.way = way
    self.actorSystem = actorSystem
  }

  distributed func admit(_ keys: AdmittedKeys) async throws {
    switch way.state.withLock({ $0.way }) {
    case .takes: way.state.withLock { $0.lists.append(keys.listed ?? "") }
    case .refuses(let error): throw error
    case .hangs: try await Task.sleep(for: .seconds(3_600))
    }
  }

  distributed func connect(_ order: ConnectOrder) async throws -> LinkVerdict { throw MinervaError(.unsupported, "no modules here") }
  distributed func resume(_ order: ResumeOrder) async throws -> LinkVerdict { throw MinervaError(.unsupported, "no modules here") }
  distributed func accept(_ orders: [HostOrder]) async throws {}
  distributed func resolve(_ inquiry: RouteInquiry) async throws -> RouteDecision { throw MinervaError(.unsupported, "no modules here") }
  distributed func inspect(_ scene: String?) async throws -> HostInspection { throw MinervaError(.unsupported, "no modules here") }
  distributed func call(_ call: CoordinatorCall) async throws -> [UInt8] { throw MinervaError(.unsupported, "no modules here") }
}

/// What a person is told of a process on tcp that was told whom to let in, and did not take it.
@Suite("Lists of keys that are not taken", .timeLimit(.minutes(1)))
struct AdmissionTests {
  /// A broker in this process with one such host, which says that it listens over tcp.
  private struct Place {
    let broker: Broker
    let client: Client
    let host: BusSystem
    let mood = StubbornHost.Mood()
    let lines: Lines
    let gateway: $BrokerGateway
    private let directory: String
    private let actor: StubbornHost
    private let key: String

    final class Lines: Sendable {
      let all = Mutex<[String]>([])
      func contains(_ text: String) -> Bool { all.withLock { $0.contains { $0.contains(text) } } }
    }

    init() async throws {
      var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/doors-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw MinervaError(.appFailed, "no directory for the test") }
      directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let endpoint = try Endpoint("ipc://\(directory)/broker.sock")
      let interfaces = try await FixedInterfaces.learn()
      let lines = Lines()
      self.lines = lines
      let settings = BrokerSettings(
        endpoints: [endpoint], events: [try Endpoint("ipc://\(directory)/events.sock")], version: "0",
        bus: BusSettings(node: "broker", kind: "broker", interfaces: interfaces.catalogue),
        log: { line in lines.all.withLock { $0.append(line) } })
      broker = try await Broker.start(settings, journal: MemoryJournal(), ownership: AllScenes(), epoch: 1, interfaces: interfaces)
      client = try await Client.connect(to: endpoint)
      let bus = BusSystem(BusSettings(node: "shop-1", kind: "host", interfaces: interfaces.catalogue))
      host = bus
      let mood = mood
      actor = BusSystem.named(WellKnown.host) { StubbornHost(way: mood, actorSystem: bus) }
      try await bus.expose(actor, as: interfaces.host)
      let node = try await bus.connect(to: endpoint)
      gateway = try $BrokerGateway.resolve(id: ActorAddress(node: node, name: WellKnown.broker), using: bus)
      key = try CurveKeyPair().publicKey
    }

    func register() async throws {
      _ = try await gateway.register(
        HostRegistration(app: "shop", node: "shop-1", endpoint: "tcp://127.0.0.1:9", modules: [], key: key))
    }

    /// What `status` and `doctor` say of the host.
    func trouble() async throws -> String? { try await client.status().peers.first { $0.node == "shop-1" }?.trouble }

    func close() async {
      await host.close(grace: .zero)
      await client.close(grace: .zero)
      await broker.close(grace: .zero)
      for name in ["broker.sock", "broker.sock.lock", "events.sock", "events.sock.lock"] { unlink("\(directory)/\(name)") }
      rmdir(directory)
    }
  }

  private struct AllScenes: SceneOwnership {
    func claim(_ scene: String, completion: @escaping JournalCompletion<SceneClaim>) { completion(.success(.ours(epoch: 1))) }
    func release(_ scene: String, completion: @escaping JournalCompletion<Void>) { completion(.success(())) }
    func onLoss(_ handler: @escaping @Sendable ([String]?) -> Void) {}
  }

  private func with(_ body: (Place) async throws -> Void) async throws {
    let place = try await Place()
    do {
      try await body(place)
    } catch {
      await place.close()
      throw error
    }
    await place.close()
  }

  private func refusal(_ body: () async throws -> Void) async -> MinervaError? {
    do {
      try await body()
      return nil
    } catch { return error as? MinervaError }
  }

  @Test("a host that refuses the list when it registers is told so, with its own words; the broker's log and status say it as well")
  func refused() async throws {
    try await with { place in
      place.mood.set(.refuses(MinervaError(.unauthorized, "the broker alone says who may come in")))
      let error = try #require(await refusal { try await place.register() })
      #expect(error.code == .unauthorized)
      #expect(error.message.hasPrefix("shop-1 was told whom to let in and did not take it: the broker alone says who may come in; "))
      #expect(place.lines.contains("doors: \(error.message)"))
      #expect(try await place.trouble() == error.message)
      // The next time it takes it, and all is well.
      place.mood.set(.takes)
      try await place.register()
      #expect(try await place.trouble() == nil)
    }
  }

  @Test("a host that does not answer is told after four seconds that it did not, and that it may try again")
  func unanswered() async throws {
    try await with { place in
      place.mood.set(.hangs)
      let error = try #require(await refusal { try await place.register() })
      #expect(error.code == .deadline && error.retryable)
      #expect(error.message.contains("shop-1 was told whom to let in and did not answer within 4"), "\(error.message)")
      #expect(error.message.contains("its own log may say with what"))
      #expect(place.lines.contains("doors: \(error.message)"))
    }
  }

  @Test("a list that changes is told again and again until it is taken; meanwhile status and log say who does not know it")
  func toldAgain() async throws {
    try await with { place in
      try await place.register()
      place.mood.set(.refuses(MinervaError(.backpressure, "the queue is full")))
      let anna = try CurveKeyPair().publicKey
      await place.broker.authorize(AuthorizedKeys([anna: AuthorizedKeys.Entry(grant: PeerGrant(role: .admin))]))
      try await until("status says it") {
        try await place.trouble()?.contains("shop-1 was told whom to let in and did not take it: the queue is full") == true
      }
      #expect(place.lines.contains("doors: shop-1 was told whom to let in and did not take it"))
      #expect(place.mood.lists.last?.contains(anna) != true)
      // Nobody asks for it: a revoked key would stay in for as long.
      place.mood.set(.takes)
      try await until("it knows the list") { place.mood.lists.last?.contains(anna) == true }
      try await until("nothing is the matter") { try await place.trouble() == nil }
      #expect(place.lines.contains("doors: shop-1 knows the list now"))
    }
  }
}
