import Testing

/// Has suites of real processes run one after another: each starts half a dozen, and measures how soon they answer.
struct OneAtATime: SuiteTrait, TestScoping {
  private static let turn = Turn()

  func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
    await Self.turn.take()
    do {
      try await function()
    } catch {
      await Self.turn.give()
      throw error
    }
    await Self.turn.give()
  }

  /// Whose turn it is, in the order of asking.
  private actor Turn {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
      guard isTaken else {
        isTaken = true
        return
      }
      await withCheckedContinuation { waiting.append($0) }
    }

    func give() {
      guard waiting.isEmpty else { return waiting.removeFirst().resume() }
      isTaken = false
    }
  }
}

extension Trait where Self == OneAtATime {
  /// One suite of real processes at a time.
  static var oneAtATime: Self { Self() }
}
