import Glibc
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaTransport
import MinervaWire
import Testing

/// Keys that reach some scenes or apps alone, over tcp: their events come over their own link.
@Suite("Real processes and narrowed keys", .serialized, .oneAtATime, .timeLimit(.minutes(3)))
struct NarrowedKeyTests {
  private static func open(_ client: Client, _ scene: String, times: Int = 1) async throws {
    for number in 0..<times {
      let opening = Command.Opening(ModuleAddress(name: "Extra"), input: Array("\(number)".utf8), unhosted: true)
      _ = try await client.request(.open(opening), in: SceneAddress(name: scene, app: "shop"), within: .seconds(30))
    }
  }

  @Test("Processes: a key narrowed to a scene sees its events, complete and in order, and none of another scene or app")
  func oneScene() async throws {
    let place = try KeyedPlace([
      "anna": PeerGrant(role: .navigate, scenes: ["a"]), "dora": PeerGrant(role: .observe, apps: ["shop"]),
      "eve": PeerGrant(role: .observe, apps: ["bank"]),
    ])
    defer { place.end() }
    try place.set.start("shop-1", "minerva-host", ["--app", "shop"])
    let boss = try await place.set.client("boss")
    #expect(try await place.set.wait(atMost: .seconds(20)) { try await !boss.modules().isEmpty })
    for scene in ["a", "b"] { try await Self.open(boss, scene) }
    let anna = try await place.client("anna"), dora = try await place.client("dora"), eve = try await place.client("eve")
    #expect(try await anna.status().events == [], "no socket that it could read")
    #expect(try await boss.status().events != [])
    let seen = Shared(WatcherLog()), seenByDora = Shared(WatcherLog()), scenes = Shared(Set<String>())
    let updates = try await anna.watch(SceneAddress(name: "a")), other = try await dora.watch(SceneAddress(name: "b"))
    let reading = Task {
      for await update in updates {
        seen.change { $0.take(update) }
        if case .event(let event) = update { scenes.change { $0.insert(event.scene) } }
      }
    }
    let readingOther = Task { for await update in other { seenByDora.change { $0.take(update) } } }
    defer {
      reading.cancel()
      readingOther.cancel()
    }
    #expect(await place.set.wait { seen.value.snapshots == 1 && seenByDora.value.snapshots == 1 })
    // Whoever asks for more than its key covers: the stream ends, and nothing was in it. A scene that is not yet there may be anyone's.
    for (client, scene) in [(anna, "b"), (eve, "a")] {
      for await _ in try await client.watch(SceneAddress(name: scene)) { Issue.record("\(client.name) saw \(scene)") }
      for await frame in try await client.bus.subscribe(at: client.broker, topics: [SceneEvent.topic(of: scene)]) {
        Issue.record("\(client.name) heard \(frame.topic)")
      }
    }
    let before = await eve.bus.counters().eventsReceived
    let early = try await eve.bus.subscribe(at: eve.broker, topics: [SceneEvent.topic(of: "c")])
    let rendering = await code { _ = try await eve.rendering(of: ScreenID(2), in: SceneAddress(name: "a", app: "bank")) }
    #expect(rendering == .unauthorized, "a scene has its app, whatever a caller calls it")
    for scene in ["a", "b", "c"] { try await Self.open(boss, scene, times: 120) }
    for (client, log, scene) in [(anna, seen, "a"), (dora, seenByDora, "b")] {
      let last = try await client.snapshot(of: SceneAddress(name: scene))
      #expect(await place.set.wait { log.value.number >= last.event }, "\(log.value), \(last.event)")
      #expect(log.value.faults == [] && log.value.snapshots == 1 && log.value.events > 120)
    }
    #expect(scenes.value == ["a"])
    #expect(await eve.bus.counters().eventsReceived == before)
    withExtendedLifetime(early) {}
    for client in [anna, dora, eve, boss] { await client.close() }
  }

  private func code(_ body: () async throws -> Void) async -> MinervaError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? MinervaError)?.code
    }
  }

  @Test("Processes: watch, wait event, expect event and the shell work with a narrowed key")
  func commands() async throws {
    let place = try KeyedPlace(["anna": PeerGrant(role: .navigate, scenes: ["a"])])
    defer { place.end() }
    try place.set.start("shop-1", "minerva-host", ["--app", "shop"])
    let boss = try await place.set.client("boss")
    #expect(try await place.set.wait(atMost: .seconds(20)) { try await !boss.modules().isEmpty })
    try await Self.open(boss, "a")
    try await Self.open(boss, "b")
    let shell = try ProcessSet.Once.run(
      "minerva-shell", place.words("anna") + ["--scene", "a"],
      input: """
        open Settings
        expect event screen.presented module=Settings
        wait event request.settled &
        back
        expect event screen.removed module=Settings
        """)
    #expect(shell.status == 0, "\(shell.output)\(shell.errors)")
    try place.set.startCommand("watching", "minerva", ["watch", "--json"] + place.words("anna") + ["--scene", "a"])
    try place.set.startCommand("refused", "minerva", ["watch", "--json"] + place.words("anna") + ["--scene", "b"])
    #expect(place.set.exit(of: "refused") == 1 && place.set.log(of: "refused").contains("bus.unauthorized"))
    // Until it watches nothing is shown; then everything is.
    let isShown = try await place.set.wait {
      try await Self.open(boss, "b")
      try await Self.open(boss, "a")
      return place.set.log(of: "watching").contains("Extra")
    }
    #expect(isShown, "\(place.set.log(of: "watching"))")
    #expect(!place.set.log(of: "watching").contains(#""scene":"b""#))
    await boss.close()
  }

  @Test("Processes: a narrowed reader that stands still costs the broker its bound, and starts anew from a snapshot (C06)")
  func stopped() async throws {
    let place = try KeyedPlace(["anna": PeerGrant(role: .observe, scenes: ["a"]), "bert": PeerGrant(role: .observe, apps: ["shop"])])
    let set = place.set
    defer { place.end() }
    try set.start("shop-1", "minerva-host", ["--app", "shop"])
    let boss = try await set.client("boss"), bert = try await place.client("bert")
    #expect(try await set.wait(atMost: .seconds(20)) { try await !boss.modules().isEmpty })
    try await Self.open(boss, "a")
    let seen = Shared(WatcherLog())
    let updates = try await bert.watch(SceneAddress(name: "a"))
    let reading = Task { for await update in updates { seen.change { $0.take(update) } } }
    defer { reading.cancel() }
    try set.start("stopped", "scene-watcher", place.words("anna") + ["--scene", "a"])
    #expect(await set.wait { seen.value.snapshots == 1 && WatcherLog(of: "stopped", in: set).snapshots == 1 })
    try await churn(boss, 2_000)
    let before = try #require(set.usage(of: "broker"))
    set.signal("stopped", SIGSTOP)
    try await churn(boss, 6_000)
    let after = try #require(set.usage(of: "broker"))
    #expect(after.memory <= before.memory + 32 << 20, "resident \(before.memory >> 20) MiB before, \(after.memory >> 20) MiB after")
    set.signal("stopped", SIGCONT)
    try await Self.open(boss, "a")
    let last = try await boss.snapshot(of: SceneAddress(name: "a"))
    for (name, log) in [("bert", { seen.value }), ("stopped", { WatcherLog(of: "stopped", in: set) })] {
      #expect(await set.wait { log().number >= last.event }, "\(name) \(log()), \(last.event)")
      #expect(log().faults == [], "\(name)")
    }
    #expect(seen.value.snapshots == 1, "a reader beside a stopped one misses nothing")
    #expect(WatcherLog(of: "stopped", in: set).snapshots >= 2, "it missed something, and knows")
    for client in [boss, bert] { await client.close() }
  }

  /// Opens and closes screens without hosts, many at a time.
  private func churn(_ client: Client, _ count: Int) async throws {
    let scene = SceneAddress(name: "a", app: "shop")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<32 {
        group.addTask {
          for _ in 0..<count / 64 {
            try await Self.open(client, "a")
            _ = try await client.request(.back(count: 1, in: nil), in: scene, within: .seconds(30))
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
