import MinervaNavigation
import ShellKit
import Testing

@Suite("The shell as renderer")
struct RendererTests {
  private func transition(_ number: UInt64) -> Transition {
    Transition(number: number, seq: 20 + number, verb: "open", via: .push, entering: [], leaving: [])
  }

  @Test("Each pace acknowledges at its time: at once, when told to, or after a while (N6)")
  func paces() {
    var renderer = ShellRenderer()
    #expect(renderer.begin(transition(1), at: 0) == nil)
    #expect(renderer.shown.isEmpty)
    renderer.change(to: .instant)
    #expect(renderer.begin(transition(2), at: 0)?.number == 2)
    renderer.change(to: .hold)
    #expect(renderer.begin(transition(3), at: 100) == nil)
    #expect(renderer.nextDue == nil)
    renderer.change(to: .after(.milliseconds(300)))
    #expect(renderer.begin(transition(4), at: 100) == nil)
    #expect(renderer.nextDue == 400)
    #expect(renderer.takeDue(at: 399).isEmpty)
    #expect(renderer.takeDue(at: 400).map(\.number) == [4])
    #expect(renderer.takeDue(at: 400).isEmpty)
    #expect(renderer.shown.map(\.transition.number) == [3])
  }

  @Test("ack takes the oldest or the one of a request, and none that is over")
  func acknowledges() {
    var renderer = ShellRenderer()
    renderer.change(to: .hold)
    for number in 1...4 { #expect(renderer.begin(transition(UInt64(number)), at: 0) == nil) }
    #expect(renderer.begin(transition(4), at: 5) == nil)
    #expect(renderer.take(23)?.number == 3)
    renderer.settle(21)
    #expect(renderer.take(nil)?.number == 2)
    #expect(renderer.take(21) == nil)
    #expect(renderer.shown.map(\.transition.number) == [4])
  }

  @Test("render is read with its durations, and says what it does not know")
  func words() throws {
    func pace(_ line: String) throws -> ShellRenderer.Pace? {
      guard case .lab(.render(let pace))? = try Statement.parse(line).first?.request else { return nil }
      return pace
    }
    #expect(try pace("render 300ms") == .after(.milliseconds(300)))
    #expect(try pace("render hold") == .hold)
    #expect(try pace("render off") == .off)
    #expect(throws: ParseError.self) { try Statement.parse("render slowly") }
  }
}
