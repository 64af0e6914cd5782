import Minerva
package import MinervaInterfaces
package import MinervaNavigation
import MinervaWire

/// The list of one screen: it applies values in order, each as a change set from the version before.
///
/// While one update is in flight newer values replace each other; whoever gave one is told `applied` or `superseded`, once.
package actor ListController {
  /// What became of a value.
  package enum Answer: Hashable, Sendable {
    /// It is shown, as this version.
    case applied(version: UInt64)
    /// A newer one was shown in its place, as this version.
    case superseded(by: UInt64)
    /// The screen is gone.
    case closed
  }

  private struct Waiting {
    var update: ListUpdate
    /// The declared state that it draws.
    var state: [UInt8]?
    var answersTurn: Bool
    /// Those whose values were replaced by this one.
    var superseded: [CheckedContinuation<Answer, Never>] = []
    var owners: [CheckedContinuation<Answer, Never>] = []
  }

  private let scene: SceneIdentity
  private let screen: ScreenID
  private let link: any BrokerLink
  private let differ: any DiffComputing
  private var version: UInt64 = 0
  private var shown: ListUpdate?
  /// What the broker has from this life of the screen.
  private var delivered: (update: ListUpdate, version: UInt64, state: [UInt8]?)?
  /// How many rows viewers have of a list that an earlier life showed, when it cannot be made again.
  private var unknownRows: Int?
  private var waiting: Waiting?
  private var isBusy = false
  /// Turns that said a rendering follows, and whose rendering has not come.
  private var announced = 0
  /// Whether a rendering that answered a turn was not the last one.
  private var isOwed = false
  private var isClosed = false
  private var idlers: [CheckedContinuation<Void, Never>] = []

  package init(scene: SceneIdentity, screen: ScreenID, link: any BrokerLink, differ: any DiffComputing) {
    self.scene = scene
    self.screen = screen
    self.link = link
    self.differ = differ
  }

  /// Hears that a turn will say that a rendering follows: until it has come no rendering is the last one.
  func announce() {
    announced += 1
  }

  /// Goes on from what an earlier life of the screen showed: the next change set starts from its version.
  /// - Parameter rows: The rows it showed, drawn again; `nil` when they can't be, so that the list is replaced as a whole.
  package func goOn(from earlier: ShownList, drawn rows: ListUpdate?) {
    guard version == 0, shown == nil else { return }
    version = earlier.version
    shown = rows
    unknownRows = rows == nil ? earlier.rows : nil
  }

  /// Shows a value, without waiting for it.
  func enqueue(_ update: ListUpdate, state: [UInt8]?, answersTurn: Bool) {
    if answersTurn { announced = max(0, announced - 1) }
    put(update, state: state, answersTurn: answersTurn, nil)
  }

  /// Shows a value and says what became of it.
  package func update(_ update: ListUpdate) async -> Answer {
    await withCheckedContinuation { put(update, state: nil, answersTurn: false, $0) }
  }

  /// Returns when nothing is in flight.
  func settled() async {
    guard isBusy else { return }
    await withCheckedContinuation { idlers.append($0) }
  }

  /// Whether something is shown that can be reported once more.
  var hasShown: Bool { delivered != nil && !isClosed }

  /// Reports once more, as a whole, what the broker had. What is under way then follows as a change of it, and answers in its place.
  func repeatLast() async {
    guard hasShown else { return }
    if isBusy { isOwed = true }
    await reportWhole(answersTurn: !isBusy)
  }

  private func reportWhole(answersTurn: Bool) async {
    guard let (update, version, state) = delivered else { return }
    let nothing = ComputedChanges(changes: [], counts: ChangeCounts(), computedBy: InProcessDiff.name)
    await report(update, from: 0, to: version, state, nothing, answersTurn: answersTurn)
  }

  /// Ends the list: whoever still waits is told.
  package func close() {
    isClosed = true
    for owner in (waiting?.owners ?? []) + (waiting?.superseded ?? []) { owner.resume(returning: .closed) }
    waiting = nil
  }

  private func put(_ update: ListUpdate, state: [UInt8]?, answersTurn: Bool, _ owner: CheckedContinuation<Answer, Never>?) {
    guard !isClosed else {
      owner?.resume(returning: .closed)
      return
    }
    var next = Waiting(update: update, state: state, answersTurn: answersTurn, owners: owner.map { [$0] } ?? [])
    if let replaced = waiting {
      next.superseded = replaced.superseded + replaced.owners
      next.answersTurn = next.answersTurn || replaced.answersTurn
    }
    waiting = next
    guard !isBusy else { return }
    isBusy = true
    Task { await run() }
  }

  private func run() async {
    while let next = waiting {
      waiting = nil
      let changes = await compute(from: shown?.rows, to: next.update.rows)
      guard !isClosed else {
        for owner in next.owners + next.superseded { owner.resume(returning: .closed) }
        break
      }
      let before = version
      // A screen that showed nothing yet and shows nothing has no version: that much is all that is said of it.
      let isNothing = version == 0 && next.update.isEmpty
      if !isNothing { version += 1 }
      shown = next.update
      unknownRows = nil
      // Only the last rendering answers the turns: the scene is not settled before it.
      let isLast = waiting == nil && announced == 0
      if !isLast, next.answersTurn { isOwed = true }
      let answersTurn = isLast && (next.answersTurn || isOwed)
      if answersTurn { isOwed = false }
      let version = version
      await report(next.update, from: before, to: version, next.state, changes, answersTurn: answersTurn)
      if !isNothing { delivered = (next.update, version, next.state) }
      // Registered again while this was on its way: the broker waits for a last word.
      if isOwed, waiting == nil, announced == 0 {
        isOwed = false
        await reportWhole(answersTurn: true)
      }
      for owner in next.owners { owner.resume(returning: .applied(version: version)) }
      for owner in next.superseded { owner.resume(returning: .superseded(by: version)) }
    }
    isBusy = false
    for idler in idlers { idler.resume() }
    idlers = []
  }

  /// The change set; an empty one, which means the list is replaced as a whole, when nobody can compute it.
  private func compute(from shown: DiffRows?, to new: DiffRows) async -> ComputedChanges {
    if let unknownRows {
      return ComputedChanges(
        changes: [], counts: ChangeCounts(inserts: new.count, deletes: unknownRows), computedBy: InProcessDiff.name)
    }
    let old = shown ?? DiffRows(sections: DiffSections())
    do {
      // Rows that stayed as they were, as after most resumes, are nobody's work.
      if old == new { return try await InProcessDiff().changes(from: old, to: new, list: "") }
      return try await differ.changes(from: old, to: new, list: "\(scene)/\(screen)")
    } catch {
      return ComputedChanges(
        changes: [], counts: ChangeCounts(inserts: new.count, deletes: old.count), computedBy: InProcessDiff.name)
    }
  }

  private func report(
    _ update: ListUpdate, from: UInt64, to version: UInt64, _ state: [UInt8]?, _ computed: ComputedChanges, answersTurn: Bool
  ) async {
    let change = ListEvent(
      screen: screen, from: from, to: version, counts: computed.counts, computedBy: computed.computedBy, changes: computed.changes)
    guard let body = version == 0 ? [] : try? update.rendering.encoded() else { return }
    await link.report(
      RenderingReport(
        scene: scene, rendering: StampedRendering(screen: screen, version: version, body: body), change: change,
        answersTurn: answersTurn,
        shown: ShownList(version: version, digest: update.digest, rows: update.rows.count, state: state),
        plainFields: update.plainFields))
  }
}

extension ListController {
  /// How many callers wait for an answer of a value that is not in flight.
  package var waitingCount: Int { (waiting?.owners.count ?? 0) + (waiting?.superseded.count ?? 0) }
}
