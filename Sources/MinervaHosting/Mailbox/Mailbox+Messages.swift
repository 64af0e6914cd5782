import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// What a coordinator is told, message by message.
extension Mailbox {
  /// Gives a message to the coordinator.
  /// - Returns: Whether its screen may show something else now.
  func handle(_ body: Message.Body) async throws -> Bool {
    switch body {
    case .input(let input): try await coordinator.configure(input)
    case .sealedInput:
      throw MinervaError(.inputLost, "the secrets of this input were lost with a restart of the broker; send it again")
    case .act(let act): try await handle(act)
    case .childOutput(let child, let module, let number, let payload):
      try await coordinator.child(ChildEvent(child: child, module: module, kind: .output(UInt64(number)), payload: payload))
    case .childEnded(let child, let module, let reason, let result):
      try await coordinator.child(ChildEvent(child: child, module: module, kind: .ended(reason), payload: result))
    case .requestSettled(_, .refused(let refusal)): try await coordinator.refused(refusal)
    case .requestSettled(_, .done): return false
    case .childrenLeft:
      guard hasUnheardEnd else { return false }
      try await coordinator.refused(ChildRequests.unknownEnd)
    case .lifecycle(let moment):
      lastMoment = moment
      await coordinator.lifecycle(moment)
    case .timer(let name): try await coordinator.timer(name)
    case .undelivered(let refusal): throw refusal
    }
    return true
  }

  private func handle(_ act: Command.Act) async throws {
    let action = try ScreenActs.action(act, on: shown)
    guard case .tap(let row) = action, shown.row(row)?.traits?.contains(.highlightable) == true else {
      return try await coordinator.handle(action)
    }
    await list.highlight(row)
    do {
      try await coordinator.handle(action)
    } catch {
      await list.highlight(nil)
      throw error
    }
    await list.highlight(nil)
  }

  /// Tells the coordinator which of its rows came into view or left it, in a turn of its own.
  nonisolated func display(_ rows: [ListDisplay]) {
    Task { await perform { [coordinator] in for row in rows { try await coordinator.display(row) } } }
  }

  /// Says of a screen that leaves while it is seen what it says of any other that goes out of view (K5): its host is told to end it, and
  /// of nothing else.
  func disappear() async {
    switch lastMoment {
    case .willAppear, .didAppear:
      await coordinator.lifecycle(.willDisappear)
      await coordinator.lifecycle(.didDisappear)
    case .willDisappear: await coordinator.lifecycle(.didDisappear)
    case .didDisappear, nil: break
    }
  }
}
