import ListDiff
import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaWire
import Testing

/// A list of sections of rows, `"a:1,2 b:3"`; `1x` is row 1 with the content x.
func list(_ text: String, title: String = "List", options: ListOptions = ListOptions()) -> Screen {
  Screen(
    title,
    sections: text.split(separator: " ").map { part in
      let halves = part.split(separator: ":", omittingEmptySubsequences: false)
      let rows = halves.count > 1 ? halves[1].split(separator: ",") : []
      return ListSection(
        String(halves[0]),
        cells: rows.map { row in Label(String(row.prefix { $0.isNumber }), String(row.drop { $0.isNumber })) as any ListCellModel })
    }
  ).list(options)
}

/// A machine whose differ and broker answer when the test says so.
struct Crank {
  var machine = ListStateMachine()
  var answers: [UInt64: [ListAnswer]] = [:]
  var reports: [ListReport] = []
  var released: [UInt64] = []
  var displays: [[ListDisplay]] = []
  var turnAnswers = 0
  var behind = false
  private var computing: (from: DiffRows, to: DiffRows)?
  private var isReporting = false
  private var lastCaller: UInt64 = 0

  var isIdle: Bool { computing == nil && !isReporting }

  mutating func caller() -> UInt64 {
    lastCaller += 1
    return lastCaller
  }

  mutating func take(_ actions: [ListStateMachine.Action]) {
    for action in actions {
      switch action {
      case .compute(let from, let to, _):
        #expect(isIdle, "two updates in flight")
        computing = (from, to)
      case .report(let report):
        #expect(isIdle, "two updates in flight")
        isReporting = true
        reports.append(report)
      case .sayAgain(let report): reports.append(report)
      case .answerTurns(let isBehind):
        turnAnswers += 1
        behind = isBehind
      case .answer(let caller, let answer): answers[caller, default: []].append(answer)
      case .release(let caller): released.append(caller)
      case .display(let rows): displays.append(rows)
      }
    }
  }

  /// Lets the differ or the broker answer.
  mutating func step() {
    if let (from, to) = computing {
      computing = nil
      let changes = try? from.changes(to: to)
      take(
        machine.computed(changes.map { ComputedChanges(changes: $0.encoded(), counts: ChangeCounts($0), computedBy: "diff-1") }))
    } else if isReporting {
      isReporting = false
      take(machine.reported())
    }
  }

  mutating func run() {
    while !isIdle { step() }
  }

  @discardableResult
  mutating func update(_ screen: Screen, answersTurn: Bool = false, isAnimated: Bool = true) throws -> UInt64 {
    let caller = caller()
    take(machine.update(try ListUpdate(screen), state: nil, answersTurn: answersTurn, isAnimated: isAnimated, caller: caller))
    return caller
  }
}

extension Crank {
  /// The identifiers that are shown, section by section.
  var shown: [[String]] { machine.shown?.screen.sections.map { $0.cells.map(\.identifier) } ?? [] }

  func path(_ row: String) throws -> ListPath { try #require(machine.indexPath(of: row, in: nil)) }
}

@Suite("The list's machine")
struct ListStateMachineTests {
  // MARK: In flight

  @Test("Values that come during an update replace each other, and every caller has one answer")
  func coalescing() throws {
    var crank = Crank()
    let first = try crank.update(list("a:1"))
    let second = try crank.update(list("a:1,2"))
    let third = try crank.update(list("a:1,2,3"))
    crank.step()
    let fourth = try crank.update(list("a:3,1"))
    crank.run()
    #expect(crank.answers[first] == [.applied(version: 1)])
    #expect(crank.answers[second] == [.superseded(by: 2)])
    #expect(crank.answers[third] == [.superseded(by: 2)])
    #expect(crank.answers[fourth] == [.applied(version: 2)])
    #expect(crank.reports.map(\.to) == [1, 2] && crank.reports[1].changes.computedBy == "diff-1")
    #expect(crank.reports[1].changes.counts == ChangeCounts(inserts: 1) && crank.shown == [["3", "1"]])
  }

  @Test("After the end everybody is told, also whoever was in flight or was replaced")
  func closed() throws {
    var crank = Crank()
    let callers = [try crank.update(list("a:1")), try crank.update(list("a:2")), try crank.update(list("a:3"))]
    let follower = crank.caller()
    crank.take(crank.machine.afterUpdate(caller: follower))
    crank.take(crank.machine.close())
    crank.run()
    for caller in callers { #expect(crank.answers[caller] == [.closed]) }
    #expect(crank.reports.isEmpty && crank.released == [follower])
    let late = try crank.update(list("a:4"))
    #expect(crank.answers[late] == [.closed])
  }

  @Test("afterUpdate goes on at once when nothing is in flight, else after all that waits")
  func afterUpdate() throws {
    var crank = Crank()
    let idle = crank.caller()
    crank.take(crank.machine.afterUpdate(caller: idle))
    #expect(crank.released == [idle])
    try crank.update(list("a:1"))
    try crank.update(list("a:2"))
    let busy = crank.caller()
    crank.take(crank.machine.afterUpdate(caller: busy))
    crank.step()
    crank.step()
    #expect(crank.released == [idle] && crank.machine.version == 1)
    crank.run()
    #expect(crank.released == [idle, busy] && crank.machine.version == 2)
  }

  // MARK: Seen and not seen

  @Test("A list that nobody sees takes no updates, and shows the newest value as one change set when it is seen again")
  func invisible() throws {
    var crank = Crank()
    try crank.update(list("a:1"))
    crank.run()
    crank.take(crank.machine.setVisible(false))
    let second = try crank.update(list("a:1,2"))
    let third = try crank.update(list("a:1,2,3"), answersTurn: true)
    crank.run()
    #expect(crank.reports.count == 1 && crank.shown == [["1"]] && crank.answers[second] == nil && crank.answers[third] == nil)
    // The turn has its answer all the same.
    #expect(crank.turnAnswers == 1 && crank.behind)
    crank.take(crank.machine.setVisible(true, isAwaited: true))
    crank.run()
    #expect(crank.answers[second] == [.superseded(by: 2)] && crank.answers[third] == [.applied(version: 2)])
    #expect(crank.reports.count == 2 && crank.reports[1].changes.counts == ChangeCounts(inserts: 2))
    #expect(crank.reports[1].answersTurn)
    // Nothing new: whoever waits for the list is told that.
    crank.take(crank.machine.setVisible(false))
    crank.take(crank.machine.setVisible(true, isAwaited: true))
    #expect(crank.reports.count == 2 && crank.turnAnswers == 2 && !crank.behind)
  }

  @Test("A list that was never seen shows its first value, and no other")
  func invisibleFromTheStart() throws {
    var crank = Crank()
    crank.take(crank.machine.setVisible(false))
    try crank.update(list("a:1"))
    crank.run()
    try crank.update(list("a:2"))
    crank.run()
    #expect(crank.shown == [["1"]])
  }

  @Test("A turn that announced a rendering is answered once, after the last of them, seen or not")
  func turns() throws {
    var crank = Crank()
    crank.machine.announce()
    crank.machine.announce()
    try crank.update(list("a:1"), answersTurn: true)
    crank.step()
    #expect(crank.reports.last?.answersTurn == false)
    crank.take(crank.machine.setVisible(false))
    crank.run()
    #expect(crank.reports.allSatisfy { !$0.answersTurn } && crank.turnAnswers == 0)
    try crank.update(list("a:2"), answersTurn: true)
    crank.run()
    #expect(crank.reports.filter(\.answersTurn).count + crank.turnAnswers == 1)
  }

  // MARK: Calls

  @Test("The last row takes its section along")
  func remove() throws {
    var crank = Crank()
    try crank.update(list("a:1,2 b:3"))
    crank.run()
    for (row, left, counts) in [
      ("2", [["1"], ["3"]], ChangeCounts(deletes: 1)), ("3", [["1"]], ChangeCounts(sectionDeletes: 1)),
      ("1", [], ChangeCounts(sectionDeletes: 1)),
    ] {
      let caller = crank.caller()
      crank.take(try crank.machine.remove(at: try crank.path(row), isAnimated: true, caller: caller))
      crank.run()
      #expect(crank.shown == left && crank.reports.last?.changes.counts == counts)
      #expect(crank.answers[caller] == [.applied(version: crank.machine.version)])
    }
    // The presenter still has the rows: its next value brings them back.
    #expect(crank.machine.isNews(try ListUpdate(list("a:1,2 b:3"))))
  }

  @Test("A path of a version whose rows have changed is stale; a title or a scroll makes none so")
  func stale() throws {
    var crank = Crank()
    try crank.update(list("a:1,2"))
    crank.run()
    let path = try crank.path("2")
    #expect(try crank.machine.cell(at: path).identifier == "2")
    try crank.update(list("a:1,2", title: "Other"))
    crank.run()
    crank.take(try crank.machine.scroll(to: path, position: .top, isAnimated: true, caller: crank.caller()))
    crank.run()
    #expect(crank.machine.version == 3 && crank.reports.last?.anchor == ListAnchor(section: "a", row: "2"))
    #expect(crank.reports.dropFirst().allSatisfy { $0.changes.counts.isEmpty && !$0.changes.changes.isEmpty })
    #expect(try crank.machine.cell(at: path).identifier == "2")
    try crank.update(list("a:2"))
    expectError("list.stale") { _ = try crank.machine.remove(at: path, isAnimated: true, caller: 99) }
    crank.run()
    for version in [path.version, 9] {
      expectError("list.stale") { _ = try crank.machine.cell(at: ListPath(version: version, section: 0, item: 0)) }
    }
    for (section, item) in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
      expectError("list.no_row") { _ = try crank.machine.cell(at: ListPath(version: 4, section: section, item: item)) }
    }
    #expect(crank.answers[99] == nil && crank.shown == [["2"]])
  }

  @Test("What is not seen is not changed by calls")
  func notVisible() throws {
    var crank = Crank()
    try crank.update(list("a:1"))
    crank.run()
    let path = try crank.path("1")
    crank.take(crank.machine.setVisible(false))
    expectError("list.not_visible") { _ = try crank.machine.remove(at: path, isAnimated: true, caller: 99) }
    expectError("list.not_visible") { _ = try crank.machine.reload(caller: 99) }
    #expect(try crank.machine.cell(at: path).identifier == "1")
  }

  @Test("A row whose size is invalidated is one update, also when nothing of it changed; reload replaces the list as a whole")
  func invalidated() throws {
    var crank = Crank()
    try crank.update(list("a:1,2 b:3"))
    crank.run()
    crank.take(try crank.machine.invalidateSize(of: try crank.path("3"), caller: crank.caller()))
    crank.run()
    let report = try #require(crank.reports.last)
    #expect(report.changes.counts == ChangeCounts(updates: 1))
    let changes = try SectionedChangeSet(decoding: report.changes.changes)
    #expect(changes.items.updates.map(\.new) == [ItemPath(section: 1, item: 0)])
    crank.take(try crank.machine.reload(caller: crank.caller()))
    crank.run()
    #expect(crank.reports.last?.to == 3 && crank.reports.last?.changes.changes.isEmpty == true)
    #expect(crank.reports.last?.changes.counts.isEmpty == true)
    // The same value again is no update.
    try crank.update(list("a:1,2 b:3"))
    crank.run()
    #expect(crank.reports.last?.changes.counts.isEmpty == true)
    try crank.update(list("a:9"), isAnimated: false)
    crank.run()
    #expect(crank.reports.last?.isAnimated == false)
  }

  @Test("Above the threshold the list is replaced as a whole, with the counts of what changed")
  func threshold() throws {
    let options = ListOptions(reloadsAbove: 2)
    var crank = Crank()
    try crank.update(list("a:1,2,3", options: options))
    crank.run()
    try crank.update(list("a:1x,2x,3", options: options))
    crank.run()
    #expect(crank.reports.last?.changes.changes.isEmpty == false)
    try crank.update(list("a:1y,2y,3y", options: options))
    crank.run()
    #expect(crank.reports.last?.changes.changes.isEmpty == true && crank.reports.last?.changes.counts == ChangeCounts(updates: 3))
    #expect(crank.reports.last?.changes.computedBy == "diff-1")
  }

  // MARK: Models

  /// A model that shows a time and does not mind.
  private struct Clock: ListCellModel {
    var time: Int
    var lines = 1
    var content: CellContent { CellContent(id: "clock", type: .label, text: "\(time)") }
    var size: ListCellSize { .explicit(width: 10, height: lines) }
    func identical(to other: any ListCellModel) -> Bool { other is Clock }
  }

  @Test("identical(to:) has the word whether a row is updated; another size is an update in any case")
  func identical() throws {
    var crank = Crank()
    func show(_ clock: Clock, _ row: String) throws -> ChangeCounts? {
      try crank.update(
        Screen("Clock") {
          ListSection("a") {
            clock; Label("1", row)
          }
        })
      crank.run()
      return crank.reports.last?.changes.counts
    }
    _ = try show(Clock(time: 1), "x")
    #expect(try show(Clock(time: 2), "x") == ChangeCounts())
    #expect(try show(Clock(time: 3), "y") == ChangeCounts(updates: 1))
    #expect(try show(Clock(time: 3, lines: 2), "y") == ChangeCounts(updates: 1))
  }

  @Test("A model's own identifier and type are those of its row")
  func ownIdentifier() throws {
    struct Own: ListCellModel {
      var identifier: String
      var cellType: CellType
      var content: CellContent { CellContent(id: "content", type: .label, text: "x") }
    }
    var crank = Crank()
    try crank.update(Screen("Own") { ListSection("a") { Own(identifier: "me", cellType: .label) } })
    crank.run()
    #expect(crank.machine.shown?.rendering.row("me")?.text == "x")
    try crank.update(Screen("Own") { ListSection("a") { Own(identifier: "me", cellType: CellType(rawValue: "mine")) } })
    crank.run()
    #expect(crank.reports.last?.changes.counts == ChangeCounts(inserts: 1, deletes: 1))
  }

  // MARK: Rows in view

  @Test("Displayable rows are told when they come into view and leave it: by a value, a scroll, the size, the screen itself")
  func displayed() throws {
    var crank = Crank()
    crank.take(crank.machine.setTraits(ListTraits(columns: 40, lines: 3)))
    func screen(_ ids: ClosedRange<Int>) -> Screen {
      Screen("Long") { ListSection("a", cells: ids.map { Label("\($0)", "x").displayable() }) }
    }
    func told() -> [String] {
      defer { crank.displays = [] }
      return crank.displays.joined().map { ($0.moment == .willDisplay ? "+" : "-") + $0.row }
    }
    try crank.update(screen(1...9))
    crank.run()
    #expect(told() == ["+1", "+2", "+3"])
    try crank.update(screen(2...9))
    crank.run()
    #expect(told() == ["-1", "+4"])
    crank.take(try crank.machine.scroll(to: try crank.path("8"), position: .bottom, isAnimated: true, caller: crank.caller()))
    crank.run()
    #expect(told() == ["-2", "-3", "-4", "+6", "+7", "+8"])
    crank.take(crank.machine.setTraits(ListTraits(columns: 40, lines: 1)))
    #expect(told() == ["-6", "-7"])
    crank.take(crank.machine.setVisible(false))
    #expect(told() == ["-8"])
    crank.take(crank.machine.setVisible(true))
    #expect(told() == ["+8"])
    crank.take(crank.machine.close())
    #expect(told() == ["-8"])
  }
}

func expectError(_ code: String, _ body: () throws -> Void) {
  #expect { try body() } throws: { ($0 as? MinervaError)?.code.rawValue == code }
}
