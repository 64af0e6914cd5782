/// Links that wait for a screen to end (R4): a continuation in the state, without a lock, with its own deadline.
struct Waiting: Hashable, Sendable, Codable {
  /// One plan.
  struct Item: Hashable, Sendable, Codable {
    let report: PlanReport
    /// The number under which what was given with the link is kept (P4).
    var seal: Seal?
    /// The number under which the link's own text is kept, when the report does not show it.
    var linkSeal: Seal?
    /// Whether the awaited screen has ended with its result.
    var isDue = false
    /// Whether the outside was asked to resolve the link again.
    var isAsked = false
    /// When the outside is asked at the latest, once it is due; `nil` while somebody is waited for whose host is lost.
    var latest: SceneTime?
    /// What the awaited screen's end has led to and is not over yet: messages to be handled, and requests by their own numbers.
    var told: [UnhandledInput]?
    var wishes: [UInt64]?

    /// The moment that has to be asked for.
    var alarm: SceneTime? { isDue && !isAsked ? latest : nil }
  }

  var items: [Item] = []
  var next: UInt32 = 1
}

extension SceneState {
  /// How long a plan waits, in milliseconds of scene time.
  static let planPatience: UInt64 = 600_000

  /// The plans that wait, the oldest first.
  package var plans: [PlanReport] { waiting?.items.map(\.report) ?? [] }

  /// Takes note of what following a link has come to: it waits, or an earlier plan has gone on.
  ///
  /// Returns the plan that waits from now on.
  mutating func note(_ following: Following, of command: Command, seq: UInt64, _ outcome: Outcome) -> PlanReport? {
    if let plan = following.plan { endPlan(plan, .followed) }
    guard following.waits, outcome.shortfall == nil, let awaited = outcome.screen, let node = nodes[awaited] else { return nil }
    var waiting = self.waiting ?? Waiting()
    let report = PlanReport(
      id: PlanID(waiting.next), link: following.link, context: following.context, resets: following.resets,
      keepsPrefix: following.keepsPrefix, awaited: awaited, module: node.module.name, caller: command.caller, seq: seq,
      deadline: now.advanced(by: Self.planPatience))
    waiting.next += 1
    waiting.items.append(Waiting.Item(report: report, seal: following.seal, linkSeal: following.linkSeal))
    self.waiting = waiting
    emit(.plan(report, .waiting))
    return report
  }

  /// A newer link replaces what waits; said before it takes the awaited screens away.
  mutating func supersedePlans(by request: Request) {
    guard waiting != nil, case .follow(let following) = request.command.action, following.plan == nil else { return }
    for plan in plans { endPlan(plan.id, .ended(Refusal(code: .routeSuperseded, message: "superseded by #\(request.seq)"))) }
  }

  /// A screen has left: plans that waited for it are due if it had a result, else they end.
  mutating func notePlans(of left: ScreenID, _ reason: RemovalReason) {
    for item in waiting?.items ?? [] where item.report.awaited == left && !item.isDue {
      if reason == .finished {
        guard let index = waiting?.items.firstIndex(where: { $0.report.id == item.report.id }) else { continue }
        waiting?.items[index].isDue = true
        emit(.plan(item.report, .due))
      } else {
        let text = "\(left) \(item.report.module) left without a result (\(reason.rawValue))"
        endPlan(item.report.id, .ended(Refusal(code: .routeFailed, message: text)))
      }
    }
  }

  /// Asks for the links of plans that are due, once nothing changes the tree and all that the awaited screen's end has led to is done:
  /// whoever heard of it may be about to show what the link leads into. Others may be busy, and nobody is waited for without end.
  ///
  /// Linear in the plans and what is under way because of them.
  mutating func askForDuePlans() {
    for index in waiting?.items.indices ?? 0..<0 {
      guard var item = waiting?.items[index], item.isDue, !item.isAsked else { continue }
      item.told?.removeAll { !isToHandle($0) }
      item.wishes?.removeAll { ticket in !pending.contains { $0.ticket == ticket } }
      // How long somebody may be lost is the lease's to say (K3); there again, it has the whole time.
      let isAnyoneLost = item.told?.contains { nodes[$0.screen]?.isSuspended ?? false } ?? false
      item.latest = isAnyoneLost ? nil : item.latest ?? now.advanced(by: UInt64(settings.request))
      let isUnderWay =
        item.told?.isEmpty == false
        || pending.contains { request in
          if case .acting? = request.work?.stage { item.wishes?.contains(request.ticket) ?? false } else { true }
        }
      item.isAsked = !isUnderWay || item.latest.map { $0 <= now } ?? false
      waiting?.items[index] = item
      if item.isAsked { effects.append(.resolve(item.report)) }
    }
  }

  /// Whether a message that no turn has handled may still be.
  private func isToHandle(_ input: UnhandledInput) -> Bool { nodes[input.screen]?.isBusy ?? false }

  // MARK: What the end of an awaited screen leads to

  /// What follows belongs to the plans that wait for this screen's result.
  mutating func addCauses(endOf id: ScreenID) {
    for item in waiting?.items ?? [] where item.report.awaited == id && !item.isDue { causes.insert(item.report.id) }
  }

  /// What follows belongs to the plans to which a request belongs.
  mutating func addCauses(of ticket: UInt64) {
    for item in waiting?.items ?? [] where !item.isAsked && item.wishes?.contains(ticket) ?? false { causes.insert(item.report.id) }
  }

  /// A message is handled: what follows belongs to the plans to which it belongs.
  mutating func addCauses(handling input: UnhandledInput) {
    for index in waiting?.items.indices ?? 0..<0 {
      guard var item = waiting?.items[index], !item.isAsked, item.told?.contains(input) ?? false else { continue }
      item.told?.removeAll { $0 == input }
      waiting?.items[index] = item
      causes.insert(item.report.id)
    }
  }

  /// Notes a message, or a request, that follows from the end of a screen that plans await.
  mutating func noteConsequence(_ input: UnhandledInput? = nil, wish: UInt64? = nil) {
    for index in waiting?.items.indices ?? 0..<0 {
      guard var item = waiting?.items[index], !item.isAsked, causes.contains(item.report.id) else { continue }
      if let input { item.told = (item.told ?? []) + [input] }
      if let wish { item.wishes = (item.wishes ?? []) + [wish] }
      waiting?.items[index] = item
    }
  }

  /// Ends the plans whose deadline has come.
  mutating func expirePlans() {
    for plan in plans where plan.deadline <= now {
      let text = "\(plan.module) had no result in time; follow the link again"
      endPlan(plan.id, .ended(Refusal(code: .routeExpired, message: text)))
    }
  }

  /// Ends a plan for a caller, or for whoever could not resolve its link again.
  mutating func endPlan(_ id: PlanID, _ why: Refusal?, for command: Command, at time: SceneTime) throws(Refusal) {
    try requireWaiting(id)
    record(at: time)
    endPlan(id, .ended(why ?? Refusal(code: .navCancelled, message: "cancelled at #\(seq)")))
    answerNow(command, Outcome(verb: command.action.verb, changed: true))
  }

  /// Refuses what is about a plan that does not wait: it was followed, has ended, or never was.
  func requireWaiting(_ id: PlanID) throws(Refusal) {
    guard !plans.contains(where: { $0.id == id }) else { return }
    let known = plans.map(\.id.description).joined(separator: " ")
    throw Refusal(code: .routeNoPlan, message: "no plan \(id) waits" + (known.isEmpty ? "" : "; there are: \(known)"))
  }

  /// A link that was to be followed for a plan could not be: the plan is over.
  mutating func notePlanFailure(_ following: Following, _ refusal: Refusal) {
    if let plan = following.plan { endPlan(plan, .ended(refusal)) }
  }

  /// Ends a plan, if it is there.
  mutating func endPlan(_ id: PlanID, _ stage: PlanStage) {
    guard let index = waiting?.items.firstIndex(where: { $0.report.id == id }) else { return }
    guard let item = waiting?.items.remove(at: index) else { return }
    emit(.plan(item.report, stage))
  }
}
