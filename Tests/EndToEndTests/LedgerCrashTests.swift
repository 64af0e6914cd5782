import Glibc
import LedgerLoad
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Testing

/// Real hosts and callers that are killed in the middle of work; the callers' own logs are the truth (K3, N2, N7, N15).
@Suite("Real hosts and callers that crash under load", .serialized, .oneAtATime, .timeLimit(.minutes(15)))
struct LedgerCrashTests {
  /// Who is killed.
  enum Victims: String, CaseIterable, CustomTestStringConvertible {
    case hosts, callers, everybody

    var testDescription: String { rawValue }

    var names: [String] {
      switch self {
      case .hosts: LedgerCrashTests.hosts
      case .callers: LedgerCrashTests.callers
      case .everybody: LedgerCrashTests.hosts + LedgerCrashTests.callers + ["broker"]
      }
    }
  }

  private static let kills = getenv("MINERVA_KILLS").flatMap { Int(String(cString: $0)) } ?? (getenv("MINERVA_DEEP") == nil ? 20 : 200)
  private static let hosts = ["ledgers-1", "ledgers-2"]
  private static let callers = ["caller-1", "caller-2", "caller-3"]
  /// Two callers share a scene, one has its own.
  private static let scenes = ["caller-1": "shared", "caller-2": "shared", "caller-3": "own"]

  private static func log(of caller: String, in set: ProcessSet) -> String { "\(set.directory)/\(caller).ledger" }

  private static func start(_ name: String, in set: ProcessSet, seed: UInt64) throws {
    if let scene = scenes[name] {
      try set.start(
        name, "ledger-caller", ["--scene", scene, "--lanes", "2", "--seed", "\(seed)", "--file", log(of: name, in: set)])
    } else if name == "broker" {
      try set.start(name, "minerva-broker")
    } else {
      try set.start(name, "ledger-host")
    }
  }

  @Test(
    "Processes: hosts, callers or all are killed over and over under load: each answer holds, each end and output is told once (K3, N7)",
    arguments: Victims.allCases)
  func killedUnderLoad(_ victims: Victims) async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let seed = getenv("MINERVA_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
    var random = Seeded(seed)
    try set.start("diff-1", "minerva-diff")
    for name in ["broker"] + Self.hosts { try Self.start(name, in: set, seed: 0) }
    let client = try await set.client()
    #expect(await set.wait { ((try? await client.modules().isEmpty) ?? true) == false })
    // The screens at the bottom are nobody's: they hear what those above them say.
    for scene in Set(Self.scenes.values) {
      let person = Person(client: client, scene: SceneAddress(name: scene, app: "ledgers"))
      _ = try await person.opens("Ledger", input: #"{"add":0}"#)
    }
    for name in Self.callers { try Self.start(name, in: set, seed: random.next()) }
    func written() -> Int { Self.callers.reduce(0) { $0 + RuntimeFiles.size(Self.log(of: $1, in: set)) } }
    for round in 1...Self.kills {
      let more = written() + Int.random(in: 1...8_000, using: &random)
      let goesOn = await set.wait(atMost: .seconds(40)) { written() >= more }
      #expect(goesOn, "seed \(seed), \(victims) round \(round): no answers any more; \(set.log(of: "broker").suffix(2_000))")
      guard goesOn else { break }
      // Now and then two at once.
      var killed = [victims.names.randomElement(using: &random) ?? ""]
      if Int.random(in: 0..<5, using: &random) == 0, let other = victims.names.randomElement(using: &random), other != killed[0] {
        killed.append(other)
      }
      for name in killed { set.kill(name) }
      for name in killed { try Self.start(name, in: set, seed: random.next()) }
    }
    // Whoever has just been started is at work before it is asked to end.
    for name in Self.callers {
      let before = RuntimeFiles.size(Self.log(of: name, in: set))
      #expect(await set.wait(atMost: .seconds(40)) { RuntimeFiles.size(Self.log(of: name, in: set)) > before }, "seed \(seed): \(name)")
    }
    for name in Self.callers {
      let status = set.stop(name, within: .seconds(40))
      #expect(status == 0, "seed \(seed): \(set.ending(of: name)) \(set.log(of: name).suffix(1_000))")
    }
    try await Self.compare(client, set, "\(victims), seed \(seed)")
    await client.close()
  }

  /// Compares each scene with the logs of those who worked in it, once nothing is under way.
  private static func compare(_ client: Client, _ set: ProcessSet, _ context: String) async throws {
    for scene in Set(scenes.values).sorted() {
      let address = SceneAddress(name: scene, app: "ledgers")
      let isAtRest = await set.wait(atMost: .seconds(20)) {
        guard let snapshot = try? await client.snapshot(of: address), let reports = try? await client.coordinators(of: address) else {
          return false
        }
        return snapshot.settled && !reports.contains { $0.isSuspended || $0.unhandled > 0 }
      }
      #expect(isAtRest, "\(context): \(scene) does not come to rest")
      let entries = try callers.filter { scenes[$0] == scene }.flatMap { try LedgerFile.read(log(of: $0, in: set)) }
      let truth = try LedgerTruth(entries: entries, scene: try await LedgerScene(client, address))
      #expect(truth.faults == [], "\(context): \(scene)")
      let answers = entries.filter { $0.told != nil }
      let refusals = answers.count { $0.told?.refusal != nil }
      print(
        "\(context): \(scene): \(answers.count) answers, \(refusals) of them refusals, \(truth.scene.events.count) events"
      )
    }
    let isClean = await set.wait(atMost: .seconds(20)) { (try? await client.leaks(in: nil).isEmpty) ?? false }
    let left = try await client.leaks(in: nil)
    #expect(isClean, "\(context): \(left)")
    #expect(try await client.status().troubles == [], "\(context)")
  }
}
