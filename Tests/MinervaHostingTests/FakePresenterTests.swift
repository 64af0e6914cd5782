import Minerva
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Testing

/// Presentations without host and broker (C5).
@Suite("Presenting on a fake (C5)")
struct FakePresenterTests {
  static let ways: [Presentation] = [
    .push, .replace, .root, .modal(.alert), .modal(.sheet(detents: [.medium, .large])), .modal(.full), .modal(.popover), .tab("orders"),
    .detail, .embed("header"), .custom("flip"),
  ]

  @Test("C1, C5: whatever the way of presenting, a command is disabled from its execution until its screen is gone", arguments: ways)
  func commands(way: Presentation) throws {
    let presenter = FakePresenter<Scripted>()
    let edit = PresentCommand("edit", Counter.self, via: way, by: presenter.context)
    #expect(edit.isEnabled)
    try edit.execute(.init(start: 4))
    #expect(presenter.presentations.map(\.description) == [#"edit: Counter{"start":4} via \#(way)"#])
    #expect(!edit.isEnabled && edit.isExecuting)
    #expect(throws: MinervaError.self) { try edit.execute(.init(start: 5)) }
    #expect(presenter.presentations.count == 1, "a command that is disabled does nothing (C2)")
    presenter.present(0)
    #expect(!edit.isEnabled)
    presenter.end(0)
    #expect(edit.isEnabled)
    presenter.end(0)
    try edit.execute(.init(start: 6))
    presenter.refuse(1, Refusal(code: "nav.busy", message: "later"))
    #expect(edit.isEnabled, "one that failed never counts as presented (C3)")
  }

  @Test("C3, L5: a result is given once, nil when the screen left without one, the reason when it never came")
  func results() async throws {
    let presenter = FakePresenter<Scripted>()
    let first = try presenter.context.push(Counter.self, .init(start: 1))
    let second = try presenter.context.present(Counter.self, .init(start: 2))
    let third = try presenter.context.replace(Counter.self, .init(start: 3))
    async let result = first.result
    presenter.present(0)
    #expect(try await first.screen == ScreenID(2))
    #expect(try await presenter.context.children == [ScreenID(2)])
    try presenter.finish(0, of: Counter.self, 7)
    #expect(try await result == 7)
    presenter.present(1)
    presenter.end(1, reason: .gesture)
    #expect(try await second.result == nil)
    presenter.refuse(2, Refusal(code: "module.unknown", message: "no"))
    await #expect(throws: Refusal.self) { try await third.result }
  }

  @Test("C2: a presenter that is gone is told from success")
  func gone() throws {
    var presenter: FakePresenter<Scripted>? = FakePresenter()
    let edit = try PresentCommand("edit", Counter.self, via: .push, by: #require(presenter).context)
    presenter = nil
    do {
      try edit.execute(.init(start: 1))
      Issue.record("executed")
    } catch let error as MinervaError {
      #expect(error.code == "command.no_presenter")
    }
    #expect(presenter == nil)
  }
}
