import Glibc
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaTesting
import MinervaTransport
import MinervaWire
import RawPeers
import Testing

/// A broker among strangers, and the caller whose calls must be answered all the while.
struct Strangers {
  let set: ProcessSet
  let caller: Client
  /// What the broker used before the strangers came.
  let before: (memory: Int, descriptors: Int)
  /// How long its answers took before the strangers came, and since.
  let alone: Latencies
  private let among = Shared(Latencies())
  let began = ContinuousClock.now

  /// The time after which an answer counts as none.
  static let patience = Duration.seconds(20)

  /// Starts a broker and has it answer until its memory has the size it keeps.
  static func among(_ arguments: [String] = []) async throws -> Strangers {
    let set = try ProcessSet()
    do {
      try set.start("broker", "minerva-broker", arguments)
      let caller = try await set.client("caller")
      var alone = Latencies()
      for _ in 0..<200 { try await alone.measure { _ = try await caller.status() } }
      return Strangers(set: set, caller: caller, before: try #require(set.usage(of: "broker")), alone: alone)
    } catch {
      set.end()
      throw error
    }
  }

  /// Asks the broker something; no answer is an issue here, late ones are in `leaveNothing`.
  func served(_ context: String = "") async throws {
    var latencies = Latencies()
    try await latencies.measure { _ = try await caller.status(within: Self.patience) }
    among.change { $0.all += latencies.all }
  }

  /// A counter of the broker.
  func counter(_ name: String) async throws -> Int { try await caller.status().counters[name] ?? 0 }

  /// Expects that the broker is the same process, of about the same size, with the descriptors it had, that its log is short, and that it
  /// answered its caller about as soon as it did alone: on the same machine, however busy that is.
  func leaveNothing(growth: Int = 16 << 20) async throws {
    let among = among.value
    #expect(among.part(0.5) <= alone.part(0.5) * 10 + .milliseconds(20), "alone \(alone), among strangers \(among)")
    #expect(among.part(1) <= alone.part(1) * 10 + .seconds(1), "alone \(alone), among strangers \(among)")
    #expect(try await caller.status().pid == set.pid(of: "broker"))
    #expect(
      await set.wait { (set.usage(of: "broker")?.descriptors ?? .max) <= before.descriptors + 2 },
      "\(before.descriptors) descriptors before, \(set.usage(of: "broker")?.descriptors ?? -1) now")
    // What connections held is given back a moment after they have ended, and not more often than every few seconds.
    #expect(
      await set.wait { (set.usage(of: "broker")?.memory ?? .max) <= before.memory + growth },
      "resident \(before.memory >> 20) MiB before, \((set.usage(of: "broker")?.memory ?? 0) >> 20) MiB now")
    let seconds = Int((ContinuousClock.now - began) / .seconds(1)) + 1
    var lines: [Substring: Int] = [:]
    for line in set.log(of: "broker").split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      if words.count > 1, words[1].hasSuffix(":") { lines[words[1], default: 0] += 1 }
    }
    for (kind, count) in lines { #expect(count <= seconds, "\(kind) has \(count) lines in \(seconds) s; one a second and kind is allowed") }
  }

  /// Lets go of the caller; the processes end with the set.
  func end() async {
    await caller.close(grace: .zero)
    set.end()
  }

  /// Runs a body among strangers and cleans up, also when it fails.
  static func with(_ arguments: [String] = [], _ body: (Strangers) async throws -> Void) async throws {
    let strangers = try await among(arguments)
    do {
      try await body(strangers)
    } catch {
      await strangers.end()
      throw error
    }
    await strangers.end()
  }

  /// The most memory that the broker has ever had, in bytes.
  var peak: Int {
    let words = RuntimeFiles.text("/proc/\(set.pid(of: "broker") ?? 0)/status").split(whereSeparator: \.isWhitespace)
    guard let label = words.firstIndex(of: "VmHWM:"), let kibibytes = Int(words[label + 1]) else { return .max }
    return kibibytes << 10
  }
}

/// How long calls took.
struct Latencies: CustomStringConvertible {
  var all: [Duration] = []

  mutating func measure(_ call: () async throws -> Void) async rethrows {
    let start = ContinuousClock.now
    try await call()
    all.append(ContinuousClock.now - start)
  }

  /// The time within which that part of the calls was answered.
  func part(_ part: Double) -> Duration {
    let sorted = all.sorted()
    return sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
  }

  var description: String { "\(all.count) calls, half within \(part(0.5)), the slowest \(part(1))" }
}

/// The product's generator, whose seed a failure prints.
typealias Seeded = SplitMix64

extension SplitMix64 {
  init(_ seed: UInt64) { self.init(seed: seed) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
