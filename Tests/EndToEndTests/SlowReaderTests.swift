import Glibc
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaTransport
import MinervaWire
import Testing

/// A stream of events with a reader that stands still, and one that comes late (C06).
@Suite("Real readers that do not read", .serialized, .oneAtATime, .timeLimit(.minutes(3)))
struct SlowReaderTests {
  static let isDeep = getenv("MINERVA_DEEP") != nil
  /// Opens and backs: enough events for every queue between a broker and a reader that stands still to run over.
  static let transitions = isDeep ? 100_000 : 8_000
  static let scene = SceneAddress(name: "main", app: "shop")

  /// Opens and closes screens without hosts, many at a time; the scene ends at the depth at which it began.
  private func churn(_ client: Client, _ count: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<32 {
        group.addTask {
          for number in 0..<count / 64 {
            let opening = Command.Opening(ModuleAddress(name: "Screen\(lane)"), input: Array("\(number)".utf8), unhosted: true)
            _ = try await client.request(.open(opening), in: Self.scene, within: .seconds(30))
            // Whoever's screen is on top: there are never more backs than opens.
            _ = try await client.request(.back(count: 1, in: nil), in: Self.scene, within: .seconds(30))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// The same, in parts after which a reader catches up: on a busy machine nobody can say why it is behind.
  private func churn(_ client: Client, _ count: Int, _ set: ProcessSet, beside reader: Shared<WatcherLog>) async throws {
    for _ in 0..<count / 1_000 {
      try await churn(client, 1_000)
      #expect(try await set.wait { try await client.snapshot(of: Self.scene).event == reader.value.number })
    }
  }

  /// A broker with a host of the app, which takes no part: the screens have no host.
  private func served(_ set: ProcessSet) async throws -> Client {
    try set.startAll(app: "shop", hosts: 1, workers: 0)
    let client = try await set.client()
    #expect(try await set.wait { try await !client.modules().isEmpty })
    return client
  }

  /// Opens the scene with one screen that stays.
  private func opened(_ client: Client) async throws {
    _ = try await client.request(.open(Command.Opening(ModuleAddress(name: "Root"), unhosted: true)), in: Self.scene)
  }

  /// The scene once everything that is to be said of it has been said.
  private func rested(_ client: Client, _ set: ProcessSet) async throws -> SceneSnapshot {
    var last = try await client.snapshot(of: Self.scene)
    _ = try await set.wait {
      let next = try await client.snapshot(of: Self.scene)
      defer { last = next }
      return next.settled && next.event == last.event
    }
    return last
  }

  @Test("Processes: one of three watchers is stopped, one comes late: nobody is shown a gap as complete, and the broker stays small (C06)")
  func stoppedWatcher() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let client = try await served(set)
    try await opened(client)
    // A normal reader.
    let seen = Shared(WatcherLog())
    let updates = try await client.watch(Self.scene)
    let reading = Task { for await update in updates { seen.change { $0.take(update) } } }
    defer { reading.cancel() }
    #expect(await set.wait { seen.value.snapshots == 1 })
    try set.start("stopped", "scene-watcher")
    #expect(await set.wait { WatcherLog(of: "stopped", in: set).snapshots == 1 })
    // What a broker needs for so many transitions, with everybody reading.
    try await churn(client, Self.transitions / 4, set, beside: seen)
    let before = try #require(set.usage(of: "broker"))
    set.signal("stopped", SIGSTOP)
    try await churn(client, Self.transitions / 2, set, beside: seen)
    try set.start("late", "scene-watcher")
    try await churn(client, Self.transitions / 4, set, beside: seen)
    let after = try #require(set.usage(of: "broker"))
    #expect(after.memory <= before.memory + 48 << 20, "resident \(before.memory >> 20) MiB before, \(after.memory >> 20) MiB after")
    let last = try await rested(client, set)
    #expect(await set.wait { seen.value.number == last.event })
    #expect(seen.value.faults == [])
    #expect(seen.value.snapshots == 1, "a reader beside a stopped one misses nothing")
    set.signal("stopped", SIGCONT)
    for name in ["stopped", "late"] {
      #expect(
        await set.wait { WatcherLog(of: name, in: set).number == last.event }, "\(name) \(WatcherLog(of: name, in: set)), \(last.event)")
      let log = WatcherLog(of: name, in: set)
      #expect(log.faults == [], "\(name)")
      if name == "stopped" { #expect(log.snapshots >= 2, "it missed something, and knows") }
    }
    // The present is complete: one more event reaches everyone as that.
    try await opened(client)
    let final = try await rested(client, set)
    for name in ["stopped", "late"] { #expect(await set.wait { WatcherLog(of: name, in: set).number == final.event }, "\(name)") }
    await client.close()
  }

  @Test("Processes: a watcher whose consumer stands still keeps a bounded number of updates, and a snapshot follows them (C06)")
  func standingConsumer() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let client = try await served(set)
    try await opened(client)
    // The app begins with a screen of its own, in the place of whatever stands there then.
    _ = try await rested(client, set)
    let updates = try await client.watch(Self.scene)
    try await churn(client, 4_096)
    let last = try await rested(client, set)
    #expect(last.event > 6_000, "more than may wait for the consumer")
    var log = WatcherLog()
    var beforeSecond = 0
    for await update in updates {
      log.take(update)
      if log.snapshots == 1 { beforeSecond += 1 }
      if log.number == last.event { break }
    }
    #expect(log.faults == [] && log.snapshots >= 2 && beforeSecond <= 4_097, "\(log)")
    // Those who no longer watch are not told of the broker's coming and going.
    for _ in 0..<8 { for await _ in try await client.watch(Self.scene) { break } }
    #expect(await set.wait { await client.noticeListeners() <= 1 })
    withExtendedLifetime(updates) {}
    await client.close()
  }

  @Test("Processes: the broker restarts under three watchers: each starts anew from a snapshot of the new epoch (C06)")
  func brokerRestarts() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let client = try await served(set)
    try await opened(client)
    for name in ["one", "two", "stopped"] { try set.start(name, "scene-watcher") }
    for name in ["one", "two", "stopped"] { #expect(await set.wait { WatcherLog(of: name, in: set).snapshots == 1 }, "\(name)") }
    try await churn(client, 256)
    set.signal("stopped", SIGSTOP)
    set.kill("broker")
    try set.start("broker", "minerva-broker")
    try await churn(client, 256)
    set.signal("stopped", SIGCONT)
    let last = try await rested(client, set)
    for name in ["one", "two", "stopped"] {
      let isCurrent = await set.wait {
        let log = WatcherLog(of: name, in: set)
        return log.epoch == last.epoch && log.number == last.event
      }
      let log = WatcherLog(of: name, in: set)
      #expect(isCurrent, "\(name) \(log), \(last.epoch):\(last.event)")
      #expect(log.faults == [], "\(name)")
      #expect(log.snapshots >= 2, "\(name)")
    }
    await client.close()
  }
}
