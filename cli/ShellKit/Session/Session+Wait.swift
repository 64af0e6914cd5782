import CommandKit
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

extension Session {
  /// Waits as `wait` asks; throws `bus.deadline` when it did not come.
  ///
  /// - Parameter isBackground: Whether the prompt goes on meanwhile: then it waits until it happens, and moves no virtual time.
  func waitFor(_ wait: Wait, _ timeout: Duration?, isBackground: Bool, _ emit: @escaping Emit) async throws {
    let timeout = timeout ?? .seconds(isBackground ? 86_400 : 5)
    switch wait {
    case .job(let number):
      try await finish(job: number, within: timeout)
    case .settled:
      let settled = await poll(within: timeout, drives: !isBackground) { await self.refresh()?.isSettled == true ? true : nil }
      try Task.checkCancellation()
      guard settled != nil else {
        throw MinervaError(.deadline, "not settled within \(DurationText.describe(timeout)); status shows what is under way")
      }
      await emit([ReplyText.headed("ok", "settled")])
    case .event(let pattern):
      let found = await poll(within: timeout, drives: !isBackground) { await self.event(matching: pattern, since: self.mark) }
      try Task.checkCancellation()
      guard let found else { throw MinervaError(.deadline, "no event \(pattern) within \(DurationText.describe(timeout))") }
      await refresh()
      await emit([ReplyText.headed("ok", found.line)])
    }
  }

  /// Returns the first event since a position that a pattern means.
  func event(matching pattern: EventPattern, since position: Int) async -> EventText? {
    for event in await log.since(position) {
      let text = EventText(event)
      if text.matches(pattern) { return text }
    }
    return nil
  }

  /// Asks again after every event, and at least ten times a second, until there is an answer or the deadline passes.
  ///
  /// On a virtual clock time goes on meanwhile, from one moment at which something is due to the next, and the deadline is one of scene
  /// time; where nothing is due, as while a process is started, it is the machine's.
  /// - Parameter drives: Whether virtual time goes on at all.
  func poll<Value: Sendable>(within timeout: Duration, drives: Bool = true, _ ask: () async -> Value?) async -> Value? {
    var deadline = clock.now() + timeout
    var bound: Int64?
    while true {
      let seen = await log.end
      // Time passes only for somebody who has asked after the last event.
      let event = await log.number(of: lastLook?.scene ?? "main")
      if let value = await ask() { return value }
      if drives, isVirtual, !Task.isCancelled, timeout > .zero {
        if bound == nil {
          bound = await refresh().map { $0.at + timeout.milliseconds }
        }
        if let bound, (try? await tick(Tick(bound: bound, event: event)))?.verdict == .moved {
          deadline = clock.now() + timeout
          continue
        }
      }
      let left = deadline - clock.now()
      guard left > .zero, !Task.isCancelled else { return nil }
      let (clock, log) = (clock, log)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await log.changed(behind: seen) }
        group.addTask { try? await clock.sleep(min(left, .milliseconds(100))) }
        await group.next()
        group.cancelAll()
      }
    }
  }
}
