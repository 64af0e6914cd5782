import Synchronization

/// A value that is given once and awaited once; later gifts are ignored.
final class OneTime<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<Value?, Never>)
    case given(Value?)
  }

  private let state = Mutex(State.empty)

  func give(_ value: Value?) {
    let waiter = state.withLock { state -> CheckedContinuation<Value?, Never>? in
      switch state {
      case .empty:
        state = .given(value)
        return nil
      case .waiting(let continuation):
        state = .given(value)
        return continuation
      case .given: return nil
      }
    }
    waiter?.resume(returning: value)
  }

  func value() async -> Value? {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Value?? in
        if case .given(let value) = state { return .some(value) }
        state = .waiting(continuation)
        return .none
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}
