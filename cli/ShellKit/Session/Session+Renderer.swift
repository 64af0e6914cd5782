import CommandKit
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

extension Session {
  /// Kills a process and tells which screens wait for it to be back, or for another host (P2).
  func kill(_ process: String) async throws -> [String] {
    let held = Set(await refresh()?.tree.screens.filter { $0.host == process && !$0.isSuspended }.map(\.id) ?? [])
    var lines = try await target.lab(.kill(process: process))
    guard !held.isEmpty, let first = lines.first else { return lines }
    var suspended: [String] = []
    _ = await poll(within: .seconds(2), drives: false) { () -> Bool? in
      suspended = await self.suspended(among: held)
      return suspended.count == held.count ? true : nil
    }
    if !suspended.isEmpty { lines[0] = "\(first); suspended: \(suspended.joined(separator: ", "))" }
    return lines
  }

  /// Which of these screens have been suspended since the command began, in that order.
  private func suspended(among screens: Set<ScreenID>) async -> [String] {
    await log.since(mark).compactMap { event in
      guard case .navigation(let navigation) = event.kind, case .suspended(let screen) = navigation.kind else { return nil }
      return screens.contains(screen.screen) ? "\(screen.screen) \(Escaping.visible(screen.module))" : nil
    }
  }
}

/// The session as its scene's primary renderer (N6, N15).
extension Session {
  /// Attaches as the primary renderer with a pace, changes the pace, or leaves.
  func render(_ pace: ShellRenderer.Pace) async throws -> [String] {
    let old = renderer.pace
    if pace == .off {
      if old != .off { try await target.render(.lost(renderer: rendererName)) }
      renderer.reset()
      return [ReplyText.headed("ok", "nobody shows the scene; transitions settle at once")]
    }
    // Events may come before the answer: the pace is known by then.
    renderer.change(to: pace)
    if old == .off {
      do { try await target.render(.attached(renderer: rendererName, takesOver: false)) } catch {
        renderer.reset()
        throw error
      }
    }
    let how =
      switch pace {
      case .off, .instant: "at once"
      case .hold: "on ack; without one a transition settles by itself after its deadline, a second"
      case .after(let span): "after \(DurationText.describe(span))"
      }
    return [ReplyText.headed("ok", "this shell shows the scene and acknowledges \(how)")]
  }

  /// Acknowledges the transition of a request, or the oldest that is held.
  func acknowledge(request seq: UInt64?) async throws -> [String] {
    // What was just asked for may still be on its way here.
    let transition = await poll(within: renderer.pace == .off ? .zero : .milliseconds(500), drives: false) { self.takeShown(seq) }
    guard let transition else {
      let shown = renderer.shown.map { "#\($0.transition.seq)" }.joined(separator: " ")
      let hint =
        renderer.pace == .off
        ? "render hold makes this shell the renderer"
        : shown.isEmpty
          ? "none is under way: one that nobody acknowledges settles by itself after a second" : "there is \(shown)"
      throw MinervaError(.rendererIdle, "no transition\(seq.map { " of #\($0)" } ?? "") waits for ack; \(hint)")
    }
    try await acknowledge(transition)
    await refresh()
    return [ReplyText.headed("ok", "acknowledged #\(transition.seq) (\(Escaping.visible(transition.verb)))")]
  }

  private func takeShown(_ seq: UInt64?) -> Transition? { renderer.take(seq) }

  func acknowledge(_ transition: Transition) async throws(MinervaError) {
    try await target.render(.acknowledged(renderer: rendererName, transition: transition.number))
  }

  /// Hears an event before anybody else does.
  func hear(_ event: SceneEvent) async {
    guard renderer.pace != .off, event.scene == lastLook?.scene else { return }
    if event.epoch > rendererEpoch, rendererEpoch > 0 {
      // A broker that was started again knows us by name alone.
      Task { try? await target.render(.attached(renderer: rendererName, takesOver: false)) }
    }
    rendererEpoch = max(rendererEpoch, event.epoch)
    switch event.kind {
    case .transition(let transition):
      if let transition = renderer.begin(transition, at: event.at) { return later { try? await self.acknowledge(transition) } }
      if case .after(let span) = renderer.pace, !isVirtual {
        let clock = clock
        later {
          try? await clock.sleep(span)
          await self.acknowledgeInTime(transition)
        }
      }
    case .navigation(let event):
      switch event.kind {
      case .settled(let request, _), .refused(let request, _): renderer.settle(request.seq)
      default: break
      }
    default: break
    }
  }

  /// On the machine's clock: acknowledges what is still shown.
  private func acknowledgeInTime(_ transition: Transition) async {
    guard renderer.take(transition.seq) != nil else { return }
    try? await acknowledge(transition)
  }

  private func later(_ body: @escaping @Sendable () async -> Void) { Task { await body() } }
}
