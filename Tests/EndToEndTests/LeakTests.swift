import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Synchronization
import Testing

/// A module whose coordinator leaves behind what its input says.
private enum Careless: Module {
  struct Input: Codable, Sendable { var leaves: String? }
}

private actor CarelessCoordinator: Coordinator {
  let context: Context<Careless>
  /// Coordinators that somebody forgot to let go.
  static let kept = Mutex<[CarelessCoordinator]>([])

  init(_ input: Careless.Input, _ context: Context<Careless>) {
    self.context = context
    if input.leaves == "itself" { Self.kept.withLock { $0.append(self) } }
    if input.leaves == "task" {
      context.task(file: "Careless.swift", line: 7) { await Task.detached { try? await Task.sleep(for: .seconds(60)) }.value }
    }
  }
}

/// Leaks across processes (K4).
@Suite("Real processes and what they leave behind", .serialized, .oneAtATime)
struct LeakTests {
  @Test("Processes: leaks names a task and a coordinator that outlive their screen, and a host that keeps silent (K4)")
  func named() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(hosts: 1, workers: 1)
    let host = try await HostProcess.start(HostSettings(app: "careless", node: "careless-1", broker: set.endpoint)) { _ in
      [ModuleOffer(CarelessCoordinator.init)]
    }
    let client = try await set.client()
    let scene = SceneAddress(name: "careless", app: "careless")
    #expect(await set.wait { (try? await client.modules().count) ?? 0 > 1 })
    func open(_ input: String) async throws -> ScreenID {
      let opening = Command.Opening(ModuleAddress(name: "Careless"), input: Array(input.utf8))
      return try #require(try await client.request(.open(opening), in: scene).outcome.screen)
    }
    let root = try await open("{}")
    let task = try await open(#"{"leaves":"task"}"#)
    let itself = try await open(#"{"leaves":"itself"}"#)
    #expect(try await client.leaks(in: scene) == LeakReport())
    _ = try await client.request(.backRoot(in: nil), in: scene)
    let found = try await client.leaks(in: scene)
    #expect(found.unanswered == [])
    #expect(found.leaks.map { "\($0.kind.rawValue) \($0.screen)" } == ["task \(task)", "coordinator \(itself)"])
    #expect(found.leaks.first?.text.hasSuffix("its task from Careless.swift:7 goes on") == true)
    #expect(found.leaks.map(\.owners).first == ["\(root) Careless"])
    #expect(found.leaks.allSatisfy { $0.age ?? 0 >= 400 })
    CarelessCoordinator.kept.withLock { $0 = [] }
    #expect(try await client.leaks(in: scene).leaks.map(\.screen) == [task])
    set.signal("shop-1", 19)
    #expect(try await client.leaks(in: nil).unanswered == ["shop-1"])
    set.signal("shop-1", 18)
    await client.close()
    await host.close()
  }

  @Test("Processes: a thousand openings and closings leave counts flat, and nothing to be named (K4, 1,000 cycles)")
  func flat() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(hosts: 1, workers: 1)
    let person = Person(client: try await set.client())
    _ = try await person.waits(for: "Home", set: set)
    func cycle() async throws {
      let screen = try await person.opens("Detail", input: #"{"id":1}"#)
      _ = try await person.client.request(.close([.id(screen)]))
    }
    for _ in 0..<100 { try await cycle() }
    let before = (set.usage(of: "broker"), set.usage(of: "shop-1"))
    for _ in 0..<1_000 { try await cycle() }
    let after = (set.usage(of: "broker"), set.usage(of: "shop-1"))
    #expect(try await person.client.leaks(in: nil) == LeakReport())
    #expect(try await person.client.coordinators().count == 2)
    #expect(after.0?.descriptors == before.0?.descriptors && after.1?.descriptors == before.1?.descriptors)
    await person.client.close()
  }
}
