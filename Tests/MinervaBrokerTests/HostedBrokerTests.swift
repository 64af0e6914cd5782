import Glibc
import Minerva
import MinervaActors
import MinervaBroker
import MinervaBrokerCore
import MinervaHosting
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaTransport
import MinervaWire
import TestSupport
import Testing

/// A module that counts the bytes of its inputs.
enum Scale: Module {
  struct Input: Codable, Sendable {
    var text: String?
    var asks: Question?
  }

  enum Question: String, Codable { case whoCalls, anotherStore }
  typealias Result = Int
}

actor ScaleCoordinator: Coordinator {
  let context: Context<Scale>
  var state = 0

  init(_ input: Scale.Input, _ context: Context<Scale>) {
    self.context = context
  }

  func configure(_ input: Scale.Input) throws {
    state += input.text?.utf8.count ?? 0
    switch input.asks {
    case .whoCalls: if BusSystem.currentCaller != nil { state -= 1_000 }
    case .anotherStore: throw MinervaError(.unreachable, "the store cannot be called", retryable: true)
    case nil: break
    }
  }
}

/// A broker in this process, and hosts that dial it as any other.
private struct HostedBroker {
  let broker: Broker
  let client: Client
  let endpoint: Endpoint
  private let directory: String

  init(limits: Limits = .standard, hasVirtualClock: Bool = false) async throws {
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/hosted-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw MinervaError(.appFailed, "no directory for the test") }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    endpoint = try Endpoint("ipc://\(directory)/broker.sock")
    let interfaces = try await FixedInterfaces.learn()
    let bus = BusSettings(node: "broker", kind: "broker", interfaces: interfaces.catalogue, limits: limits)
    var settings = BrokerSettings(
      endpoints: [endpoint], events: [try Endpoint("ipc://\(directory)/events.sock")], version: "0", bus: bus)
    settings.hasVirtualClock = hasVirtualClock
    broker = try await Broker.start(settings, journal: MemoryJournal(), ownership: EveryScene(), epoch: 1, interfaces: interfaces)
    client = try await Client.connect(to: endpoint)
  }

  func host(services: [String] = []) async throws -> HostProcess {
    try await HostProcess.start(HostSettings(app: "shop", node: "shop-1", broker: endpoint, start: "Scale", services: services)) { _ in
      [ModuleOffer(ScaleCoordinator.init)]
    }
  }

  func close() async {
    await client.close(grace: .zero)
    await broker.close(grace: .zero)
    for name in ["broker.sock", "broker.sock.lock", "events.sock", "events.sock.lock"] { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }
}

private struct EveryScene: SceneOwnership {
  func claim(_ scene: String, completion: @escaping JournalCompletion<SceneClaim>) { completion(.success(.ours(epoch: 1))) }
  func onLoss(_ handler: @escaping @Sendable ([String]?) -> Void) {}
}

/// What a broker and its hosts say to each other, whatever its size and number.
@Suite("A broker with hosts")
struct HostedBrokerTests {
  private static let root = ScreenID(1)

  private func input(_ bytes: Int) -> [UInt8] { Array(#"{"text":""#.utf8) + [UInt8](repeating: 0x61, count: bytes) + Array(#""}"#.utf8) }

  @Test("N15: the largest input that a broker admits reaches its host, and others after it")
  func largestInput() async throws {
    let hosted = try await HostedBroker()
    let host = try await hosted.host()
    // With its names and its envelope this fills a message of 4 MiB, to some bytes.
    let largest = (4 << 20) - 400
    _ = try await hosted.client.request(.send(.id(Self.root), input(largest)), within: .seconds(10))
    _ = try await hosted.client.request(.send(.id(Self.root), input(5)), within: .seconds(10))
    let report = try await hosted.client.coordinators().first
    #expect(report?.state.map { String(decoding: $0, as: UTF8.self) } == "\(largest + 5)")
    #expect(report?.unhandled == 0)
    await host.close(grace: .zero)
    await hosted.close()
  }

  @Test("N15, K3: what a coordinator does is not part of the call that brought its message, which ends before it may")
  func ownBehalf() async throws {
    let hosted = try await HostedBroker()
    let host = try await hosted.host()
    _ = try await hosted.client.request(.send(.id(Self.root), Array(#"{"asks":"whoCalls","text":"abc"}"#.utf8)), within: .seconds(10))
    let report = try await hosted.client.coordinators().first
    #expect(report?.state.map { String(decoding: $0, as: UTF8.self) } == "3")
    await host.close(grace: .zero)
    await hosted.close()
  }

  @Test("N15: a handler that cannot reach somebody is answered so, and its client's link is as good as before")
  func refusedAsUnreachable() async throws {
    let hosted = try await HostedBroker()
    let host = try await hosted.host()
    let failing = Array(#"{"asks":"anotherStore"}"#.utf8)
    var failure: MinervaError?
    do { _ = try await hosted.client.request(.send(.id(Self.root), failing), within: .seconds(8)) } catch let error as MinervaError {
      failure = error
    }
    #expect(failure?.code == .unreachable && failure?.message == "the store cannot be called")
    _ = try await hosted.client.request(.send(.id(Self.root), input(5)), within: .seconds(8))
    await host.close(grace: .zero)
    await hosted.close()
  }

  @Test("K3: a host with many more coordinators than a link takes calls is back with all of them")
  func manyComeBack() async throws {
    // On a virtual clock: what a busy machine takes decides nothing. Leases and their ends: MassReturnTests.
    let limits = Limits(callsInFlight: 48)
    let hosted = try await HostedBroker(limits: limits, hasVirtualClock: true)
    let first = try await hosted.host()
    let count = 2_048
    for number in 1..<count {
      _ = try await hosted.client.request(.open(Command.Opening(ModuleAddress(name: "Scale"), via: .push)), txn: "o\(number)")
    }
    #expect(try await hosted.client.coordinators().count == count)
    await first.close(grace: .zero)
    let second = try await hosted.host()
    try await until("all screens are resumed") { try await hosted.client.coordinators().allSatisfy { !$0.isSuspended } }
    #expect(try await hosted.client.coordinators().count == count)
    await second.close(grace: .zero)
    await hosted.close()
  }

  @Test("K3: a registration larger than an ordinary message is taken")
  func largeRegistrations() async throws {
    let hosted = try await HostedBroker()
    let host = try await hosted.host(services: [String(repeating: "s", count: 5 << 20)])
    #expect(try await hosted.client.modules().map(\.module.name) == ["Scale"])
    await host.close(grace: .zero)
    await hosted.close()
  }
}
