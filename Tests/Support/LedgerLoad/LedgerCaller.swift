package import Minerva
package import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Synchronization

/// A caller that keeps some requests under way in one scene, and writes down each before it is sent and each answer when it comes.
///
/// Its next life reads the log and asks again what is not answered there, under the same `txn` (N2).
package final class LedgerCaller: Sendable {
  private struct State {
    /// The screens that it was told of and has not heard to be gone, in the order of their opening.
    var known: [ScreenID] = []
    var random: SplitMix64
    var isEnding = false
  }

  private let client: Client
  private let scene: SceneAddress
  private let file: LedgerFile
  private let name: String
  private let state: Mutex<State>

  package init(_ client: Client, scene: SceneAddress, file: LedgerFile, name: String, seed: UInt64) {
    self.client = client
    self.scene = scene
    self.file = file
    self.name = name
    state = Mutex(State(random: SplitMix64(seed: seed)))
  }

  /// No new requests; those under way are waited for.
  package func end() { state.withLock { $0.isEnding = true } }

  /// Asks again what earlier lives heard no answer to, then keeps as many requests under way as there are lanes, until `end`.
  package func run(after earlier: [LedgerEntry], lanes: Int) async throws {
    var open: [String: LedgerEntry] = [:]
    for entry in earlier {
      open[entry.txn] = entry.told == nil ? entry : nil
      if let told = entry.told { note(told, to: entry.ask) }
    }
    // Lines and not requests: no life ever has the numbers of another.
    let life = earlier.count
    try await withThrowingTaskGroup(of: Void.self) { group in
      for entry in open.values { group.addTask { try await self.ask(entry.ask, entry.txn) } }
      try await group.waitForAll()
      for lane in 0..<lanes {
        group.addTask {
          var number = 0
          while let ask = self.next() {
            number += 1
            let txn = "\(self.name)-\(life)-\(lane)-\(number)"
            try self.file.append(LedgerEntry(txn: txn, ask: ask))
            try await self.ask(ask, txn)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// What is asked next; nothing when it is over.
  private func next() -> LedgerAsk? {
    state.withLock { state in
      guard !state.isEnding else { return nil }
      let number = Int.random(in: 1...9, using: &state.random)
      guard let top = state.known.last, let any = state.known.randomElement(using: &state.random) else { return .open(add: number) }
      switch Int.random(in: 0..<100, using: &state.random) {
      case ..<35: return .send(any, add: number)
      case ..<50: return .tap(top, row: "more")
      case ..<62: return .enter(top, field: number < 5 ? "name" : "note", value: "\(state.random.next() % 1_000)")
      case ..<67: return .tap(top, row: "child")
      case ..<75: return .tap(top, row: "done")
      case ..<83: return .back
      case ..<88: return .close(any)
      case ..<93 where state.known.count < 6: return .promise(add: number)
      default: return state.known.count < 6 ? .open(add: number) : .close(any)
      }
    }
  }

  private func ask(_ ask: LedgerAsk, _ txn: String) async throws {
    // Before the request has arrived nobody knows what is meant: said until it is answered.
    let configuring = Task {
      guard case .promise = ask else { return }
      while !Task.isCancelled {
        try? await self.client.configured(txn, in: self.scene)
        try? await ContinuousClock().sleep(for: .milliseconds(3))
      }
    }
    let told = await answer(to: ask, txn)
    configuring.cancel()
    try file.append(LedgerEntry(txn: txn, ask: ask, told: told))
    note(told, to: ask)
  }

  private func answer(to ask: LedgerAsk, _ txn: String) async -> LedgerEntry.Told {
    do {
      let answer = try await client.request(ask.action, in: scene, txn: txn, within: .seconds(30))
      return LedgerEntry.Told(outcome: answer.outcome, seq: answer.seq)
    } catch {
      let error = error as? MinervaError
      return LedgerEntry.Told(
        refusal: error?.code.rawValue ?? "unknown", text: error?.message, seq: error?.details["seq"].flatMap { UInt64($0) })
    }
  }

  private func note(_ told: LedgerEntry.Told, to ask: LedgerAsk) {
    state.withLock { state in
      if let outcome = told.outcome {
        let gone = Set(outcome.removed.map(\.screen))
        state.known.removeAll { gone.contains($0) }
        state.known += outcome.presented.map(\.screen)
        if case .tap(let screen, row: "done") = ask { state.known.removeAll { $0 == screen } }
      } else if told.refusal == MinervaError.Code.staleRef.rawValue {
        switch ask {
        case .send(let screen, _), .tap(let screen, _), .enter(let screen, _, _), .close(let screen): state.known.removeAll { $0 == screen }
        case .open, .promise, .back: break
        }
      }
    }
  }
}
