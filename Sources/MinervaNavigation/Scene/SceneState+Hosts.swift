/// Hosts that are lost and come back (K3).
extension SceneState {
  /// A host is gone: its coordinators wait for the lease; what was to be presented is made again, once, or rolled back.
  mutating func takeLoss(of host: String, at time: SceneTime) {
    let touched = nodes.all.indices.filter { isLost(nodes.all[$0], with: host) }
    if touched.isEmpty { return }
    record(at: time)
    suspend(touched, of: host)
  }

  /// Whether a coordinator is lost with a host.
  func isLost(_ node: Node, with host: String) -> Bool {
    node.link == .resuming(host) || (node.isLinked && node.host == host)
  }

  /// Lets the coordinators of a lost host, by their places, wait for the lease, and what is not yet presented be made again.
  mutating func suspend(_ touched: [Int], of host: String) {
    var connecting: [ScreenID] = []
    let until = now.advanced(by: UInt64(settings.lease))
    for index in touched {
      if nodes.all[index].phase == .connecting {
        connecting.append(nodes.all[index].id)
        continue
      }
      let wasLinked = nodes.all[index].isLinked
      nodes.update(at: index) { node in
        node.link = .suspended
        // One that was being made again keeps the lease of the loss before: what kills its host each time is not tried for ever.
        if wasLinked { node.lostUntil = until }
      }
      if wasLinked { emit(.suspended(summary(nodes.all[index]))) }
    }
    note(LostHost(host: host, until: until))
    for id in connecting {
      guard let node = nodes[id], let index = pending.firstIndex(where: { $0.ticket == node.ticket }) else { continue }
      var request = pending.remove(at: index)
      if canTryAgain(node), var work = request.work, case .linking(let missing, let until) = work.stage {
        work.stage = .linking(missing: missing + 1, until: until)
        connectAgain(id, txn: request.command.txn, until: until)
        request.status = .running(work)
        pending.insert(request, at: index)
        continue
      }
      let refusal = Refusal(
        code: .hostLost, message: "\(host) died before \(id) \(node.module.name) was presented; rolled back, try again")
      if let work = request.work { rollBack(request, work, .hostLost, refusal) }
    }
    unclaimAgain()
    forgetEmptyLosses()
  }

  /// After a restart nobody has come for what a host ran: it stays as placeholders, and is made again when somebody offers it (P2).
  mutating func leaveUnclaimed(by host: String, at time: SceneTime) {
    let left = nodes.all.filter { $0.host == host && $0.link == .suspended }.map(\.id)
    if left.isEmpty { return }
    record(at: time)
    for id in left { unclaim(id) }
    forgetEmptyLosses()
  }

  /// Makes a placeholder of a screen. Who waits for it is answered; what it was told waits for whoever makes it again.
  private mutating func unclaim(_ id: ScreenID) {
    _ = nodes.update(id) { node in
      node.link = .unclaimed
      node.wasUnclaimed = true
      node.lostUntil = nil
    }
    emit(.unclaimed(summary(id)))
    while let index = pending.firstIndex(where: { if case .acting(id, _)? = $0.work?.stage { true } else { false } }) {
      refuse(pending.remove(at: index), unclaimed(id))
    }
  }

  /// The refusal for what is asked of a placeholder.
  func unclaimed(_ id: ScreenID) -> Refusal {
    let module = summary(id).module
    return Refusal(
      code: .linkNoEndpoint,
      message: "no host has made \(id) \(module) again since the restart, so it is a placeholder; start a host that offers it, or close it")
  }

  /// Makes placeholders of those again that somebody wanted to take over, and could not.
  private mutating func unclaimAgain() {
    for node in nodes.all where node.link == .suspended && node.wasUnclaimed == true { unclaim(node.id) }
  }

  /// A host is there again, with its coordinators or ready to make them again.
  mutating func take(_ report: HostReturn, at time: SceneTime) {
    var isRecorded = false
    func recordOnce(_ state: inout SceneState) {
      if !isRecorded { state.record(at: time) }
      isRecorded = true
    }
    if let lost = report.lost {
      let touched = nodes.all.indices.filter { lost.contains(nodes.all[$0].id) && isLost(nodes.all[$0], with: report.host) }
      if !touched.isEmpty {
        recordOnce(&self)
        suspend(touched, of: report.host)
      }
    }
    if report.kept || report.keeping != nil {
      for index in nodes.all.indices where nodes.all[index].host == report.host {
        guard report.kept || report.keeping?.contains(nodes.all[index].id) == true else { continue }
        switch nodes.all[index].link {
        case .suspended, .unclaimed:
          recordOnce(&self)
          nodes.update(at: index) { node in
            node.link = .linked
            node.wasUnclaimed = nil
            node.lostUntil = nil
          }
          emit(.resumed(summary(nodes.all[index]), kept: true))
          redeliver(nodes.all[index].id)
        case .resuming:
          let node = nodes.all[index]
          let stale = Departure(
            screen: node.id, module: node.module.name, host: node.host, lease: node.lease - 1, reason: .hostLost)
          effects.append(.end(stale))
        default: break
        }
      }
    }
    for id in report.resuming {
      guard let index = nodes.index(of: id), [.suspended, .unclaimed].contains(nodes.all[index].link),
        nodes.all[index].lease < Self.lastNumber
      else { continue }
      recordOnce(&self)
      for refused in report.refusing ?? [] where refused.screen == id { refuse(refused) }
      nodes.update(at: index) { node in
        // A placeholder's host has long been given up: it waits for this one.
        if node.link == .unclaimed { node.lostUntil = now.advanced(by: UInt64(settings.lease)) }
        node.link = .resuming(report.host)
        node.lease += 1
      }
      if nodes.all[index].wasUnclaimed == true, let until = nodes.all[index].lostUntil {
        note(LostHost(host: nodes.all[index].host, until: until))
      }
      effects.append(.resume(resumption(of: nodes.all[index], on: report.host)))
    }
    for id in report.awaited?.screens ?? [] {
      guard let until = report.awaited?.until, let index = nodes.index(of: id) else { continue }
      guard nodes.all[index].link == .resuming(report.host), until > nodes.all[index].lostUntil ?? .zero else { continue }
      recordOnce(&self)
      nodes.update(at: index) { $0.lostUntil = until }
      note(LostHost(host: nodes.all[index].host, until: until))
    }
    if isRecorded { forgetEmptyLosses() }
  }

  /// What a host needs to make a coordinator again.
  func resumption(of node: Node, on host: String) -> Resumption {
    Resumption(
      screen: node.id, lease: node.lease, module: node.module, host: host, input: node.input, seal: node.seal, state: node.state,
      nextTurn: node.turns + 1, parent: node.parent, children: children(of: node.id).map(summary),
      deadline: lostHosts.first { $0.concerns(node) }?.until ?? now.advanced(by: UInt64(settings.link)),
      gates: heldGates(of: node.id))
  }

  /// A host has made a coordinator again, or could not.
  mutating func takeResumption(_ report: LinkReport, of node: Node, at time: SceneTime) {
    record(at: time)
    switch report.verdict {
    case .accepted(let acceptance):
      if acceptance.wantsLifecycle != node.wantsLifecycle { lifecycleListeners += acceptance.wantsLifecycle ? 1 : -1 }
      _ = nodes.update(node.id) { node in
        node.link = .linked
        node.wasUnclaimed = nil
        node.lostUntil = nil
        node.host = acceptance.host
        node.vetoes = acceptance.vetoes
        node.transitions = acceptance.transitions
        node.wantsLifecycle = acceptance.wantsLifecycle
      }
      emit(.resumed(summary(node.id), kept: false))
      redeliver(node.id)
    case .lost:
      _ = nodes.update(node.id) { $0.link = .suspended }
      unclaimAgain()
    case .refused(let refusal) where refusal.code == Seal.lost: forsake(node.id, refusal)
    case .refused:
      _ = nodes.update(node.id) { node in
        node.link = .suspended
        node.wasUnclaimed = nil
      }
      evict([node.id])
    }
    forgetEmptyLosses()
  }

  /// Leaves a screen as a placeholder: nobody can make it again (P4). What it was told goes with its coordinator.
  private mutating func forsake(_ id: ScreenID, _ refusal: Refusal) {
    _ = nodes.update(id) { node in
      node.link = .needsInput
      node.host = ""
      node.outbox = []
    }
    emit(.needsInput(summary(id)))
    while let index = pending.firstIndex(where: { if case .acting(id, _)? = $0.work?.stage { true } else { false } }) {
      refuse(pending.remove(at: index), refusal)
    }
  }

  /// Removes the screens of a lost host for good.
  mutating func evict(_ ids: [ScreenID]) {
    let command = Command(
      txn: "lost.\(seq)", caller: "core", action: .close(ids.map(ScreenRef.id)))
    submit(command, source: .core(.hostLost))
  }

  /// The leases that are over: screens leave, and what was a placeholder and could not be made again is one again.
  mutating func expireLeases() {
    while let index = lostHosts.firstIndex(where: { $0.until <= now }) {
      let lost = lostHosts.remove(at: index)
      let late = nodes.all.filter { lost.concerns($0) && $0.phase != .dismissing }
      for node in late where node.wasUnclaimed == true {
        if case .resuming(let host) = node.link {
          // Whatever it has made of it by now, or will.
          let stale = Departure(screen: node.id, module: node.module.name, host: host, lease: node.lease, reason: .hostLost)
          effects.append(.end(stale))
        }
        unclaim(node.id)
      }
      let ids = late.filter { $0.wasUnclaimed != true }.map(\.id)
      if !ids.isEmpty { evict(ids) }
    }
  }

  /// Notes a loss, once.
  private mutating func note(_ lost: LostHost) {
    if !lostHosts.contains(lost) { lostHosts.append(lost) }
  }

  /// Forgets the losses for which no screen waits any more.
  private mutating func forgetEmptyLosses() {
    lostHosts.removeAll { lost in !nodes.all.contains(where: lost.concerns) }
  }
}
