import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// Turns on their way to the broker.
extension Mailbox {
  /// What became of a turn.
  private enum Reception {
    case taken
    /// Its contents were refused, and it was taken without them.
    case emptied
    /// The coordinator is over.
    case ended
  }

  /// Reports the turn that ends, whole, and then what the screen shows.
  ///
  /// What is drawn is part of the turn: one whose screen cannot be drawn fails as one whose handler threw, and nothing of it happens.
  func reportTurn(failure: (any Error)?, renders: Bool) async {
    var failure = failure
    var newState: [UInt8]?
    var update: ListUpdate?
    if failure == nil {
      do {
        let encoded = try await coordinator.state()
        if encoded != state { newState = encoded }
        if renders { update = try await drawn() }
      } catch {
        (failure, newState) = (error, nil)
      }
    }
    let contents = buffer.take(failed: failure != nil)
    if let failure {
      if !(failure is MinervaError || failure is Refusal) { link.note("\(screen) threw: \(failure)") }
      for token in contents.dropped { refuse(token, Refusal(failure)) }
      await takeBack()
      if renders { update = try? await drawn() }
    }
    // What is waited for is said in any case.
    if isAwaited, update == nil { update = try? ListUpdate(.none) }
    if let drawn = update { update = isOver ? nil : await changed(drawn) }
    var shownState = newState ?? state
    let needsRecord = current != nil || !contents.isEmpty || newState != nil
    if needsRecord {
      if update != nil { await list.announce() }
      let reception = await submit(contents, state: newState, failure: failure, rendering: update != nil)
      if case .emptied = reception {
        shownState = state
        if update != nil, let again = try? await self.drawn() {
          shown = again.screen
          update = again
        }
      }
    }
    guard let update, !isOver else { return }
    if let earlier {
      self.earlier = nil
      await list.goOn(from: earlier.shown, drawn: await earlier.rows(or: update))
    }
    let isAwaited = isAwaited
    self.isAwaited = false
    await list.enqueue(update, state: shownState, answersTurn: needsRecord || isAwaited)
  }

  /// What the screen shows now.
  private func drawn() async throws -> ListUpdate {
    do {
      return try ListUpdate(try await coordinator.screen())
    } catch let error as MinervaError {
      if error.code == .listDuplicateID { link.note("\(screen) keeps what it shows: \(error)") }
      throw error
    }
  }

  /// Gives the coordinator the state of its last turn again.
  private func takeBack() async {
    guard let state else { return }
    do { try await coordinator.restore(state) } catch { link.note("\(screen) could not take its state back: \(type(of: error))") }
  }

  /// What the screen shows now, if that is not what it showed before.
  private func changed(_ update: ListUpdate) async -> ListUpdate? {
    shown = update.screen
    if !hasShown {
      guard isAwaited || !update.isEmpty else { return nil }
      hasShown = true
      return update
    }
    return await list.isNews(update) ? update : nil
  }

  private func submit(
    _ contents: TurnBuffer.Contents, state newState: [UInt8]?, failure: (any Error)?, rendering: Bool
  ) async -> Reception {
    let number = nextTurn
    nextTurn += 1
    // Of quiet requests only a refusal is heard, and it needs no one who waits.
    for (index, entry) in contents.requests.enumerated() where !entry.request.quiet {
      requests.expect(RequestKey(screen: screen, turn: number, index: UInt32(index)), for: entry.token)
    }
    let report = TurnReport(
      screen: screen, lease: lease, number: number, handled: current, state: newState, vetoes: contents.vetoes,
      outputs: contents.outputs, requests: contents.requests.map(\.request), ending: contents.ending,
      reply: failure.map { .refused(Refusal($0)) } ?? .done, wakes: contents.wakes.isEmpty ? nil : contents.wakes)
    defer { current = nil }
    do {
      var reception = Reception.taken
      if let refusal = try await submit(report, rendering: rendering, isFirst: number == firstTurn).refusal {
        guard await empties(report, contents, refusal, rendering: rendering) else { return .ended }
        reception = .emptied
      } else if let newState {
        state = newState
      }
      if let current { handled = current }
      return reception
    } catch {
      await end()
      return .ended
    }
  }

  /// A turn was refused for what it holds: it is reported again with that as its answer and nothing else, as one whose handler threw.
  /// When not even that is taken the module ends.
  ///
  /// - Returns: Whether the coordinator goes on.
  private func empties(_ report: TurnReport, _ contents: TurnBuffer.Contents, _ refusal: Refusal, rendering: Bool) async -> Bool {
    guard !Self.isGone(refusal) else {
      link.note("\(screen) ends here: \(refusal)")
      await end()
      return false
    }
    link.note("\(screen) turn \(report.number) is taken back: \(refusal)")
    var report = TurnReport(
      screen: screen, lease: lease, number: report.number, handled: report.handled, reply: .refused(refusal))
    for (index, entry) in contents.requests.enumerated() {
      requests.forget(RequestKey(screen: screen, turn: report.number, index: UInt32(index)))
      refuse(entry.token, refusal)
    }
    buffer.goesOn()
    await takeBack()
    for ending in [ModuleEnding.none, .cancel] {
      report.ending = ending
      guard let receipt = try? await submit(report, rendering: rendering, isFirst: false) else { break }
      if receipt.refusal == nil { return true }
    }
    await end()
    return false
  }

  /// Whether a refusal says that the screen is gone, or another's.
  private static func isGone(_ refusal: Refusal) -> Bool {
    let codes: [MinervaError.Code] = [.staleRef, .staleEpoch, "scene.ended", "nav.turn_gap"]
    return codes.contains { $0.rawValue == refusal.code }
  }

  /// Submits a report. A first turn may overtake the verdict that lets its coordinator speak, so it is tried a few times.
  private func submit(_ report: TurnReport, rendering: Bool, isFirst: Bool) async throws -> TurnReceipt {
    let submission = TurnSubmission(scene: scene, report: report, rendering: rendering)
    var receipt = try await link.submit(submission)
    for attempt in 1...8 where isFirst && receipt.refusal?.code == MinervaError.Code.staleEpoch.rawValue {
      try await Task.sleep(for: .milliseconds(5 << attempt))
      receipt = try await link.submit(submission)
    }
    return receipt
  }
}
