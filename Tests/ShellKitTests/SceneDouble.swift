import ListDiff
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaRecording
import MinervaWire
import ShellKit

/// A scene in memory: the real core with a scripted host, for tests of the session and of scripts.
///
/// `Tabs` brings the tabs home and orders; `Bad` refuses its input; a tap on `out` gives an output, on `open` opens Detail, on `add` inserts
/// a row, on `drop` deletes the first, on `turn` reverses all, on `done` finishes; a row `nope` does not exist.
actor SceneDouble: SceneTarget {
  private var core = SceneState(scene: "main", app: "shop")
  /// What was fed and changed something, in the journal's bytes.
  private var journal: [[UInt8]] = []
  private var feeds: [AsyncStream<SceneEvent>.Continuation] = []
  private var number: UInt64 = 0
  private var nextTxn = 0
  private var turns: [ScreenID: UInt32] = [:]
  private var rows: [ScreenID: [String]] = [:]
  private var lists: [ScreenID: ListStamp] = [:]
  private var answers: [String: Answer] = [:]
  private var pids: [String: Int32] = ["shop-1": 100, "diff-1": 200]
  /// What a killed process leaves behind, for recoveries that are not equal.
  private let forgetsRows: Bool
  /// Whether Login takes a secret, and each of its screens has a field for it.
  private let hasSecrets: Bool
  private(set) var reachable = true
  /// Who waits for an answer while the broker says nothing; nil while it speaks.
  private var unheard: [CheckedContinuation<Void, Never>]?

  /// What a look at all scenes finds left over.
  private let leaking = [
    Leak(
      kind: .task, scene: "main", screen: ScreenID(5), module: "Edit", host: "shop-1", age: 4_200, owners: ["s2 Users", "s1, gone"],
      text: "removed at #12 (popped); its task from Shop/Edit.swift:31 goes on"),
    Leak(
      kind: .screen, scene: "other", screen: ScreenID(9), module: "Detail", host: "shop-1", age: nil, owners: [],
      text: "shop-1 runs no coordinator for it"),
  ]

  init(forgetsRows: Bool = false, hasSecrets: Bool = false) {
    self.forgetsRows = forgetsRows
    self.hasSecrets = hasSecrets
  }

  var scene: SceneAddress { SceneAddress(name: "main", app: "shop") }

  func perform(_ action: Command.Action, _ conditions: RequestConditions, standing: @escaping @Sendable (Admission) -> Void)
    async throws(MinervaError) -> SceneReply
  {
    guard reachable else { throw MinervaError(.unreachable, "no broker") }
    nextTxn += 1
    let txn = conditions.txn ?? "t\(nextTxn)"
    feed(
      .command(
        Command(txn: txn, caller: "test", action: action, policy: conditions.policy, ifTop: conditions.ifTop, instant: conditions.isInstant)
      ))
    guard let answer = answers[txn] else { throw MinervaError(.deadline, "not answered") }
    switch answer.resolution {
    case .done(let outcome): return SceneReply(record: answer.seq, outcome: outcome)
    case .refused(let refusal): throw MinervaError(MinervaError.Code(refusal.code), refusal.message)
    }
  }

  func look(at record: UInt64?) async throws(MinervaError) -> SceneLook {
    await hear()
    guard reachable else { throw MinervaError(.unreachable, "no broker") }
    if let record { return SceneLook(try await past(at: record, image: false)) }
    let tree = core.tree
    var renderings: [ScreenID: ScreenRendering] = [:]
    for screen in tree.screens {
      renderings[screen.id] = ScreenRendering(
        title: "The \(screen.module)", tabs: nil,
        sections: [
          SectionRendering(
            id: "main", header: "rows",
            rows: (rows[screen.id] ?? ["r1"]).map {
              CellContent(id: $0, type: .label, text: "row \($0)", disabled: $0 == "r1" ? nil : true)
            } + (hasSecrets && screen.module == "Login" ? [CellContent(id: "password", type: .textInput, secret: true)] : []))
        ],
        commands: [
          CommandRendering(name: "go", isEnabled: true, isExecuting: false),
          CommandRendering(name: "stop", isEnabled: false, isExecuting: false),
        ])
    }
    return SceneLook(
      scene: "main", record: core.seq, event: number, tree: tree, renderings: renderings, lists: lists, isSettled: core.isSettled)
  }

  func events() async throws(MinervaError) -> AsyncStream<SceneEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: SceneEvent.self)
    feeds.append(continuation)
    return stream
  }

  func past(at record: UInt64, image: Bool) async throws(MinervaError) -> ScenePast {
    guard record <= core.seq else { throw MinervaError(.timeOutOfRange, "main is at #\(core.seq), there is no #\(record) yet") }
    var state = SceneState(scene: "main", app: "shop")
    for bytes in journal.prefix(Int(record)) {
      guard let entry = try? SceneRecord(decoding: bytes) else { throw MinervaError(.journalCorrupt, "no record") }
      _ = state.apply(entry.record, at: .zero)
    }
    return ScenePast(
      scene: SceneIdentity(name: "main", app: "shop", incarnation: 1), version: "1", record: record, at: 0, tree: state.tree,
      coordinators: state.coordinators, plans: state.plans, settled: state.isSettled,
      image: image ? try CBOR.encode(SceneImage(at: 0, state: state)) : nil)
  }

  func records(of scene: SceneIdentity, after record: UInt64) async throws(MinervaError) -> RecordPage {
    await hear()
    guard reachable else { throw MinervaError(.unreachable, "no broker") }
    // Small pages, so that there are several.
    let rest = journal.dropFirst(Int(record))
    return RecordPage(records: Array(rest.prefix(3)), isMore: rest.count > 3)
  }

  func modules() async throws(MinervaError) -> [ModuleListing] {
    let schema = PayloadSchema(
      name: "Detail", shape: .object(name: "Detail", [.init("id", .integer(min: .min, max: UInt64(Int64.max))), .init("name", .string)]))
    let text = (try? JSONValueEncoder().encode(schema))?.text
    guard reachable else { throw MinervaError(.unreachable, "no broker") }
    let login = PayloadSchema(name: "Login", shape: .object(name: "Login", [.init("password", .secret(.string))]))
    let secrets = ModuleDescription(name: "Login", schema: (try? JSONValueEncoder().encode(login))?.text)
    return (hasSecrets ? [ModuleListing(app: "shop", module: secrets, hosts: ["shop-1"])] : []) + [
      ModuleListing(app: "shop", module: ModuleDescription(name: "Detail", summary: "One thing", schema: text), hosts: ["shop-1"]),
      ModuleListing(app: "shop", module: ModuleDescription(name: "Home"), hosts: ["shop-1", "shop-2"]),
    ]
  }

  func status() async throws(MinervaError) -> StatusReport {
    StatusReport(
      broker: nil,
      processes: pids.sorted { $0.key < $1.key }.map { name, pid in
        ProcessReport(
          name: name, kind: name.hasPrefix("diff") ? "diff" : "host", pid: pid, generation: 1, restarts: 0, state: "running",
          uptime: 61_000,
          memory: 12 << 20, lastExit: nil)
      })
  }

  func end(scene: String) async throws(MinervaError) -> Outcome {
    guard scene == "main", !core.hasEnded else { throw MinervaError("scene.unknown", "there is no scene \"\(scene)\"") }
    feed(.command(Command(txn: "end", caller: "test", action: .end)))
    guard case .done(let outcome)? = answers["end"]?.resolution else { throw MinervaError(.deadline, "not answered") }
    return outcome
  }

  func scenes() async throws(MinervaError) -> [String] { core.hasEnded ? ["second"] : ["main", "second"] }

  func leaks(all: Bool) async throws(MinervaError) -> LeakReport { LeakReport(leaks: all ? leaking : []) }

  func lab(_ request: Lab) async throws(MinervaError) -> [String] {
    guard case .kill(let process) = request, let pid = pids[process] else { throw MinervaError("process.unknown", "no such process") }
    pids[process] = pid + 1
    if forgetsRows { rows = [:] }
    publish(.process(ProcessEvent(change: .lost, node: process, kind: "host", pid: pid)))
    return ["ok     \(process) lost"]
  }

  /// Makes the broker vanish, or come back.
  func setReachable(_ isReachable: Bool) { reachable = isReachable }

  /// Makes the broker answer nothing any more, as one that is stopped.
  func fallSilent() { unheard = [] }

  /// It goes on, and answers what it was asked.
  func speak() {
    let waiting = unheard ?? []
    unheard = nil
    for continuation in waiting { continuation.resume() }
  }

  private func hear() async {
    guard unheard != nil else { return }
    await withCheckedContinuation { unheard?.append($0) }
  }

  // MARK: The core and its host

  private func feed(_ record: Record) {
    let step = core.apply(record, at: .zero)
    if step.seq != nil, let bytes = try? SceneRecord(at: .zero, record: record).encoded() { journal.append(bytes) }
    for effect in step.effects { perform(effect) }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .answer(let answer): answers[answer.txn] = answer
    case .event(let event): publish(.navigation(event), record: event.seq)
    case .connect(let connection):
      let isBad = connection.module.name == "Bad"
      let container: ContainerSpec =
        connection.module.name == "Tabs"
        ? .tabs(
          [
            TabSpec(name: "home", start: ModuleStart(ModuleAddress(name: "Feed"))),
            TabSpec(name: "orders", start: ModuleStart(ModuleAddress(name: "Orders"))),
          ], selected: 0) : .none
      feed(
        .link(
          LinkReport(
            screen: connection.screen, lease: connection.lease,
            verdict: isBad
              ? .refused(Refusal(code: "input.invalid", message: "Bad.id: expected integer, found nothing"))
              : .accepted(Acceptance(host: "shop-1", container: container)))))
    case .deliver(let delivery): handle(delivery)
    default: break
    }
  }

  private func handle(_ delivery: Delivery) {
    let turn = (turns[delivery.screen] ?? 0) + 1
    turns[delivery.screen] = turn
    var report = TurnReport(screen: delivery.screen, lease: delivery.lease, number: turn, handled: delivery.message.number)
    if case .act(.tap(let row, _)) = delivery.message.body {
      switch row {
      case "nope": report.reply = .refused(Refusal(code: "screen.no_such_row", message: "no row nope"))
      case "out": report.outputs = [Array("{\"theme\":\"dark\"}".utf8)]
      case "done": report.ending = .finish(Array("{\"id\":4}".utf8))
      case "open": report.requests = [TurnRequest(.open(Command.Opening(ModuleAddress(name: "Detail"), input: Array("{\"id\":7}".utf8))))]
      case "add": change(delivery.screen) { $0.append("r\(turn + 1)") }
      case "drop": change(delivery.screen) { if !$0.isEmpty { $0.removeFirst() } }
      case "turn": change(delivery.screen) { $0.reverse() }
      default: break
      }
    }
    feed(.turn(report))
  }

  private func change(_ screen: ScreenID, _ body: (inout [String]) -> Void) {
    func diffed(_ ids: [String]) -> DiffRows {
      var rows = DiffRows()
      rows.appendSection("main".utf8, rows: ids.count)
      for id in ids { rows.append(id.utf8, content: 0) }
      return rows
    }
    let before = rows[screen] ?? ["r1"]
    var after = before
    body(&after)
    rows[screen] = after
    guard let changes = try? diffed(before).changes(to: diffed(after)) else { return }
    let version = lists[screen]?.version ?? 1
    let event = ListEvent(
      screen: screen, from: version, to: version + 1, counts: ChangeCounts(changes), computedBy: "diff-1", changes: changes.encoded())
    lists[screen] = ListStamp(version: version + 1, change: event)
    publish(.list(event))
  }

  private func publish(_ kind: SceneEvent.Kind, record: UInt64 = 0) {
    number += 1
    let event = SceneEvent(scene: "main", epoch: 1, number: number, record: record, at: 0, kind: kind)
    for feed in feeds { feed.yield(event) }
  }
}

/// Collects what a session tells.
actor Told {
  private(set) var lines: [String] = []

  func add(_ more: [String]) { lines += more }
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}
