import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import TestSupport
import Testing

/// A module whose coordinator uses everything that a list offers.
enum Board: Module {}

actor BoardCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var todo = ["a", "b", "c"]
    var done = ["z"]
    var twice = false
    var seen: [String] = []
  }

  let context: Context<Board>
  var state = State()

  init(_ input: NoInput, _ context: Context<Board>) {
    self.context = context
  }

  func handle(_ action: Action) async throws {
    switch action {
    case .move(let row, let place, let other):
      var sections = rows
      sections.move(row, place, of: other)
      (state.todo, state.done) = (sections[0].cells.map(\.identifier), sections[1].cells.map(\.identifier))
    case .tap("twice"): state.twice.toggle()
    case .tap("a"): break
    case .tap("b"): throw MinervaError("app.no", "no")
    case .tap("scroll"):
      if let path = try await context.list.indexPath(of: "z") { try await context.list.scroll(to: path) }
    case .swipe(let row, action: "hide"):
      if let path = try await context.list.indexPath(of: row) { try await context.list.remove(at: path) }
    default: break
    }
  }

  func display(_ row: ListDisplay) { state.seen.append("\(row.moment.rawValue) \(row.row)") }

  private var rows: [ListSection] {
    [
      ListSection("todo", cells: state.todo.map { Label($0, $0).reorderable().highlightable().swipeable("hide") }),
      ListSection("done", cells: state.done.map { Label($0, $0).reorderable().highlightable().swipeable("hide") }),
    ]
  }

  func render() -> Screen {
    Screen("Board", buttons: [BarButton("twice", "Twice"), BarButton("scroll", "Scroll")]) {
      rows
      ListSection("log") {
        Label("log", state.seen.joined(separator: ", ")).displayable()
        if state.twice { Label("a", "again") }
      }
    }
  }
}

@Suite("The list of a coordinator")
struct ListOfCoordinatorTests {
  private func board() async throws -> TestHost {
    let host = try TestHost([ModuleOffer(BoardCoordinator.init)])
    await host.open("Board", as: 1)
    // The first rendering, and the one after the display of the log.
    _ = await host.broker.renderings.first(2)
    return host
  }

  private func rows(_ report: RenderingReport) throws -> [[String]] {
    try ScreenRendering(encoded: report.rendering.body).sections.map { $0.rows.map(\.id) }
  }

  @Test("A displayable row is told of in a turn of its own, which is rendered")
  func display() async throws {
    let host = try TestHost([ModuleOffer(BoardCoordinator.init)])
    await host.open("Board", as: 1)
    let second = await host.broker.renderings.first(2)[1]
    #expect(try ScreenRendering(encoded: second.rendering.body).row("log")?.text == "willDisplay log")
    #expect(second.change.counts == ChangeCounts(updates: 1))
  }

  @Test("A row is moved inside its section and to another one: the presenter is told, and its next value is one move")
  func move() async throws {
    let host = try await board()
    await host.send(.act(.move(row: "c", before: true, other: "a")), to: 1)
    let inside = await host.broker.renderings.first(1)[0]
    #expect(try rows(inside).prefix(2) == [["c", "a", "b"], ["z"]] && inside.change.counts == ChangeCounts(moves: 1))
    await host.send(.act(.move(row: "b", before: false, other: "z")), to: 1)
    let across = await host.broker.renderings.first(1)[0]
    #expect(try rows(across).prefix(2) == [["c", "a"], ["z", "b"]] && across.change.counts == ChangeCounts(moves: 1))
  }

  @Test("B01: a rendering with an identifier twice is refused to whoever asked for it, and what was shown stays")
  func duplicates() async throws {
    let host = try await board()
    _ = await host.broker.turns.first(2)
    await host.tap("twice", on: 1)
    let refused = await host.broker.turns.first(1)[0]
    guard case .refused(let refusal) = refused.report.reply else {
      Issue.record("\(String(describing: refused.report.reply))")
      return
    }
    #expect(refusal.code == "list.duplicate_id" && refusal.message.contains("\"a\" stands at 0.0 and again at 2.1"))
    #expect(!refused.rendering)
    // What the handler did is taken back with its turn: the same tap is refused again, and the rest of the screen goes on.
    await host.tap("twice", on: 1)
    #expect(await host.broker.turns.first(1)[0].report.reply == refused.report.reply)
    await host.send(.act(.move(row: "c", before: true, other: "a")), to: 1)
    #expect(try rows(await host.broker.renderings.first(1)[0]) == [["c", "a", "b"], ["z"], ["log"]])
  }

  @Test("A highlightable row is drawn pressed while its tap is handled, also when that fails; another is not")
  func highlight() async throws {
    let host = try await board()
    for row in ["a", "b"] {
      await host.tap(row, on: 1)
      let pressed = await host.broker.renderings.first(2)
      #expect(try pressed.map { try ScreenRendering(encoded: $0.rendering.body).highlighted } == [row, nil])
      #expect(pressed.map(\.change.counts) == [ChangeCounts(updates: 1), ChangeCounts(updates: 1)])
    }
    #expect(try ScreenRendering(encoded: Data.pressed).lines(width: 20) == ["T", "▌ a", "  b"])
  }

  private enum Data {
    static var pressed: [UInt8] {
      get throws {
        var rendering = ScreenRendering(
          Screen("T") {
            ListSection("s") {
              Label("a", "a"); Label("b", "b")
            }
          })
        rendering.highlighted = "a"
        return try rendering.encoded()
      }
    }
  }

  @Test("A handler scrolls and hides rows through its context; a row that is still rendered comes back with the next value")
  func handle() async throws {
    let host = try await board()
    await host.tap("scroll", on: 1)
    let scrolled = await host.broker.renderings.first(1)[0]
    #expect(try ScreenRendering(encoded: scrolled.rendering.body).anchor == ListAnchor(section: "done", row: "z"))
    #expect(scrolled.change.counts.isEmpty)
    await host.send(.act(.tap(row: "a", action: "hide")), to: 1)
    let reports = await host.broker.renderings.first(2)
    #expect(reports.map(\.change.counts) == [ChangeCounts(deletes: 1), ChangeCounts(inserts: 1)])
    #expect(try rows(reports[1])[0] == ["a", "b", "c"])
  }

  @Test("A covered screen takes no updates: its turns are answered, and it shows the newest value as one change set when it is seen again")
  func covered() async throws {
    let host = try TestHost([.counter])
    await host.open("Counter", #"{"start":1}"#, as: 1)
    _ = await host.broker.renderings.first(1)
    await host.runtime.take([.seen(host.scene, ScreenID(1), isSeen: false, isAwaited: false)])
    for _ in 0..<2 {
      await host.tap("more", on: 1)
      let answer = await host.broker.renderings.first(1)[0]
      #expect(answer.rendering.body.isEmpty && answer.answersTurn && answer.isBehind == true)
    }
    await host.runtime.take([.seen(host.scene, ScreenID(1), isSeen: true, isAwaited: true)])
    let shown = await host.broker.renderings.first(1)[0]
    #expect(shown.change.from == 1 && shown.change.to == 2 && shown.change.counts == ChangeCounts(updates: 1) && shown.answersTurn)
    #expect(try ScreenRendering(encoded: shown.rendering.body).row("count")?.text == "3")
    // A screen that is not here is answered for: nobody waits for it.
    await host.runtime.take([.seen(host.scene, ScreenID(9), isSeen: true, isAwaited: true)])
    let nobody = await host.broker.renderings.first(1)[0]
    #expect(nobody.rendering.screen == ScreenID(9) && nobody.answersTurn && nobody.rendering.body.isEmpty)
  }
}
