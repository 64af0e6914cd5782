import ListDiff
package import Minerva
package import MinervaInterfaces
package import MinervaWire

/// The list of one screen as a pure machine: values and calls go in, what to do comes out.
///
/// One update is in flight at a time: its change set is computed (`compute`, answered by `computed`), then told (`report`, answered by
/// `reported`). Values that come meanwhile replace each other, and when it has landed the last of them takes off; whoever gave a value gets one
/// answer, once. A list that nobody sees keeps the newest value and shows it when it is seen again, as one change set.
///
/// ```
///   update ─┐                 ┌─────────── in flight ───────────┐
///   remove ─┼──▶ waiting ──▶ compute ──▶ computed ─▶ report ──▶ reported ──▶ answers
///   scroll ─┘  (the newest)   ▲                                     │
///                             └────── the next that waits ◀─────────┘
/// ```
package struct ListStateMachine: Sendable {
  /// Someone who waits for an answer; the shell of the machine knows who.
  package typealias Caller = UInt64

  /// What is to be done, in order.
  package enum Action: Sendable {
    /// Find what turns one list into the other, then call `computed`.
    case compute(from: DiffRows, to: DiffRows, inProcess: Bool)
    /// Tell the broker, then call `reported`.
    case report(ListReport)
    /// Tell the broker, beside whatever is in flight: nobody is told when that is done.
    case sayAgain(ListReport)
    /// Tell the broker that the turns which announced a rendering have had theirs; whether a newer value is kept until it is seen.
    case answerTurns(isBehind: Bool)
    case answer(Caller, ListAnswer)
    /// Let someone go on who waited until nothing is in flight.
    case release(Caller)
    /// Tell the presenter which rows came into view and which left it.
    case display([ListDisplay])
  }

  private struct Waiting {
    var update: ListUpdate
    /// The declared state that it draws.
    var state: [UInt8]?
    var answersTurn = false
    var isAnimated = true
    var isReload = false
    /// How it is drawn; taken when it takes off.
    var anchor: ListAnchor?
    var highlighted: String?
    /// Rows that are told as updated although they are the same, by section and identifier.
    var touched: [ListAnchor] = []
    var owners: [Caller] = []
    /// Those whose values were replaced by this one.
    var superseded: [Caller] = []
  }

  private enum Phase {
    case computing, reporting
    /// Says the whole once more, because the broker waits for a last word.
    case repeating
  }

  private struct Flight {
    var value: Waiting
    var phase: Phase
  }

  private struct Delivered {
    var update: ListUpdate
    var version: UInt64
    var state: [UInt8]?
  }

  /// The version that is shown, 0 before the first.
  package private(set) var version: UInt64 = 0
  /// The last version in which a row or a section changed: paths from there on are good.
  private var rowsVersion: UInt64 = 0
  package private(set) var shown: ListUpdate?
  private var shownState: [UInt8]?
  /// What the broker has from this life of the screen.
  private var delivered: Delivered?
  /// How many rows viewers have of a list that an earlier life showed, when it cannot be made again.
  private var unknownRows: Int?
  private var waiting: Waiting?
  private var flight: Flight?
  package private(set) var isVisible = true
  /// Whether a value of this life has taken off.
  private var hasBegun = false
  /// Turns that said a rendering follows, and whose rendering has not come.
  private var announced = 0
  /// Whether a rendering that answered a turn was not the last one.
  private var isOwed = false
  package private(set) var isClosed = false
  private var followers: [Caller] = []
  private var anchor: ListAnchor?
  private var highlighted: String?
  private var traits: ListTraits
  private var displayed: [ListDisplay] = []

  package init(traits: ListTraits = ListTraits()) {
    self.traits = traits
  }

  // MARK: Values

  /// Hears that a turn will say that a rendering follows: until it has come no rendering is the last one.
  package mutating func announce() {
    announced += 1
  }

  /// Goes on from what an earlier life of the screen showed: the next change set starts from its version.
  /// - Parameter rows: The rows it showed, drawn again; `nil` when they can't be, so that the list is replaced as a whole.
  package mutating func goOn(from earlier: ShownList, drawn rows: ListUpdate?) {
    guard version == 0, shown == nil else { return }
    version = earlier.version
    shown = rows
    unknownRows = rows == nil ? earlier.rows : nil
  }

  /// Whether a value differs from the newest one that the list was given.
  package func isNews(_ update: ListUpdate) -> Bool {
    guard let newest = waiting?.update ?? flight?.value.update ?? (unknownRows == nil ? shown : nil) else { return true }
    return newest != update
  }

  /// Takes a value of the presenter.
  /// - Parameters:
  ///   - answersTurn: Whether it is the rendering that a turn announced.
  ///   - caller: Who is told what became of it, if anybody.
  package mutating func update(
    _ update: ListUpdate, state: [UInt8]?, answersTurn: Bool, isAnimated: Bool = true, caller: Caller? = nil
  ) -> [Action] {
    if answersTurn { announced = max(0, announced - 1) }
    guard !isClosed else { return caller.map { [.answer($0, .closed)] } ?? [] }
    var next = Waiting(update: update, state: state, answersTurn: answersTurn, isAnimated: isAnimated, owners: caller.map { [$0] } ?? [])
    if let replaced = waiting {
      next.superseded = replaced.superseded + replaced.owners
      next.answersTurn = next.answersTurn || replaced.answersTurn
      next.isReload = replaced.isReload
      next.touched = replaced.touched
    }
    waiting = next
    return takeOff()
  }

  /// Ends the list: whoever waits is told.
  package mutating func close() -> [Action] {
    isClosed = true
    let callers = [waiting, flight?.value].compactMap { $0 }.flatMap { $0.owners + $0.superseded }
    waiting = nil
    flight?.value.owners = []
    flight?.value.superseded = []
    let displays = changeDisplayed(to: [])
    return callers.map { .answer($0, .closed) } + displays + (flight == nil ? releases() : [])
  }

  // MARK: Calls about what is shown

  /// Where a row stands. O(rows).
  package func indexPath(of row: String, in section: String?) -> ListPath? {
    guard let shown else { return nil }
    for (place, candidate) in shown.screen.sections.enumerated() where section.map({ ByteText.same($0, candidate.identifier) }) ?? true {
      if let item = candidate.cells.firstIndex(where: { ByteText.same($0.identifier, row) }) {
        return ListPath(version: version, section: place, item: item)
      }
    }
    return nil
  }

  /// The model at a path.
  /// - Throws: `list.stale`, `list.no_row`.
  package func cell(at path: ListPath) throws(MinervaError) -> any ListCellModel {
    guard path.version >= rowsVersion, path.version <= version, let shown else {
      throw MinervaError(.listStale, "\(path): the list is at v\(version) and its rows have changed; ask where the row stands now")
    }
    guard shown.screen.sections.indices.contains(path.section),
      shown.screen.sections[path.section].cells.indices.contains(path.item)
    else { throw MinervaError(.listNoRow, "\(path): there is no row; the list has \(shown.rows.count)") }
    return shown.screen.sections[path.section].cells[path.item]
  }

  /// Takes a row out; the last one takes its section along.
  package mutating func remove(at path: ListPath, isAnimated: Bool, caller: Caller) throws(MinervaError) -> [Action] {
    _ = try current(path)
    guard var screen = shown?.screen else { return [] }
    screen.sections[path.section].cells.remove(at: path.item)
    if screen.sections[path.section].cells.isEmpty { screen.sections.remove(at: path.section) }
    return update(ListUpdate(part: screen), state: shownState, answersTurn: false, isAnimated: isAnimated, caller: caller)
  }

  /// Scrolls until a row stands at a position.
  package mutating func scroll(
    to path: ListPath, position: ListAnchor.Position, isAnimated: Bool, caller: Caller
  ) throws(MinervaError) -> [Action] {
    var place = try current(path)
    place.position = position
    anchor = place
    return redraw(caller: caller) { $0.isAnimated = isAnimated }
  }

  /// Has a row measured again.
  package mutating func invalidateSize(of path: ListPath, caller: Caller) throws(MinervaError) -> [Action] {
    let place = try current(path)
    return redraw(caller: caller) { $0.touched.append(place) }
  }

  /// Has viewers take the list anew.
  /// - Throws: `list.not_visible`: it is shown anew anyhow when it is seen again.
  package mutating func reload(caller: Caller) throws(MinervaError) -> [Action] {
    guard !isClosed else { return [.answer(caller, .closed)] }
    guard isVisible else { throw MinervaError(.listNotVisible, "nobody sees the list") }
    return redraw(caller: caller) { $0.isReload = true }
  }

  /// Draws a row as pressed, or none.
  package mutating func highlight(_ row: String?) -> [Action] {
    guard row != highlighted, !isClosed else { return [] }
    let newest = waiting?.update ?? flight?.value.update ?? shown
    let touched = [highlighted, row].compactMap { name in name.flatMap { newest?.screen.place(of: $0) } }
    highlighted = row
    guard isVisible, !touched.isEmpty else { return [] }
    return redraw(caller: nil) { $0.touched += touched }
  }

  /// Waits until nothing is in flight.
  package mutating func afterUpdate(caller: Caller) -> [Action] {
    guard flight != nil else { return [.release(caller)] }
    followers.append(caller)
    return []
  }

  /// Lays the list out in another size.
  package mutating func setTraits(_ traits: ListTraits) -> [Action] {
    self.traits = traits
    return changeDisplayed(to: rowsInView())
  }

  /// Hears that the screen is seen, or is not.
  /// - Parameter isAwaited: Whether the broker waits for what the list shows now.
  package mutating func setVisible(_ isVisible: Bool, isAwaited: Bool = false) -> [Action] {
    guard !isClosed else { return [] }
    let wasVisible = self.isVisible
    self.isVisible = isVisible
    if !isVisible {
      // What waits stays where it is; the turns it answers do not wait with it.
      if waiting?.answersTurn == true, flight != nil {
        waiting?.answersTurn = false
        isOwed = true
      }
      return changeDisplayed(to: [])
    }
    var actions: [Action] = []
    if isAwaited {
      if waiting != nil {
        waiting?.answersTurn = true
      } else if flight == nil, announced == 0 {
        actions = [.answerTurns(isBehind: false)]
      } else {
        isOwed = true
      }
    }
    if !wasVisible { actions += changeDisplayed(to: rowsInView()) }
    return actions + takeOff()
  }

  /// The place that a path names, for a call that changes what is shown.
  private func current(_ path: ListPath) throws(MinervaError) -> ListAnchor {
    let cell = try cell(at: path)
    if isClosed { throw MinervaError(.staleRef, "the screen is gone") }
    guard flight == nil, waiting == nil else {
      guard isVisible else { throw MinervaError(.listNotVisible, "nobody sees the list, and a newer value waits to be shown") }
      throw MinervaError(.listStale, "\(path): v\(version + 1) is on its way; ask again after the update")
    }
    guard isVisible else { throw MinervaError(.listNotVisible, "nobody sees the list") }
    return ListAnchor(section: shown?.screen.sections[path.section].identifier ?? "", row: cell.identifier)
  }

  /// Shows once more what is shown or waits, changed in how it is shown alone.
  private mutating func redraw(caller: Caller?, _ change: (inout Waiting) -> Void) -> [Action] {
    if waiting == nil {
      guard let update = flight?.value.update ?? shown else { return caller.map { [.answer($0, .applied(version: version))] } ?? [] }
      waiting = Waiting(update: update, state: flight?.value.state ?? shownState)
    }
    if var next = waiting {
      change(&next)
      if let caller { next.owners.append(caller) }
      waiting = next
    }
    return takeOff()
  }

  // MARK: Flight

  /// Starts the next update if one waits and may be shown.
  private mutating func takeOff() -> [Action] {
    guard !isClosed, flight == nil, var next = waiting else { return [] }
    guard isVisible || !hasBegun else {
      // Nobody sees it: the turns have their answer, the value waits.
      guard next.answersTurn || isOwed else { return [] }
      next.answersTurn = false
      waiting = next
      isOwed = announced > 0
      return isOwed ? [] : [.answerTurns(isBehind: true)]
    }
    (next.anchor, next.highlighted) = (anchor, highlighted)
    waiting = nil
    hasBegun = true
    flight = Flight(value: next, phase: .computing)
    if next.isReload || unknownRows != nil { return computed(nil) }
    let to = next.update.rows(beside: shown)
    let from = shown?.rows(touching: next.touched) ?? DiffRows(sections: DiffSections())
    // Rows that stayed as they were, as after most resumes, are nobody's work; rows that never were so are no version that a worker keeps.
    return [.compute(from: from, to: to, inProcess: from == to || !next.touched.isEmpty)]
  }

  /// Takes the change set; without one the list is replaced as a whole.
  package mutating func computed(_ computed: ComputedChanges?) -> [Action] {
    guard var flight, flight.phase == .computing, !isClosed else { return landed() }
    let value = flight.value
    let changes = settled(computed, value)
    let before = version
    // A screen that showed nothing yet and shows nothing has no version: that much is all that is said of it.
    let isNothing = version == 0 && value.update.isEmpty
    if !isNothing { version += 1 }
    if value.isReload || unknownRows != nil || shown?.rows != value.update.rows { rowsVersion = version }
    (shown, shownState, unknownRows) = (value.update, value.state, nil)
    // Only the last rendering answers the turns: the scene is not settled before it.
    let isLast = (waiting == nil || !isVisible) && announced == 0
    if !isLast, value.answersTurn { isOwed = true }
    let answersTurn = isLast && (value.answersTurn || isOwed)
    if answersTurn { isOwed = false }
    flight.phase = .reporting
    self.flight = flight
    let report = ListReport(
      update: value.update, state: value.state, from: before, to: version, changes: changes, answersTurn: answersTurn,
      isAnimated: value.isAnimated, anchor: value.anchor, highlighted: value.highlighted)
    return changeDisplayed(to: isVisible ? rowsInView() : []) + [.report(report)]
  }

  /// Hears that the broker has what was reported.
  package mutating func reported() -> [Action] {
    guard let flight else { return [] }
    guard !isClosed else { return landed() }
    if flight.phase == .reporting, version > 0 {
      delivered = Delivered(update: flight.value.update, version: version, state: flight.value.state)
    }
    // Registered again while this was on its way: the broker waits for a last word.
    if isOwed, waiting == nil || !isVisible, announced == 0, let whole = whole(answersTurn: true) {
      isOwed = false
      self.flight?.phase = .repeating
      return [.report(whole)]
    }
    return landed()
  }

  private mutating func landed() -> [Action] {
    guard let landed = flight else { return [] }
    flight = nil
    var actions: [Action] = landed.value.owners.map { .answer($0, .applied(version: version)) }
    actions += landed.value.superseded.map { .answer($0, .superseded(by: version)) }
    actions += takeOff()
    return flight == nil ? actions + releases() : actions
  }

  private mutating func releases() -> [Action] {
    defer { followers = [] }
    return followers.map { .release($0) }
  }

  /// Whether something is shown that can be reported once more.
  package var hasShown: Bool { delivered != nil && !isClosed }

  /// Reports once more, as a whole, what the broker had. What is under way then follows as a change of it, and answers in its place.
  package mutating func repeatLast() -> [Action] {
    let isLast = flight == nil && announced == 0
    guard hasShown, let whole = whole(answersTurn: isLast) else { return [] }
    if !isLast { isOwed = true }
    return [.sayAgain(whole)]
  }

  private func whole(answersTurn: Bool) -> ListReport? {
    delivered.map {
      ListReport(
        update: $0.update, state: $0.state, from: 0, to: $0.version, changes: .whole(ChangeCounts()), answersTurn: answersTurn,
        isAnimated: true, anchor: anchor, highlighted: highlighted)
    }
  }

  // MARK: Change sets

  /// The change set as it is told: without updates of rows that are identical, and as a replacement when there is none or it is too long.
  private func settled(_ computed: ComputedChanges?, _ value: Waiting) -> ComputedChanges {
    guard var computed else {
      if value.isReload { return .whole(ChangeCounts()) }
      return .whole(ChangeCounts(inserts: value.update.rows.count, deletes: unknownRows ?? shown?.rows.count ?? 0))
    }
    if computed.counts.updates > 0, let old = shown, let changes = try? SectionedChangeSet(decoding: computed.changes) {
      let kept = changes.keepingUpdates { update in
        let (before, after) = (old.screen.cell(at: update.old), value.update.screen.cell(at: update.new))
        guard let before, let after, before.size == after.size else { return true }
        return value.touched.contains { ByteText.same($0.row, after.identifier) } || !before.identical(to: after)
      }
      if let kept { (computed.changes, computed.counts) = (kept.encoded(), ChangeCounts(kept)) }
    }
    let counts = computed.counts
    let total = counts.inserts + counts.deletes + counts.moves + counts.updates + counts.sectionInserts + counts.sectionDeletes
    if total > value.update.screen.list.reloadsAbove { computed.changes = [] }
    return computed
  }

  // MARK: Rows in view

  private func rowsInView() -> [ListDisplay] {
    guard isVisible, let shown, shown.hasDisplayables else { return [] }
    return ScreenLayout(shown.rendering, columns: traits.columns, lines: traits.lines).rowsInView(anchor: anchor, lines: traits.lines)
      .filter { $0.content.traits?.contains(.displayable) == true }
      .map { ListDisplay(section: $0.section, row: $0.content.id, moment: .willDisplay) }
  }

  private mutating func changeDisplayed(to rows: [ListDisplay]) -> [Action] {
    guard rows != displayed else { return [] }
    let (before, now) = (Set(displayed), Set(rows))
    var changes = displayed.filter { !now.contains($0) }.map { ListDisplay(section: $0.section, row: $0.row, moment: .didEndDisplaying) }
    changes += rows.filter { !before.contains($0) }
    displayed = rows
    return changes.isEmpty ? [] : [.display(changes)]
  }
}

extension ListStateMachine {
  /// How many callers wait for an answer of a value that is not in flight.
  package var waitingCount: Int { (waiting?.owners.count ?? 0) + (waiting?.superseded.count ?? 0) }
  /// Whether nothing is in flight.
  package var isIdle: Bool { flight == nil }
}

/// What a list tells the broker.
package struct ListReport: Sendable {
  package var update: ListUpdate
  package var state: [UInt8]?
  /// The version that the change set starts from; 0 when the whole is said again.
  package var from: UInt64
  package var to: UInt64
  package var changes: ComputedChanges
  /// Whether it is the rendering that turns announced.
  package var answersTurn: Bool
  package var isAnimated: Bool
  package var anchor: ListAnchor?
  package var highlighted: String?
}

extension ComputedChanges {
  /// No change set: the list is replaced.
  static func whole(_ counts: ChangeCounts) -> Self { Self(changes: [], counts: counts, computedBy: InProcessDiff.name) }
}

extension ListUpdate {
  /// The rows with some contents that no row has, so that these rows are found changed.
  fileprivate func rows(touching touched: [ListAnchor]) -> DiffRows {
    guard !touched.isEmpty, case .hashes(var contents) = rows.contents else { return rows }
    var rows = rows
    var base = 0
    for section in screen.sections {
      for place in touched where ByteText.same(place.section, section.identifier) {
        for (item, cell) in section.cells.enumerated() where ByteText.same(cell.identifier, place.row) { contents[base + item] ^= 1 }
      }
      base += section.cells.count
    }
    rows.contents = .hashes(contents)
    return rows
  }
}

extension Screen {
  fileprivate func place(of row: String) -> ListAnchor? {
    for section in sections where section.cells.contains(where: { ByteText.same($0.identifier, row) }) {
      return ListAnchor(section: section.identifier, row: row)
    }
    return nil
  }

  fileprivate func cell(at path: ItemPath) -> (any ListCellModel)? {
    guard sections.indices.contains(path.section), sections[path.section].cells.indices.contains(path.item) else { return nil }
    return sections[path.section].cells[path.item]
  }
}
