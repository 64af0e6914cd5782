import MinervaBroker
import MinervaWire
import Testing

/// What a busy process must hear all the same, such as that nobody waits for a job any more.
@Suite("Words that must arrive")
struct InsistenceTests {
  /// Answers with these errors in turn, then takes what is said.
  private final class Listener {
    var errors: [MinervaError]
    var heard = 0
    var attempts = 0

    init(_ errors: [MinervaError]) { self.errors = errors }

    func hear() throws {
      attempts += 1
      if !errors.isEmpty { throw errors.removeFirst() }
      heard += 1
    }
  }

  private let full = MinervaError(
    .backpressure, "the window is full", details: [MinervaError.Detail.retryAfterMilliseconds: "1"], retryable: true)
  private let late = MinervaError(.deadline, "no answer")

  @Test("a full window and a process that stands still are tried again until it is said, once")
  func again() async {
    let listener = Listener([full, late, full])
    var refused = 0
    let isSaid = await insist(while: { true }, isRefused: { refused += 1 }, listener.hear)
    #expect(isSaid && listener.heard == 1 && listener.attempts == 4 && refused == 3)
  }

  @Test("nobody is told who is gone, or of what is not wanted any more")
  func inVain() async {
    for code in [MinervaError.Code.peerLost, .unreachable, .closed] {
      let listener = Listener([full, MinervaError(code, "it is gone")])
      let isSaid = await insist(while: { true }, listener.hear)
      #expect(!isSaid && listener.attempts == 2 && listener.heard == 0)
    }
    let listener = Listener([full, full, full])
    let isSaid = await insist(while: { listener.attempts < 2 }, listener.hear)
    #expect(!isSaid && listener.attempts == 2 && listener.heard == 0)
  }
}
