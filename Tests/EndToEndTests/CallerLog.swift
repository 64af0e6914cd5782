import Glibc
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Synchronization
import Testing

/// Callers that keep many requests under way in scenes of their own, and write down every answer they receive: the truth that a restored
/// broker is compared with.
final class CallerLog: Sendable {
  /// What a caller was told.
  struct Told: Sendable, Hashable {
    var outcome: Outcome?
    var refusal: String?
    var seq: UInt64?
  }

  private struct State {
    /// By scene, by txn.
    var told: [String: [String: Told]] = [:]
    var asked: [String: [String: Command.Action]] = [:]
    var troubles: [String] = []
    var isEnding = false
  }

  let scenes: [String]
  private let state = Mutex(State())

  init(scenes: [String]) { self.scenes = scenes }

  /// How many answers were received.
  var answers: Int { state.withLock { $0.told.values.reduce(0) { $0 + $1.count } } }

  var troubles: [String] { state.withLock { $0.troubles } }

  /// No new requests; those under way are waited for.
  func end() { state.withLock { $0.isEnding = true } }

  static func address(_ scene: String) -> SceneAddress { SceneAddress(name: scene, app: "shop") }

  static func push(_ via: Presentation = .push) -> Command.Action {
    .open(Command.Opening(ModuleAddress(name: "Settings"), via: via, unhosted: true))
  }

  /// Brings each scene to one screen that needs no host.
  func begin(_ client: Client, _ set: ProcessSet) async throws {
    for scene in scenes {
      let person = Person(client: client, scene: Self.address(scene))
      _ = try await person.waits(for: "Home", set: set)
      try await ask(Self.push(.root), "\(scene)-0", scene, client)
    }
  }

  /// Keeps `width` requests under way in each scene until `end`.
  func load(_ client: Client, width: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for scene in scenes {
        for lane in 0..<width {
          group.addTask {
            var number = 0
            while !self.state.withLock({ $0.isEnding }) {
              number += 1
              // More pushes than pops: the stack grows slowly, and both ends of a screen's life are tried.
              let action = number % 5 < 3 ? Self.push() : .back(count: 1, in: nil)
              do { try await self.ask(action, "\(scene)-\(lane)-\(number)", scene, client) } catch {
                self.state.withLock { $0.troubles.append("\(scene)-\(lane)-\(number): \(error)") }
              }
            }
          }
        }
      }
    }
  }

  private func ask(_ action: Command.Action, _ txn: String, _ scene: String, _ client: Client) async throws {
    state.withLock { $0.asked[scene, default: [:]][txn] = action }
    let told = try await Self.tell(action, txn, scene, client)
    state.withLock { $0.told[scene, default: [:]][txn] = told }
  }

  private static func tell(_ action: Command.Action, _ txn: String, _ scene: String, _ client: Client) async throws -> Told {
    do {
      let answer = try await client.request(action, in: address(scene), txn: txn, within: .seconds(30))
      return Told(outcome: answer.outcome, refusal: nil, seq: answer.seq)
    } catch let error as MinervaError {
      // The root stays: that is an answer. Anything else is a request that was lost.
      guard error.code == .rootProtected else { throw error }
      return Told(outcome: nil, refusal: error.code.rawValue, seq: error.details["seq"].flatMap { UInt64($0) })
    }
  }

  // MARK: Comparing

  /// The screens that must stand in a scene, from the bottom, after the record `limit`: every answer in the order of its record.
  func stack(_ scene: String, upTo limit: UInt64 = .max) -> [ScreenID] {
    let told = state.withLock { $0.told[scene] ?? [:] }
    let done = told.values.filter { $0.outcome != nil && ($0.seq ?? .max) <= limit }.sorted { ($0.seq ?? 0) < ($1.seq ?? 0) }
    var stack: [ScreenID] = []
    for outcome in done.compactMap(\.outcome) {
      let gone = Set(outcome.removed.map(\.screen))
      stack.removeAll { gone.contains($0) }
      stack += outcome.presented.map(\.screen)
    }
    return stack
  }

  /// Compares every scene with what callers were told: nothing answered is lost, nothing is invented (P1).
  func compare(_ client: Client, _ context: String) async throws {
    for scene in scenes {
      let found = try await client.snapshot(of: Self.address(scene)).tree.layers.first?.stack.map(\.id) ?? []
      #expect(found == stack(scene), "\(context): \(scene)")
    }
  }

  /// Asks the last requests of each scene once more: each gets its first outcome and nothing happens (N2).
  func repeatAll(_ client: Client, last: Int, _ context: String) async throws {
    for scene in scenes {
      let told = state.withLock { $0.told[scene] ?? [:] }
      let asked = state.withLock { $0.asked[scene] ?? [:] }
      let recent = told.filter { $0.value.seq != nil }.sorted { ($0.value.seq ?? 0) > ($1.value.seq ?? 0) }.prefix(last)
      for (txn, first) in recent {
        guard let action = asked[txn] else { continue }
        #expect(try await Self.tell(action, txn, scene, client) == first, "\(context): \(txn)")
      }
    }
  }
}
