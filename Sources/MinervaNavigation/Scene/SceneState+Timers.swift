/// Deadlines (N15): one moment is asked for at a time, the earliest.
extension SceneState {
  /// Does what is due.
  mutating func takeTimer(at time: SceneTime) {
    guard let wake, wake <= time else { return }
    record(at: time)
    var index = 0
    while index < pending.count {
      if !expire(at: index) { index += 1 }
    }
    expireLeases()
    expirePlans()
    wakeCoordinators()
  }

  /// Ends what is due of the request at this place; returns whether the request is gone.
  private mutating func expire(at index: Int) -> Bool {
    expireJoiners(at: index)
    let request = pending[index]
    let isDue = request.deadline <= now
    guard let work = request.work else {
      if !isDue { return false }
      pending.remove(at: index)
      let refusal = Refusal(code: .timedOut, message: "timeout (#\(request.seq), still waiting); nothing changed")
      refuse(request, refusal)
      return true
    }
    switch work.stage {
    case .linking(let missing, let until):
      guard until <= now else { return false }
      pending.remove(at: index)
      let refusal =
        missing > 0
        ? Refusal(code: .linkTimeout, message: "\(doing(request)) took too long: its host did not answer; rolled back")
        : Refusal(
          code: .linkTimeout,
          message:
            "\(doing(request)) took too long: its configuration \(work.unhandled == nil ? "never came" : "was not handled"); rolled back")
      rollBack(request, work, .rolledBack, refusal)
      return true
    case .showing(_, let until):
      if until <= now {
        var work = work
        let request = pending.remove(at: index)
        isFreed = true
        settle(request, &work)
        return true
      }
      if isDue, !request.isAnswered {
        let refusal = Refusal(code: .timedOut, message: "timeout (#\(request.seq), still \(doing(request)))")
        var late = request
        answer(&late, .refused(refusal))
        pending[index] = late
      }
      return false
    case .held:
      guard isDue else { return false }
      letGo(at: index)
      return true
    case .acting(let screen, let message):
      guard isDue else { return false }
      pending.remove(at: index)
      let refusal = Refusal(
        code: .timedOut, message: "timeout (#\(request.seq), \(screen) has not handled message \(message) yet)")
      refuse(request, refusal)
      return true
    }
  }

  /// Answers those who share the request's outcome and cannot wait for it.
  private mutating func expireJoiners(at index: Int) {
    let due = pending[index].joiners.filter { $0.deadline <= now }
    if due.isEmpty { return }
    pending[index].joiners.removeAll { $0.deadline <= now }
    for joiner in due {
      if let ticket = joiner.gate { freeGates { $0.ticket == ticket } }
      let text = "timeout (#\(joiner.seq), still \(doing(pending[index])) for #\(pending[index].seq))"
      answer(joiner, .refused(Refusal(code: .timedOut, message: text)))
    }
  }

  /// Asks for the next moment, if it is another one.
  mutating func updateWake() {
    if pending.isEmpty, lostHosts.isEmpty, wake == nil, waiting == nil, wakeCalls == nil { return }
    var next: SceneTime?
    func consider(_ moment: SceneTime) {
      if moment < next ?? .never { next = moment }
    }
    for request in pending {
      for joiner in request.joiners { consider(joiner.deadline) }
      switch request.work?.stage {
      case .linking(_, let until)?: consider(until)
      case .showing(_, let until)?:
        consider(until)
        if !request.isAnswered { consider(request.deadline) }
      case .held?, .acting?, nil: consider(request.deadline)
      }
    }
    for lost in lostHosts { consider(lost.until) }
    for item in waiting?.items ?? [] {
      consider(item.report.deadline)
      if let alarm = item.alarm { consider(alarm) }
    }
    wakeCalls?.removeAll { !nodes.contains($0.screen) }
    for call in wakeCalls ?? [] { consider(call.due) }
    if next != wake {
      wake = next
      effects.append(.wake(at: next))
    }
  }
}
