import Glibc
import LoadKit
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaSupervision
import MinervaTransport
import MinervaWire

/// Measures a broker from outside, in processes of its own: what it journals a second, keeps in memory, and how soon it is back.
struct BrokerBench: Sendable {
  /// Below which directory journals and sockets lie; the temporary one without.
  var directory: String?
  /// How long one stretch is measured.
  var duration: Duration
  var notice: @Sendable (String) -> Void

  init(directory: String? = nil, duration: Duration, notice: @escaping @Sendable (String) -> Void = { _ in }) {
    self.directory = directory
    self.duration = duration
    self.notice = notice
  }

  /// The name of this very program in its directory.
  static func ownName() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = max(0, readlink("/proc/self/exe", &buffer, buffer.count - 1))
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.split(separator: "/").last.map(String.init) ?? "minerva"
  }

  /// Runs a measurement with a broker and a client that end with it, whatever happens.
  private func withBroker<Result>(_ body: (BenchSet, Client) async throws -> Result) async throws -> Result {
    let set = try BenchSet(below: directory)
    defer { set.end() }
    try set.startBroker()
    let client = try await set.client()
    do {
      let result = try await body(set, client)
      await client.close(grace: .zero)
      return result
    } catch {
      await client.close(grace: .zero)
      throw error
    }
  }

  /// Makes the app known whose scenes are opened: a host of it without modules is enough for screens that have no host.
  private func registerApp(_ client: Client) async throws {
    let gateway = try $BrokerGateway.resolve(id: ActorAddress(node: client.broker, name: WellKnown.broker), using: client.bus)
    _ = try await gateway.register(HostRegistration(app: PageHost.app, node: client.bus.settings.node, endpoint: nil, modules: []))
  }

  /// Starts a host in a process of its own and waits until it has joined.
  private func startHost(_ set: BenchSet, _ client: Client) async throws {
    let endpoint = try set.endpoint
    try set.start("bench-1", Self.ownName(), ["bench", "broker", "--serve", "host", "--connect", endpoint.description])
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(20)
    while try await client.modules().isEmpty {
      guard clock.now < deadline else {
        throw MinervaError(.processStart, "the bench's host did not join within 20 s; see \(set.runtime.logPath("bench-1"))")
      }
      try await clock.sleep(for: .milliseconds(20))
    }
  }

  // MARK: Transitions

  /// Measures one combination; the trees are compared with the model afterwards.
  func transitions(_ wanted: TransitionLoad.Settings) async throws -> BrokerRow.Transitions {
    try await withBroker { set, client in
      let place = try set.fileSystem
      if wanted.isHosted { try await startHost(set, client) } else { try await registerApp(client) }
      var load = TransitionLoad(client: client, settings: wanted)
      try await load.begin()
      _ = try await load.run(.after(duration / 5))
      let before = (broker: set.sample("broker")?.cpuMilliseconds ?? 0, own: ProcessSample(pid: getpid())?.cpuMilliseconds ?? 0)
      let stretch = try await load.run(.after(duration))
      let after = (broker: set.sample("broker")?.cpuMilliseconds ?? 0, own: ProcessSample(pid: getpid())?.cpuMilliseconds ?? 0)
      try await load.check()
      let count = Double(max(1, stretch.latencies.count))
      return BrokerRow.Transitions(
        scenes: wanted.scenes, inFlight: wanted.inFlight, hosted: wanted.isHosted, durable: place.isDurable, fileSystem: place.name,
        transitions: stretch.latencies.count, transitionsPerSecond: Figure.rounded(stretch.perSecond, 0),
        p50: stretch.latencies.percentile(5_000), p99: stretch.latencies.percentile(9_900), p999: stretch.latencies.percentile(9_990),
        brokerMicroseconds: Figure.rounded(Double(after.broker - before.broker) * 1_000 / count, 1),
        callerMicroseconds: Figure.rounded(Double(after.own - before.own) * 1_000 / count, 1), verified: true)
    }
  }

  // MARK: Memory

  /// Opens scenes of five screens each and compares the broker's resident memory before and after.
  func memory(scenes: Int, screens: Int = 5) async throws -> BrokerRow.Memory {
    try await withBroker { set, client in
      let place = try set.fileSystem
      try await registerApp(client)
      // What a broker needs at all is in use after some load.
      var warm = TransitionLoad(client: client, settings: TransitionLoad.Settings(scenes: 1, inFlight: 64, isHosted: false))
      try await warm.begin()
      _ = try await warm.run(.count(4_000))
      guard let before = set.sample("broker")?.residentBytes else { throw Self.gone }
      let opened = try await OpenScenes.open(scenes, screens: screens, by: client) { notice("\($0) of \(scenes) scenes are open") }
      guard let after = set.sample("broker")?.residentBytes else { throw Self.gone }
      // Some of all, spread over them: looking at each would take longer than opening them.
      let step = max(1, scenes / 1_000)
      for scene in stride(from: 0, to: scenes, by: step) { try await opened.check(scene, by: client) }
      return BrokerRow.Memory(
        scenes: scenes, screens: screens, inputBytes: OpenScenes.inputBytes,
        bytesPerScene: Figure.rounded(Double(after - before) / Double(scenes), 0), durable: place.isDurable, fileSystem: place.name,
        verified: true)
    }
  }

  private static let gone = MinervaError(.peerLost, "the broker ended while it was measured")

  // MARK: Restart

  /// Fills a journal up to just before a snapshot, kills the broker that writes the end of it, and measures how long its next life takes to
  /// answer.
  func restart(records: Int, scenes: Int) async throws -> BrokerRow.Restart {
    let set = try BenchSet(below: directory)
    defer { set.end() }
    let place = try set.fileSystem
    // The last stretch is a broker's own: what is killed has open groups, marks behind the end and no farewell.
    let lane = scenes == 1 ? Self.snapshotEvery : 10
    let wanted = scenes == 1 ? max(1, records / lane) * lane + lane - 1 : records
    let last = min(wanted / 2, 3_000)
    let clock = ContinuousClock()
    let began = clock.now
    let models = try await JournalFill.write(records: wanted - last, scenes: scenes, to: set.runtime.path + "/journal.sqlite") {
      notice("\($0) of \(wanted) records, \(Self.milliseconds(clock.now - began)) ms")
    }
    try set.startBroker()
    let client = try await set.client()
    var load = TransitionLoad(
      client: client, settings: TransitionLoad.Settings(scenes: scenes, inFlight: 64, isHosted: false), models: models)
    do {
      try await registerApp(client)
      _ = try await load.run(.count(last))
      // Nobody waits for the last snapshot; its moment is over when what follows it is answered.
      try await load.check(every: max(1, scenes / 100))
    } catch {
      await client.close(grace: .zero)
      throw error
    }
    set.kill("broker")
    await client.close(grace: .zero)
    notice("\(wanted) records are written, the broker is killed")
    let start = clock.now
    try set.startBroker()
    let next = try await set.client("bench-2")
    do {
      let connected = clock.now
      _ = try await next.snapshot(of: TransitionLoad.address(0), within: .seconds(60))
      let answered = clock.now
      notice("connected after \(Self.milliseconds(connected - start)) ms, answered after \(Self.milliseconds(answered - start)) ms")
      try await load.check(by: next, every: max(1, scenes / 1_000))
      await next.close(grace: .zero)
      return BrokerRow.Restart(
        scenes: scenes, records: wanted, unsaved: scenes == 1 ? Self.snapshotEvery - 1 : wanted / scenes,
        firstAnswerMilliseconds: Self.milliseconds(answered - start), durable: place.isDurable, fileSystem: place.name, verified: true)
    } catch {
      await next.close(grace: .zero)
      throw error
    }
  }

  private static func milliseconds(_ duration: Duration) -> Int {
    Int(clamping: duration.milliseconds)
  }

  /// After how many records of a scene a broker writes a snapshot, unless told otherwise (P3).
  static let snapshotEvery = 1_024

  // MARK: Events

  /// Publishes to subscribers that read, beside some that are stopped, as fast as the slowest running one takes it in.
  func events(subscribers: Int, stopped: Int) async throws -> BrokerRow.Events {
    try await withBroker { set, client in
      try await registerApp(client)
      var load = TransitionLoad(client: client, settings: TransitionLoad.Settings(scenes: 1, inFlight: 16, isHosted: false))
      try await load.begin()
      let readers = try ReaderReport(in: set.runtime)
      defer { readers.close() }
      let endpoint = try set.endpoint
      let serve = ["bench", "broker", "--serve", "readers", "--connect", endpoint.description, "--scene", TransitionLoad.address(0).name]
      try set.start("readers", Self.ownName(), serve + ["--readers", "\(subscribers)", "--report", readers.path])
      if stopped > 0 {
        let ready = try ReaderReport(in: set.runtime, name: "stopped")
        defer { ready.close() }
        try set.start("stopped", Self.ownName(), serve + ["--readers", "\(stopped)", "--report", ready.path])
        try await Self.publishUntil(&load, client) { ready.latest.all > 0 }
        set.signal("stopped", SIGSTOP)
      }
      try await Self.publishUntil(&load, client) { readers.latest.all > 0 }
      let clock = ContinuousClock()
      func lap() async throws -> UInt64 {
        _ = try await load.run(.count(256))
        let last = try await client.snapshot(of: TransitionLoad.address(0)).event
        let patience = clock.now + .seconds(30)
        while readers.latest.all < last {
          guard clock.now < patience else {
            throw SceneModel.Fault(description: "a running subscriber is at event \(readers.latest.all), \(last) was published")
          }
          try await clock.sleep(for: .microseconds(200))
        }
        return last
      }
      let first = try await lap()
      let missed = readers.latest.missed
      guard let before = set.sample("broker")?.cpuMilliseconds else { throw Self.gone }
      let start = clock.now
      var last = first
      while clock.now - start < duration { last = try await lap() }
      let elapsed = clock.now - start
      guard let after = set.sample("broker")?.cpuMilliseconds else { throw Self.gone }
      try await load.check()
      let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
      let count = Double(last - first)
      return BrokerRow.Events(
        subscribers: subscribers, stopped: stopped, eventsPerSecond: Figure.rounded(count / seconds, 0),
        deliveriesPerSecond: Figure.rounded(count * Double(subscribers) / seconds, 0),
        brokerMicroseconds: Figure.rounded(Double(after - before) * 1_000 / max(1, count), 1), missed: readers.latest.missed - missed)
    }
  }

  /// Makes transitions until subscribers that have just connected hear of them.
  private static func publishUntil(_ load: inout TransitionLoad, _ client: Client, _ condition: () -> Bool) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(60)
    while !condition() {
      guard clock.now < deadline else { throw MinervaError(.deadline, "the bench's subscribers heard nothing for 60 s") }
      _ = try await load.run(.count(16))
      try await clock.sleep(for: .milliseconds(50))
    }
  }
}
