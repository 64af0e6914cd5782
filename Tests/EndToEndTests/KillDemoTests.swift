import Foundation
import Glibc
import MinervaSupervision
import MinervaTesting
import MinervaWire
import Testing

/// The demo, with an outsider that kills its processes.
@Suite("A real demo that somebody disturbs", .serialized, .oneAtATime, .timeLimit(.minutes(15)))
struct KillDemoTests {
  static let flow = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "cli/minerva-command/Flows/workouts.flow")
  static let kills = getenv("MINERVA_DEEP") == nil ? 2 : 20

  /// One run of the demo as its caller sees it.
  struct Run {
    var status: Int32?
    var log: String
    /// The kinds of processes whose recoveries it shows, in order, and whether each left everything as it was.
    var recoveries: [String]
    /// How long it took.
    var time: Duration
    /// Which process was killed and when, in words.
    var victim: String
    /// Processes of the demo that outlived it.
    var left: [Int32]
  }

  /// Runs the demo and, after a part of the time it takes by itself, kills one of its processes.
  private func run(_ arguments: [String] = [], killing choice: (after: Duration, number: Int)? = nil) async throws -> Run {
    let set = try ProcessSet()
    defer { set.end() }
    let start = ContinuousClock.now
    let pid = try set.startCommand("demo", "minerva", ["demo", "--fast", "--json"] + arguments)
    var seen: Set<Int32> = []
    var killed = false
    var victim = "nobody was killed"
    var status: Int32?
    _ = await set.wait(atMost: .seconds(120)) {
      let children = Self.children(of: pid)
      seen.formUnion(children)
      if let choice, !killed, ContinuousClock.now - start >= choice.after, !children.isEmpty {
        let chosen = children[choice.number % children.count]
        let command = RuntimeFiles.text("/proc/\(chosen)/cmdline").split(separator: "\0").joined(separator: " ")
        killed = kill(chosen, SIGKILL) == 0
        if killed { victim = "\(ContinuousClock.now - start): killed \(chosen), \(command)" }
      }
      status = set.exit(of: "demo", within: .zero)
      return status != nil
    }
    let log = set.log(of: "demo")
    let left = seen.filter(ProcessSample.isRunning)
    for pid in left { kill(pid, SIGKILL) }
    return Run(
      status: status, log: log, recoveries: log.split(separator: "\n").filter { $0.contains("\"equal\"") }.map(Self.recovery),
      time: ContinuousClock.now - start, victim: victim, left: left.sorted())
  }

  /// What a line of a recovery says of the kind of process that died.
  private static func recovery(_ line: Substring) -> String {
    let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
    // Which of two workers holds the job is chance.
    let kind = (object["recovery"] as? String ?? "?").prefix { $0 != "-" }
    return "\(kind) equal=\(object["equal"] ?? "?")"
  }

  /// The processes that a process has started, in the order of their identifiers.
  private static func children(of parent: Int32) -> [Int32] {
    RuntimeFiles.names(in: "/proc").compactMap { Int32($0) }.filter { pid in
      let stat = RuntimeFiles.text("/proc/\(pid)/stat")
      guard let end = stat.lastIndex(of: ")") else { return false }
      let fields = stat[stat.index(after: end)...].split(separator: " ")
      return fields.count > 1 && fields[0] != "Z" && Int32(fields[1]) == parent
    }.sorted()
  }

  @Test("Processes: kill -9 of any process of the demo at random moments leaves its result and its exit code as they are")
  func killedAtRandom() async throws {
    let undisturbed = try await run()
    #expect(undisturbed.status == 0, "\(undisturbed.log)")
    #expect(undisturbed.recoveries.count >= 3)
    #expect(undisturbed.left == [])
    if Self.kills > 2 { #expect(undisturbed.time < .seconds(30)) }
    let seed = getenv("MINERVA_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 0...UInt64(UInt32.max))
    var random = Seeded(seed)
    for round in 0..<Self.kills {
      let after = undisturbed.time * Double.random(in: 0.02...0.95, using: &random)
      let number = Int.random(in: 0..<1_000, using: &random)
      let disturbed = try await run(killing: (after, number))
      let context = "seed \(seed), round \(round): \(disturbed.victim)\n\(disturbed.log)"
      #expect(disturbed.status == 0, "\(context)")
      #expect(disturbed.recoveries == undisturbed.recoveries, "\(context)")
      #expect(disturbed.left == [], "\(context)")
    }
  }

  @Test("Processes: the demo with one changed expectation ends with 1 and names its line")
  func changedExpectation() async throws {
    let text = try String(contentsOf: Self.flow, encoding: .utf8)
    let place = try ProcessSet()
    defer { place.end() }
    let copy = place.directory + "/changed.flow"
    let sound = "expect rows @userlist count==22"
    let line = try #require(text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0 == sound }) + 1
    try text.replacingOccurrences(of: sound, with: "expect rows @userlist count==23").write(toFile: copy, atomically: true, encoding: .utf8)
    let changed = try await run(["--flow", copy])
    #expect(changed.status == 1, "\(changed.log)")
    #expect(changed.log.contains("\(line)"), "\(changed.log)")
    #expect(changed.left == [])
  }
}
