package import MinervaInterfaces
package import MinervaNavigation
package import MinervaProtocol
package import MinervaWire

/// Links: from a text to hops by the routes of an app, with the answers of their owners, to a command of the scene (R1-R6).
///
/// The links of a scene are resolved one after another (R5): the tree that the next one is compared with is the one the last one made.
extension BrokerStateMachine {
  /// A caller wants a link followed, or its plan.
  ///
  /// - Parameter asked: When it did, if it has waited for the scene since: there is one deadline, and that time counts (N15).
  package mutating func follow(
    _ request: DeepLinkRequest, token: CallToken, node: String, asked: Moment? = nil, now: Moment
  ) -> [BrokerAction] {
    let asked = asked ?? now
    let deadline = asked + Int64(request.deadline ?? sceneSettings.request)
    let loading = whenLoaded(request.scene.name, token: token, until: deadline, now: now) {
      $0.follow(request, token: token, node: node, asked: asked, now: $1)
    }
    if let loading { return loading }
    var actions: [BrokerAction] = []
    count("links")
    do throws(MinervaError) {
      try Self.requireShort(["txn": request.txn, "caller": request.caller])
      let name = try open(request.scene, now: now, &actions)
      if !request.isDryRun, scenes[name]?.state.knows(request.txn) ?? false {
        // It was asked for before (N2): the answer does not depend on where the link would lead now.
        submit(Following([]), nil, of: request, token, node, in: name, until: deadline, since: asked, now: now, &actions)
        return actions
      }
      let reason = DeepLinkJourney.Reason.request(request, token, node: node)
      let journey = try journey(request.link, request.context, in: name, reason, from: asked, deadline: deadline)
      begin(journey, now: now, &actions)
    } catch {
      actions.append(.answer(token, .refused(error)))
    }
    return actions
  }

  /// The links of every app, sorted by app.
  package var routeListings: [RouteListing] {
    registry.apps.compactMap { app in
      registry.links(of: app).map { RouteListing(app: app, scope: $0.scope, routes: $0.table.all) }
    }
  }

  /// A plan is due: its link is followed again (R4). While no host of the app can be asked it waits.
  mutating func resolve(_ plan: PlanReport, in scene: String, now: Moment, _ actions: inout [BrokerAction]) {
    let isKnown = journeys[scene]?.contains { journey in
      if case .plan(let other) = journey.reason { other.id == plan.id } else { false }
    }
    guard isKnown != true, let app = scenes[scene]?.identity.app, isWaiting(plan, in: scene) else { return }
    guard registry.links(of: app) != nil, registry.hasGreeted(app) else { return park(plan, in: scene) }
    var plan = plan
    do throws(MinervaError) {
      var link = Array(plan.link.utf8)
      guard opened(&plan.context, scenes[scene]?.state.seal(of: plan.id), of: scene),
        opened(&link, scenes[scene]?.state.linkSeal(of: plan.id), of: scene)
      else { throw Self.linkLost(plan) }
      begin(
        try journey(
          String(decoding: link, as: UTF8.self), plan.context, in: scene, .plan(plan), from: now,
          deadline: now + Int64(sceneSettings.request)), now: now,
        &actions)
    } catch {
      end(plan, Refusal(error), in: scene, now: now, &actions)
    }
  }

  /// Ends the plans whose links, or what was given with them, an earlier life of this broker took along: they lead nowhere, and whoever
  /// followed them need not find that out from the screen that they wait for (R4, P4).
  mutating func endLostPlans(of slot: SceneSlot, now: Moment, _ actions: inout [BrokerAction]) {
    let scene = slot.identity.name
    for plan in slot.state.plans {
      let seals = [slot.state.seal(of: plan.id), slot.state.linkSeal(of: plan.id)].compactMap { $0 }
      if seals.contains(where: { vaults[scene]?[$0] == nil }) { end(plan, Refusal(Self.linkLost(plan)), in: scene, now: now, &actions) }
    }
  }

  private static func linkLost(_ plan: PlanReport) -> MinervaError {
    MinervaError(
      .inputLost,
      "\(plan.link) held a secret, which was lost with a restart of the broker while it waited for \(plan.module); follow it again")
  }

  /// A host of the app is there: plans that waited for one go on.
  mutating func resolveDuePlans(of app: String, now: Moment, _ actions: inout [BrokerAction]) {
    for scene in duePlans.keys.sorted() where scenes[scene]?.identity.app == app {
      for plan in duePlans.removeValue(forKey: scene) ?? [] { resolve(plan, in: scene, now: now, &actions) }
    }
  }

  /// Asks again for plans whose owners did not answer.
  mutating func retryPlans(now: Moment, _ actions: inout [BrokerAction]) {
    guard let moment = planRetry, moment <= now else { return }
    planRetry = nil
    for scene in duePlans.keys.sorted() {
      for plan in duePlans.removeValue(forKey: scene) ?? [] { resolve(plan, in: scene, now: now, &actions) }
    }
  }

  /// Has a plan wait until a host can be asked.
  private mutating func park(_ plan: PlanReport, in scene: String) {
    if duePlans[scene]?.contains(where: { $0.id == plan.id }) != true { duePlans[scene, default: []].append(plan) }
  }

  /// Whether a plan has not ended yet: one that was cancelled, or whose time is over, is not followed (R4).
  private func isWaiting(_ plan: PlanReport, in scene: String) -> Bool {
    scenes[scene]?.state.plans.contains { $0.id == plan.id } ?? false
  }

  /// A plan is over: nobody is asked for it any more.
  mutating func drop(_ plan: PlanID, in scene: String, now: Moment, _ actions: inout [BrokerAction]) {
    duePlans[scene]?.removeAll { $0.id == plan }
    if duePlans[scene]?.isEmpty ?? false { duePlans[scene] = nil }
    let place = journeys[scene]?.firstIndex { journey in
      if case .plan(let other) = journey.reason { other.id == plan } else { false }
    }
    guard let place else { return }
    journeys[scene]?.remove(at: place)
    if place == 0 { goOn(scene, now: now, &actions) }
  }

  /// An owner has answered for a route, or could not.
  package mutating func decided(
    _ scene: String, _ question: RouteQuestion, _ decision: Result<RouteDecision, MinervaError>, now: Moment
  ) -> [BrokerAction] {
    var actions: [BrokerAction] = []
    guard journeys[scene]?.first?.asked == question else { return [] }
    switch decision {
    case .success(let decision):
      journeys[scene]?[0].asked = nil
      journeys[scene]?[0].decisions[question] = decision
      advance(scene, now: now, &actions)
    case .failure(let error): finish(scene, .failure(error), isForLater: error.retryable, now: now, &actions)
    }
    return actions
  }

  // MARK: One link

  private func journey(
    _ link: String, _ context: [UInt8], in scene: String, _ reason: DeepLinkJourney.Reason, from began: Moment, deadline: Moment
  ) throws(MinervaError) -> DeepLinkJourney {
    let url: DeepLinkURL
    do throws(Refusal) { url = try DeepLinkURL(link) } catch { throw MinervaError(error) }
    var given: JSONValue?
    if !context.isEmpty {
      do throws(JSONError) { given = try JSONValue(parsing: context) } catch { throw .invalid(.inputInvalid, error, under: "context") }
      guard case .object? = given else { throw MinervaError(.inputInvalid, "the context of a link is a JSON object") }
    }
    return DeepLinkJourney(scene: scene, reason: reason, link: url, context: given, began: began, deadline: deadline)
  }

  private mutating func begin(_ journey: DeepLinkJourney, now: Moment, _ actions: inout [BrokerAction]) {
    let waiting = journeys[journey.scene]?.count ?? 0
    guard waiting < 256 else {
      switch journey.reason {
      case .request(_, let token, _):
        actions.append(
          .answer(token, .refused(MinervaError(.backpressure, "\(waiting) links of this scene wait already; try again later"))))
      case .plan(let plan): duePlans[journey.scene, default: []].append(plan)
      }
      return
    }
    journeys[journey.scene, default: []].append(journey)
    if waiting == 0 { advance(journey.scene, now: now, &actions) }
  }

  /// Follows the first link of a scene as far as its routes and the answers of their owners lead.
  private mutating func advance(_ scene: String, now: Moment, _ actions: inout [BrokerAction]) {
    guard let journey = journeys[scene]?.first, let slot = scenes[scene] else { return }
    let app = slot.identity.app
    guard now <= journey.deadline else {
      return finish(scene, .failure(journey.lateness), isForLater: true, now: now, &actions)
    }
    guard let links = registry.links(of: app) else {
      let error = MinervaError(.routeNoMatch, "\(app) has no links; its host names none")
      return finish(scene, .failure(error), isForLater: true, now: now, &actions)
    }
    let names: Set<String> = if case .object(let object)? = journey.context { Set(object.members.map(\.key)) } else { [] }
    do throws(Refusal) {
      let trace = try links.table.trace(
        journey.link, from: slot.state.rootModule, context: names, decisions: journey.decisions, keepsPrefix: journey.keepsPrefix)
      if let question = trace.question {
        guard journey.decisions.count < DeepLinkJourney.questions else {
          throw Refusal(code: .routeFailed, message: "\(journey.link.text) asks more than \(DeepLinkJourney.questions) owners")
        }
        ask(question, of: app, journey, slot.identity, now: now, &actions)
      } else {
        finish(scene, .success(trace), now: now, &actions)
      }
    } catch {
      finish(scene, .failure(MinervaError(error)), now: now, &actions)
    }
  }

  private mutating func ask(
    _ question: RouteQuestion, of app: String, _ journey: DeepLinkJourney, _ identity: SceneIdentity, now: Moment,
    _ actions: inout [BrokerAction]
  ) {
    do throws(MinervaError) {
      let host = try registry.host(for: question.module, of: app, pin: nil)
      journeys[journey.scene]?[0].asked = question
      let left = min(DeepLinkJourney.patience, max(1, journey.deadline - now))
      actions.append(
        .inquire(host: host, RouteInquiry(scene: identity, question: question, context: journey.contextBytes), within: left))
    } catch {
      finish(journey.scene, .failure(error), isForLater: true, now: now, &actions)
    }
  }

  /// The first link of a scene is resolved, or cannot be; the next one is looked at.
  ///
  /// - Parameter isForLater: Whether it failed for want of an answer: a plan waits for a host that gives one (R4), a caller does not.
  private mutating func finish(
    _ scene: String, _ result: Result<RouteTrace, MinervaError>, isForLater: Bool = false, now: Moment, _ actions: inout [BrokerAction]
  ) {
    guard let journey = journeys[scene]?.removeFirst() else { return }
    defer {
      goOn(scene, now: now, &actions)
      if case .plan(let plan) = journey.reason, isForLater, isWaiting(plan, in: scene) { wait(with: plan, in: scene, now: now) }
    }
    switch (journey.reason, result) {
    case (.request(let request, let token, let node), .success(let trace)):
      let following = following(trace, journey, in: scene)
      if request.isDryRun {
        preview(following, trace, token, in: scene, now: now, &actions)
      } else {
        submit(
          following, trace, of: request, token, node, in: scene, until: journey.deadline, since: journey.began, now: now, &actions)
      }
    case (.plan, .failure) where isForLater: break
    case (_, .failure(let error)): fail(journey, error, now: now, &actions)
    case (.plan(let plan), .success) where !isWaiting(plan, in: scene): break
    case (.plan(let plan), .success(let trace)):
      let action: Command.Action
      do throws(MinervaError) {
        action = try recorded(following(trace, journey, in: scene), of: journey.link, trace, in: scene)
      } catch {
        end(plan, Refusal(error), in: scene, now: now, &actions)
        break
      }
      let command = Command(
        txn: "\(Self.own)\(plan.id).\(scenes[scene]?.state.seq ?? 0)", caller: plan.caller,
        action: action)
      feed(.command(command), to: scene, now: now, &actions)
    }
  }

  /// Has a plan wait whose owner did not answer: for a host that joins, for the loss of the one that is silent, or a moment.
  private mutating func wait(with plan: PlanReport, in scene: String, now: Moment) {
    park(plan, in: scene)
    planRetry = planRetry ?? now + DeepLinkJourney.patience
  }

  /// Looks at the next link of a scene, when one has gone.
  private mutating func goOn(_ scene: String, now: Moment, _ actions: inout [BrokerAction]) {
    if journeys[scene]?.isEmpty ?? true {
      journeys[scene] = nil
      for plan in duePlans.removeValue(forKey: scene) ?? [] { resolve(plan, in: scene, now: now, &actions) }
      announceIdle(scene, now: now, &actions)
    } else {
      advance(scene, now: now, &actions)
    }
  }

  /// A link comes to nothing: its caller is told, its plan is over.
  private mutating func fail(_ journey: DeepLinkJourney, _ error: MinervaError, now: Moment, _ actions: inout [BrokerAction]) {
    switch journey.reason {
    case .request(let request, let token, _):
      let isUndone = error.code == .routeNoMatch && !request.isDryRun
      actions.append(.answer(token, .refused(isUndone ? error.rolledBack : error)))
    case .plan(let plan):
      // Its end is recorded, and the reason may name what the link holds.
      var refusal = Refusal(error)
      if mayHoldSecrets(journey.link, in: journey.scene) {
        refusal = Refusal(code: refusal.code, message: "\(plan.link) leads no further; follow the link again to hear why")
      }
      end(plan, refusal, in: journey.scene, now: now, &actions)
    }
  }

  /// When the next link is late.
  var nextJourneyDeadline: Moment? { journeys.values.joined().map { $0.deadline + 1 }.min() }

  /// Ends the links that are late, also those that wait for another's owner (N15).
  mutating func expireJourneys(now: Moment, _ actions: inout [BrokerAction]) {
    for scene in journeys.keys.sorted() {
      let late = (journeys[scene] ?? []).dropFirst().filter { $0.deadline < now }
      if !late.isEmpty {
        journeys[scene] = journeys[scene].map { waiting in Array(waiting.prefix(1)) + waiting.dropFirst().filter { $0.deadline >= now } }
        for journey in late {
          if case .plan(let plan) = journey.reason {
            wait(with: plan, in: scene, now: now)
          } else {
            fail(journey, journey.lateness, now: now, &actions)
          }
        }
      }
      if let first = journeys[scene]?.first, first.deadline < now {
        finish(scene, .failure(first.lateness), isForLater: true, now: now, &actions)
      }
    }
  }

  private mutating func end(_ plan: PlanReport, _ refusal: Refusal, in scene: String, now: Moment, _ actions: inout [BrokerAction]) {
    let command = Command(
      txn: "\(Self.own)\(plan.id).\(scenes[scene]?.state.seq ?? 0)", caller: plan.caller, action: .endPlan(plan.id, refusal))
    feed(.command(command), to: scene, now: now, &actions)
  }

  /// The steps of a resolved link, with the inputs of their modules.
  private func following(_ trace: RouteTrace, _ journey: DeepLinkJourney, in scene: String) -> Following {
    let app = scenes[scene]?.identity.app ?? ""
    var steps = trace.hops.map { hop in
      RouteStep(
        ModuleAddress(name: hop.route.module),
        input: RouteInput.bytes(for: hop, context: journey.context, schema: registry.schema(of: hop.route.module, in: app)),
        via: hop.route.via)
    }
    if let wait = trace.wait { steps.append(wait) }
    var following = Following(steps, link: journey.link.text, context: journey.contextBytes, waits: trace.waits)
    following.shortfall = trace.shortfall
    switch journey.reason {
    case .request(let request, _, _):
      following.resets = request.resets
      following.keepsPrefix = request.keepsPrefix
    case .plan(let plan):
      following.resets = plan.resets
      following.keepsPrefix = plan.keepsPrefix
      following.plan = plan.id
    }
    return following
  }

  /// A link to follow as it may be recorded (P4): of one that may hold a secret in what is not followed yet, only the matched part is written
  /// down; the text stays in memory as long as the rest is wanted.
  private mutating func recorded(_ following: Following, of link: DeepLinkURL?, _ trace: RouteTrace?, in scene: String) throws(MinervaError)
    -> Command.Action
  {
    tidyIfCrowded(scene)
    let action = try sealed(.follow(following), in: scene)
    guard case .follow(var shown) = action, let link, let trace, mayHoldSecrets(link, in: scene) else { return action }
    shown.link = "\(link.scheme)://\(([link.host] + trace.hops.map(\.route.pattern.description)).joined(separator: "/"))/…"
    if trace.waits { shown.linkSeal = seal(Array(link.text.utf8), in: scene) }
    shown.shortfall = shown.shortfall.map { Refusal(code: $0.code, message: "\(shown.link) leads no further") }
    return .follow(shown)
  }

  /// Whether a route of the app may take a part of a link for a field that its module marks as secret. Linear in routes and segments.
  private func mayHoldSecrets(_ link: DeepLinkURL, in scene: String) -> Bool {
    guard let app = scenes[scene]?.identity.app, let routes = registry.links(of: app)?.table.all else { return false }
    let query = Set(link.query.map(\.name))
    return routes.contains { route in
      let isSecret: (String) -> Bool
      switch registry.secrecy(of: route.module, in: app) {
      case .none: return false
      case .unknown: isSecret = { _ in true }
      case .fields(let schema): isSecret = schema.mayHide
      }
      if route.query.contains(where: { query.contains($0) && isSecret($0) }) { return true }
      guard route.pattern.names.contains(where: isSecret) else { return false }
      return link.segments.indices.contains { route.pattern.matches(link.segments[$0...]) }
    }
  }

  private mutating func preview(
    _ following: Following, _ trace: RouteTrace, _ token: CallToken, in scene: String, now: Moment, _ actions: inout [BrokerAction]
  ) {
    var following = following
    tidyIfCrowded(scene)
    // As it would be followed: what is open already has the same seal.
    sealDoubts(of: &following, in: scene)
    guard let state = scenes[scene]?.state else { return actions.append(.answer(token, .refused(.sceneEnded(scene)))) }
    do throws(Refusal) {
      let plan = try state.preview(following)
      let awaited = trace.waits ? following.steps.last?.module.name : nil
      hold(
        .reply(token, .linked(DeepLinkReply(answer: nil, plan: plan, hops: trace.hops, awaits: awaited, shortfall: trace.shortfall))),
        now: now, &actions)
    } catch {
      actions.append(.answer(token, .refused(MinervaError(error))))
    }
  }

  /// Hands a link to the core, as a request of its caller.
  private mutating func submit(
    _ following: Following, _ trace: RouteTrace?, of request: DeepLinkRequest, _ token: CallToken, _ node: String, in scene: String,
    until deadline: Moment,
    since asked: Moment, now: Moment, _ actions: inout [BrokerAction]
  ) {
    var command = Command(
      txn: request.txn, caller: request.caller, action: .follow([]), policy: request.policy, ifTop: request.ifTop,
      instant: request.instant, deadline: Self.left(of: request.deadline, until: deadline, since: asked, now: now))
    do throws(MinervaError) {
      command.action = try recorded(following, of: try? DeepLinkURL(request.link), trace, in: scene)
    } catch {
      return actions.append(.answer(token, .refused(error)))
    }
    scenes[scene]?.waiters.append(token, forAnswerTo: request.txn)
    note(request.caller, at: node, in: scene)
    feed(.command(command), to: scene, now: now, &actions)
  }
}

extension DeepLinkJourney {
  fileprivate var lateness: MinervaError { MinervaError(.routeFailed, "\(link.text) was not resolved in time; nothing changed") }

  fileprivate var keepsPrefix: Bool {
    switch reason {
    case .request(let request, _, _): request.keepsPrefix
    case .plan(let plan): plan.keepsPrefix
    }
  }
}

extension MinervaError {
  /// The error of a link that has changed nothing.
  fileprivate var rolledBack: MinervaError {
    var error = self
    error.message += "; rolled back"
    return error
  }
}
