import Foundation
import LedgerLoad
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaRecording
import MinervaWire
import Testing

/// A scene of ledgers after a crash test: what its journal says happened, and how it stands.
struct LedgerScene {
  /// Every event from the first record on, as the pure core says them when it is fed the journal.
  let events: [Event]
  /// The tree that the journal leads to.
  let replayed: SceneTree
  let snapshot: SceneSnapshot
  let reports: [ScreenReport]

  /// Reads a scene that has nothing under way.
  init(_ client: Client, _ address: SceneAddress) async throws {
    snapshot = try await client.snapshot(of: address)
    reports = try await client.coordinators(of: address)
    let past = try await client.past(of: address, at: 1, image: true)
    var image = try CBOR.decode(SceneImage.self, from: try #require(past.image))
    var events: [Event] = []
    var last: UInt64 = 1
    while true {
      let page = try await client.records(of: snapshot.scene, after: last)
      for bytes in page.records {
        let entry = try SceneRecord(decoding: bytes)
        let step = image.state.apply(entry.record, at: SceneTime(milliseconds: entry.at))
        for case .event(let event) in step.effects { events.append(event) }
        last += 1
      }
      guard page.isMore else { break }
    }
    self.events = events
    replayed = image.state.tree
  }

  /// The state that a coordinator declared last.
  static func state(_ report: ScreenReport) throws -> Ledger.State {
    guard let state = report.state else { return Ledger.State() }
    return try JSONDecoder().decode(Ledger.State.self, from: Data(state))
  }
}

/// Compares a scene with what its callers were told: their logs are the truth.
struct LedgerTruth {
  let entries: [LedgerEntry]
  let scene: LedgerScene
  private(set) var faults: [String] = []

  /// What may be answered to a caller whose screens others remove or end, whose hosts die, and whose words are kept in memory alone
  /// until it is known that they are no secret (P4).
  static let refusals: Set<String> = [
    "nav.stale_ref", "screen.covered", "nav.root_protected", "nav.host_lost", "nav.requester_lost", "nav.orphaned", "input.lost",
    "link.ended",
  ]

  /// How a screen ended.
  private struct Ending {
    var reason: RemovalReason
    var outputs: UInt32
    var result: [UInt8]?
  }

  private var presented: [ScreenID: ScreenSummary] = [:]
  private var endings: [ScreenID: Ending] = [:]

  init(entries: [LedgerEntry], scene: LedgerScene) throws {
    self.entries = entries
    self.scene = scene
    if scene.replayed != scene.snapshot.tree { faults.append("the tree is not what the journal leads to") }
    readEvents()
    compareAnswers()
    compareEndings()
    try compareCounts()
  }

  /// N7: every screen has one ending at most, after which nothing is said of it; its outputs count up by one (L2).
  private mutating func readEvents() {
    var outputs: [ScreenID: UInt32] = [:]
    for event in scene.events {
      if let screen = Self.screen(of: event.kind), endings[screen] != nil { faults.append("\(screen) \(event.kind.name) after its end") }
      switch event.kind {
      case .presented(let summary, _):
        if presented.updateValue(summary, forKey: summary.screen) != nil { faults.append("\(summary.screen) presented twice") }
      case .removed(let summary, let reason, let count, let result, _):
        endings[summary.screen] = Ending(reason: reason, outputs: count, result: result)
        if count != outputs[summary.screen] ?? 0 {
          faults.append("\(summary.screen) gave \(outputs[summary.screen] ?? 0) outputs, ended with \(count)")
        }
      case .output(let summary, let number, _, _, _):
        if number != (outputs[summary.screen] ?? 0) + 1 {
          faults.append("\(summary.screen) output \(number) after \(outputs[summary.screen] ?? 0)")
        }
        outputs[summary.screen] = number
      default: break
      }
    }
  }

  /// N15: every request has one answer, of a kind that can be; N2: what the journal says of it is what its caller was told.
  private mutating func compareAnswers() {
    var told: [String: LedgerEntry.Told] = [:]
    for entry in entries { if let answer = entry.told { told[entry.txn] = answer } }
    for txn in Set(entries.map(\.txn)).subtracting(told.keys).sorted() { faults.append("\(txn) was never answered") }
    for (txn, answer) in told.sorted(by: { $0.key < $1.key }) {
      if let refusal = answer.refusal, !Self.refusals.contains(refusal) { faults.append("\(txn): \(refusal): \(answer.text ?? "")") }
    }
    for event in scene.events {
      guard case .settled(let request, let outcome) = event.kind, request.origin == nil, request.caller != "core" else { continue }
      if let answer = told[request.txn], answer.outcome != outcome {
        faults.append(
          "\(request.txn) was told \(answer.refusal ?? "\(answer.outcome.map { "\($0)" } ?? "nothing")"), and came to \(outcome)")
      }
    }
  }

  /// P1: what was answered is there; each screen stands in the tree or has its ending, and nobody's screen is invented.
  private mutating func compareEndings() {
    let standing = Set(scene.reports.map(\.summary.screen))
    for screen in presented.keys.sorted() where standing.contains(screen) == (endings[screen] != nil) {
      faults.append(standing.contains(screen) ? "\(screen) stands after its end" : "\(screen) is gone without an ending")
    }
    for screen in standing.subtracting(presented.keys).sorted() { faults.append("\(screen) stands and was never presented") }
    for entry in entries {
      guard let outcome = entry.told?.outcome else { continue }
      for summary in outcome.presented where presented[summary.screen] == nil { faults.append("\(entry.txn): \(summary.screen) is lost") }
      for removal in outcome.removed where endings[removal.screen]?.reason != removal.reason {
        faults.append(
          "\(entry.txn): \(removal.screen) left as \(removal.reason), ended \(endings[removal.screen]?.reason.rawValue ?? "never")")
      }
      // Whoever was let in before the turn that says so may take the screen away first.
      let reasons: Set<RemovalReason> = [.finished, .popped]
      if case .tap(let screen, row: "done") = entry.ask, !(endings[screen].map { reasons.contains($0.reason) } ?? false) {
        faults.append("\(entry.txn): \(screen) said done and ended \(endings[screen]?.reason.rawValue ?? "never")")
      }
    }
    for (screen, ending) in endings.sorted(by: { $0.key < $1.key }) where ending.reason == .hostLost && presented[screen] != nil {
      faults.append("\(screen) left with its host, which was back within the lease")
    }
  }

  /// K3: what is answered is in the state that another host was given, once, and a parent has heard each output and each end once.
  private mutating func compareCounts() throws {
    var taken: [ScreenID: Int] = [:]
    var sums: [ScreenID: Int] = [:]
    var opened: [ScreenID: Int] = [:]
    var fields: [ScreenID: [String: (seq: UInt64, value: String)]] = [:]
    for entry in entries {
      guard let told = entry.told, told.outcome != nil else { continue }
      switch entry.ask {
      case .send(let screen, let add):
        taken[screen, default: 0] += 1
        sums[screen, default: 0] += add
      case .tap(let screen, row: "more"):
        taken[screen, default: 0] += 1
        sums[screen, default: 0] += 1
      case .tap(let screen, row: "child"): opened[screen, default: 0] += 1
      case .enter(let screen, let field, let value):
        let seq = told.seq ?? 0
        if fields[screen]?[field].map({ $0.seq < seq }) ?? true { fields[screen, default: [:]][field] = (seq, value) }
      default: break
      }
    }
    for report in scene.reports {
      let screen = report.summary.screen
      let state = try LedgerScene.state(report)
      faults += state.troubles.map { "\(screen) heard \($0)" }
      if state.taken != taken[screen] ?? 0 { faults.append("\(screen) counts \(state.taken), its callers \(taken[screen] ?? 0)") }
      if report.outputs != UInt32(state.taken) { faults.append("\(screen) counts \(state.taken) and gave \(report.outputs) outputs") }
      let start = try JSONDecoder().decode(Ledger.Input.self, from: Data(report.input)).add
      if state.sum - start != sums[screen] ?? 0 {
        faults.append("\(screen) sums up to \(state.sum - start), its callers to \(sums[screen] ?? 0)")
      }
      if state.opened != opened[screen] ?? 0 {
        faults.append("\(screen) opened \(state.opened), its callers had it open \(opened[screen] ?? 0)")
      }
      let left = (fields[screen] ?? [:]).mapValues(\.value)
      if state.fields != left { faults.append("\(screen) shows \(state.fields), its callers left \(left)") }
      compareHeard(state, by: screen)
    }
  }

  private mutating func compareHeard(_ state: Ledger.State, by parent: ScreenID) {
    let outputs = Dictionary(uniqueKeysWithValues: scene.reports.map { ($0.summary.screen, $0.outputs) })
    let heard = Dictionary(state.heard.map { ($0.child, $0) }) { first, _ in first }
    for (child, summary) in presented.sorted(by: { $0.key < $1.key }) where summary.parent == parent {
      let said = heard[child] ?? Ledger.Heard(child: child)
      let given = endings[child]?.outputs ?? outputs[child] ?? 0
      if said.outputs != UInt64(given) { faults.append("\(child) gave \(given) outputs, \(parent) heard \(said.outputs)") }
      if said.ended != endings[child]?.reason {
        faults.append("\(child) ended \(endings[child]?.reason.rawValue ?? "never"), \(parent) heard \(said.ended?.rawValue ?? "nothing")")
      }
      if (said.result != nil) != (endings[child]?.result != nil) { faults.append("\(parent) heard another result of \(child)") }
    }
  }

  /// The screen that an event speaks of.
  private static func screen(of kind: Event.Kind) -> ScreenID? {
    switch kind {
    case .connecting(let summary), .presenting(let summary, _), .presented(let summary, _), .launched(let summary, _),
      .dismissing(let summary), .removed(let summary, _, _, _, _), .output(let summary, _, _, _, _), .delivered(let summary, _, _),
      .turned(let summary, _, _), .suspended(let summary), .needsInput(let summary), .unclaimed(let summary), .resumed(let summary, _):
      summary.screen
    default: nil
    }
  }
}
