package import Minerva
package import MinervaInterfaces
package import MinervaNavigation
import MinervaWire

/// The list of one screen: performs what its machine says, and waits where the machine says that there is something to wait for.
///
/// It applies values in order, each as a change set from the version before. While one update is in flight newer values replace each other;
/// whoever gave one is told `applied` or `superseded`, once. A list that nobody sees takes no updates (see `ListStateMachine`).
package actor ListController {
  private let scene: SceneIdentity
  private let screen: ScreenID
  private let link: any BrokerLink
  private let differ: any DiffComputing
  private let hearsDisplay: @Sendable ([ListDisplay]) -> Void
  private var machine = ListStateMachine()
  private var lastCaller: ListStateMachine.Caller = 0
  private var answers: [ListStateMachine.Caller: CheckedContinuation<ListAnswer, Never>] = [:]
  private var followers: [ListStateMachine.Caller: CheckedContinuation<Void, Never>] = [:]
  /// What the broker has not been told yet, oldest first.
  private var words: [Word] = []
  private var isTelling = false

  private enum Word {
    case report(ListReport)
    case again(ListReport)
    case nothing(isBehind: Bool)
  }

  /// - Parameter hearsDisplay: Told which rows of displayable cells come into view and leave it; it must not wait.
  package init(
    scene: SceneIdentity, screen: ScreenID, link: any BrokerLink, differ: any DiffComputing,
    hearsDisplay: @escaping @Sendable ([ListDisplay]) -> Void = { _ in }
  ) {
    self.scene = scene
    self.screen = screen
    self.link = link
    self.differ = differ
    self.hearsDisplay = hearsDisplay
  }

  // MARK: From the mailbox

  /// Hears that a turn will say that a rendering follows: until it has come no rendering is the last one.
  package func announce() { machine.announce() }

  /// Goes on from what an earlier life of the screen showed.
  package func goOn(from earlier: ShownList, drawn rows: ListUpdate?) { machine.goOn(from: earlier, drawn: rows) }

  /// Whether a value differs from the newest one that the list was given.
  func isNews(_ update: ListUpdate) -> Bool { machine.isNews(update) }

  /// Shows a value, without waiting for it.
  package func enqueue(_ update: ListUpdate, state: [UInt8]?, answersTurn: Bool) {
    perform(machine.update(update, state: state, answersTurn: answersTurn))
  }

  /// Draws a row as pressed, or none.
  func highlight(_ row: String?) { perform(machine.highlight(row)) }

  /// Hears that the screen is seen, or is not.
  package func setVisible(_ isVisible: Bool, isAwaited: Bool = false) {
    perform(machine.setVisible(isVisible, isAwaited: isAwaited))
  }

  /// Whether something is shown that can be reported once more.
  var hasShown: Bool { machine.hasShown }

  /// Reports once more, as a whole, what the broker had; returns when it has it, whatever else waits to be told.
  func repeatLast() async {
    for case .sayAgain(let report) in machine.repeatLast() { await say(report) }
  }

  /// Ends the list: whoever still waits is told.
  package func close() { perform(machine.close()) }

  // MARK: From callers

  /// Shows a value and says what became of it.
  package func update(_ update: ListUpdate, animated: Bool = true) async -> ListAnswer {
    let caller = nextCaller()
    return await answer(caller, machine.update(update, state: nil, answersTurn: false, isAnimated: animated, caller: caller))
  }

  // MARK: Performing

  private func nextCaller() -> ListStateMachine.Caller {
    lastCaller += 1
    return lastCaller
  }

  private func answer(_ caller: ListStateMachine.Caller, _ actions: [ListStateMachine.Action]) async -> ListAnswer {
    await withCheckedContinuation { continuation in
      answers[caller] = continuation
      perform(actions)
    }
  }

  private func perform(_ actions: [ListStateMachine.Action]) {
    for action in actions {
      switch action {
      case .compute(let from, let to, let inProcess):
        Task {
          let changes = await compute(from: from, to: to, inProcess: inProcess)
          perform(machine.computed(changes))
        }
      case .report(let report): tell(.report(report))
      case .sayAgain(let report): tell(.again(report))
      case .answerTurns(let isBehind): tell(.nothing(isBehind: isBehind))
      case .answer(let caller, let answer): answers.removeValue(forKey: caller)?.resume(returning: answer)
      case .release(let caller): followers.removeValue(forKey: caller)?.resume()
      case .display(let rows): hearsDisplay(rows)
      }
    }
  }

  /// Tells the broker one thing after the other: a word that answers turns and comes late would be taken for the answer to later ones.
  private func tell(_ word: Word) {
    words.append(word)
    guard !isTelling else { return }
    isTelling = true
    Task {
      while !words.isEmpty {
        switch words.removeFirst() {
        case .report(let report):
          await say(report)
          perform(machine.reported())
        case .again(let report): await say(report)
        case .nothing(let isBehind): await sayNothing(isBehind: isBehind)
        }
      }
      isTelling = false
    }
  }

  /// The change set, or `nil` when nobody can compute it.
  private func compute(from old: DiffRows, to new: DiffRows, inProcess: Bool) async -> ComputedChanges? {
    if inProcess { return try? await InProcessDiff().changes(from: old, to: new, list: "") }
    return try? await differ.changes(from: old, to: new, list: "\(scene)/\(screen)")
  }

  private func say(_ report: ListReport) async {
    let counts = report.changes.counts
    let change = ListEvent(
      screen: screen, from: report.from, to: report.to, counts: counts, computedBy: report.changes.computedBy,
      changes: report.changes.changes, isAnimated: report.isAnimated ? nil : false)
    var rendering = report.update.rendering
    rendering.anchor = report.anchor
    rendering.highlighted = report.highlighted
    guard let body = report.to == 0 ? [] : try? rendering.encoded() else { return }
    await link.report(
      RenderingReport(
        scene: scene, rendering: StampedRendering(screen: screen, version: report.to, body: body, change: report.from == 0 ? nil : change),
        change: change, answersTurn: report.answersTurn,
        shown: ShownList(version: report.to, digest: report.update.digest, rows: report.update.rows.count, state: report.state),
        plainFields: report.update.plainFields))
  }

  /// Answers turns whose rendering nobody sees.
  private func sayNothing(isBehind: Bool) async {
    var report = RenderingReport.nothing(of: screen, in: scene)
    report.plainFields = machine.shown?.plainFields
    report.isBehind = isBehind ? true : nil
    await link.report(report)
  }
}

extension RenderingReport {
  /// The report that answers turns and shows nothing new.
  static func nothing(of screen: ScreenID, in scene: SceneIdentity) -> Self {
    let change = ListEvent(screen: screen, from: 0, to: 0, counts: ChangeCounts(), computedBy: InProcessDiff.name, changes: [])
    return Self(scene: scene, rendering: StampedRendering(screen: screen, version: 0, body: []), change: change, answersTurn: true)
  }
}

extension ListController: ListControlling {
  package var version: UInt64 { machine.version }

  package func indexPath(of row: String, in section: String?) -> ListPath? { machine.indexPath(of: row, in: section) }

  package func cell(at path: ListPath) throws -> any ListCellModel { try machine.cell(at: path) }

  package func remove(at path: ListPath, animated: Bool) async throws -> ListAnswer {
    let caller = nextCaller()
    return await answer(caller, try machine.remove(at: path, isAnimated: animated, caller: caller))
  }

  package func scroll(to path: ListPath, position: ListAnchor.Position, animated: Bool) async throws -> ListAnswer {
    let caller = nextCaller()
    return await answer(caller, try machine.scroll(to: path, position: position, isAnimated: animated, caller: caller))
  }

  package func invalidateSize(of path: ListPath) async throws -> ListAnswer {
    let caller = nextCaller()
    return await answer(caller, try machine.invalidateSize(of: path, caller: caller))
  }

  package func reload() async throws -> ListAnswer {
    let caller = nextCaller()
    return await answer(caller, try machine.reload(caller: caller))
  }

  package func afterUpdate() async {
    let caller = nextCaller()
    let actions = machine.afterUpdate(caller: caller)
    await withCheckedContinuation { continuation in
      followers[caller] = continuation
      perform(actions)
    }
  }

  package func setTraits(_ traits: ListTraits) { perform(machine.setTraits(traits)) }
}

extension ListController {
  /// How many callers wait for an answer of a value that is not in flight.
  package var waitingCount: Int { machine.waitingCount }

  /// How many words wait for the one that the broker is being told.
  package var untoldCount: Int { words.count }
}
