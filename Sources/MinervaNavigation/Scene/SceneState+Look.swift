/// What can be seen of a scene.
extension SceneState {
  /// The tree as a plain value. Linear in its screens.
  package var tree: SceneTree {
    SceneTree(
      layers: layers.map { layer in
        SceneTree.Layer(style: layer.style, presentedBy: layer.presentedBy, stack: layer.stack.compactMap(screenTree))
      })
  }

  private func screenTree(_ id: ScreenID) -> SceneTree.Screen? {
    guard let node = nodes[id] else { return nil }
    let container: SceneTree.Container
    switch node.container {
    case .none: container = .none
    case .tabs(let tabs):
      container = .tabs(
        tabs.tabs.map { SceneTree.Tab(name: $0.name, stack: $0.stack.compactMap(screenTree)) }, selected: tabs.selected)
    case .split(let split):
      container = .split(
        primary: split.primary.compactMap(screenTree), detail: split.detail.compactMap(screenTree), collapsed: split.joined != nil)
    }
    return SceneTree.Screen(
      id: id, module: node.module.name, host: node.host, input: node.input, phase: node.phase, isSuspended: node.isSuspended,
      isUnclaimed: node.link == .unclaimed, needsInput: node.link == .needsInput, container: container,
      slots: node.slots.map { slot in
        SceneTree.Slot(name: slot.name, content: slot.content.flatMap(screenTree).map { [$0] } ?? [])
      })
  }

  /// FNV-1a, 64 bits, over the canonical form of the tree (D1).
  package var treeHash: UInt64 { tree.hash64 }

  /// Whether nothing is in flight: no request runs or waits, no message is undelivered or unhandled, no link that waited is due.
  package var isSettled: Bool {
    isAtRest && !(waiting?.items.contains(where: \.isDue) ?? false)
  }

  /// Whether nothing happens before time passes or somebody asks for something: no module is being made, no message is under way.
  ///
  /// - Parameter lostHostsAside: Whether screens of a lost host, and the messages that wait for it, do not count.
  package func waitsForTime(lostHostsAside: Bool) -> Bool {
    let isQuiet =
      lostHostsAside
      ? nodes.all.allSatisfy { !$0.isBusy || $0.isSuspended } : nodes.isQuiet && !nodes.all.contains(where: \.isSuspended)
    return isQuiet && !(waiting?.items.contains { $0.isDue && $0.isAsked } ?? false)
      && pending.allSatisfy { request in
        if case .linking(let missing, _)? = request.work?.stage { missing == 0 } else { true }
      }
  }

  /// Whether no request runs or waits and no message is undelivered or unhandled.
  var isAtRest: Bool {
    pending.isEmpty && nodes.isQuiet
  }

  /// Whether nothing is in flight, and no moment, host, renderer, plan or caller's gate is waited for, also by a placeholder: what comes next comes from outside.
  package var isIdle: Bool {
    isSettled && wake == nil && renderer == nil && lostHosts.isEmpty && waiting?.items.isEmpty ?? true
      && !gates.contains { $0.origin == nil } && !nodes.all.contains { $0.link == .unclaimed }
  }

  /// The hosts that run coordinators, or are lost with them.
  package var hosts: Set<String> {
    var hosts: Set<String> = []
    for node in nodes.all where !node.host.isEmpty { hosts.insert(node.host) }
    return hosts
  }

  /// What is known of a coordinator that is open; `nil` if it never was or is gone.
  package func screen(_ id: ScreenID) -> ScreenReport? {
    nodes[id].map(report)
  }

  /// The host and the lease under which a coordinator acts; the host is empty until it has been made. `nil` when it is not open.
  package func holder(of id: ScreenID) -> (host: String, lease: UInt32)? {
    nodes.index(of: id).map { (nodes.all[$0].host, nodes.all[$0].lease) }
  }

  /// When and why a coordinator left, as far as that is still known; `nil` also of one that is open.
  package func departure(of id: ScreenID) -> (seq: UInt64, reason: RemovalReason)? {
    departures.entry(id).map { ($0.seq, $0.reason) }
  }

  /// Whether a request still waits for a coordinator to handle a message; `nil` when no request ever did.
  package func isAwaited(_ message: UInt32, by id: ScreenID) -> Bool? {
    switch nodes[id]?.outbox.first(where: { $0.number == message })?.body {
    case .act, .input, .sealedInput: pending.contains { $0.work?.stage == .acting(id, message) }
    default: nil
    }
  }

  /// The message that a coordinator handles next, or has in hand, if somebody asks for something by it.
  package func requestInHand(of id: ScreenID) -> UInt32? {
    switch nodes[id]?.outbox.first?.body {
    case .act, .input, .sealedInput: nodes[id]?.outbox.first?.number
    default: nil
    }
  }

  private func report(_ node: Node) -> ScreenReport {
    ScreenReport(
      summary: summary(node), module: node.module, input: node.input, state: node.state, phase: node.phase, lease: node.lease,
      isSuspended: node.isSuspended || node.link == .unclaimed, isUnclaimed: node.link == .unclaimed, isHosted: node.isHosted,
      needsInput: node.link == .needsInput, isVisible: isVisible(node.id),
      isScreenless: node.isScreenless,
      children: children(of: node.id),
      outputs: node.outputs, turns: node.turns, unhandled: node.outbox.count, caller: node.caller)
  }

  /// Every open coordinator in the order of their opening, with or without a screen.
  package var coordinators: [ScreenReport] { nodes.all.map(report) }

  /// Calls `body` with every coordinator that has been made and whose host is there, in the order of their opening.
  package func forEachRunning(_ body: (ScreenID, _ host: String) -> Void) {
    for index in nodes.all.indices where !nodes.all[index].isSuspended && !nodes.all[index].host.isEmpty {
      body(nodes.all[index].id, nodes.all[index].host)
    }
  }

  /// How many coordinators are open.
  package var coordinatorCount: Int { nodes.all.count }

  /// The screens of the stack (or the child in the slot) at a path from the bottom; `nil` if there is no such place.
  package func stack(_ path: NavPath) -> [ScreenID]? {
    switch spot(path) {
    case .stack(let key): stack(key)
    case .slot(let owner, let slot): (nodes[owner]?.slots[slot].content).map { [$0] } ?? []
    case nil: nil
    }
  }

  /// The visible stack: the active leaf of the topmost layer.
  package var activePath: NavPath { path(of: activeKey) }

  /// Every visible screen: containers before what they show.
  package var visible: [ScreenID] { visibleScreens }

  /// Resolves a reference now; throws `nav.stale_ref`, `nav.target_not_found`, `nav.no_container`.
  package func resolve(_ ref: ScreenRef) throws(Refusal) -> ScreenID {
    try target(ref)
  }

  /// Where the transition of a name leads, of one screen or of whichever. Linear in the transitions.
  package func destinations(ofTransition name: String, of screen: ScreenID?) -> [ModuleAddress] {
    let transitions = screen.map { nodes[$0]?.transitions ?? [] } ?? nodes.all.flatMap(\.transitions)
    return transitions.filter { $0.name == name }.map(\.opening.module)
  }

  /// The requests that run or wait, in the order of their arrival.
  package var requests: [RequestReport] {
    pending.map { request in
      RequestReport(summary: request.summary, isRunning: request.work != nil, doing: doing(request), deadline: request.deadline)
    }
  }

  /// The coordinators whose host is lost, with the host they had: who can take them over is told by `Record.hostBack`.
  ///
  /// Without those whose lease is over: they are leaving, and nobody makes them again (N7).
  package var suspended: [ScreenReport] {
    nodes.all.filter { node in
      node.link == .unclaimed || node.link == .suspended && lostHosts.contains { $0.concerns(node) }
    }.map(report)
  }

  /// When the lease of a lost host is over; of several losses the first.
  package func leaseEnd(of host: String) -> SceneTime? { lostHosts.lazy.filter { $0.host == host }.map(\.until).min() }

  /// The coordinators whose lease is over at this time although a host is to make them again, under which lease, and the host.
  ///
  /// O(1) while no lease is over, else O(coordinators).
  package func overdueResumptions(at time: SceneTime) -> [(screen: ScreenID, lease: UInt32, host: String)] {
    let due = lostHosts.filter { $0.until <= time }
    if due.isEmpty { return [] }
    return nodes.all.compactMap { node in
      guard case .resuming(let host) = node.link, due.contains(where: { $0.concerns(node) }) else { return nil }
      return (node.id, node.lease, host)
    }
  }

  /// The answer that was given to a `txn`, while it is remembered.
  package func answer(to txn: String) -> Answer? { memory.answer(to: txn) }

  /// Whether a request of this name was answered, and is remembered, or is in flight (N2).
  package func knows(_ txn: String) -> Bool {
    memory.answer(to: txn) != nil || inFlight(txn) != nil
  }

  /// Who opened a module under this name and has to configure it (L1), and whether that was done; `nil` when no such request is in flight.
  package func configuration(of txn: String) -> (caller: String, isDone: Bool)? {
    let request = pending.first { request in
      guard request.source == .caller, request.command.txn == txn, case .open(let opening) = request.command.action else { return false }
      return opening.configures
    }
    return request.map { ($0.command.caller, !$0.isUnconfigured) }
  }

  /// Whether a request that is not over has joined another: it is configured by whoever asked for that.
  package func isJoined(by txn: String) -> Bool {
    pending.contains { request in request.joiners.contains { $0.txn == txn && $0.key == nil } }
  }

  /// When `Record.timer` is due; the last `Effect.wake`.
  package var wakeTime: SceneTime? { wake }

  /// The moment of the last record.
  package var time: SceneTime { now }

  /// How many events were published.
  package var eventCount: UInt64 { events }

  /// The primary renderer, if one is attached.
  package var primaryRenderer: String? { renderer }

  /// What the input of a coordinator is sealed with.
  package func seal(of id: ScreenID) -> Seal? { nodes[id]?.seal }

  /// What the context of a waiting link is sealed with.
  package func seal(of plan: PlanID) -> Seal? { waiting?.items.first { $0.report.id == plan }?.seal }

  /// Whether anything would be taken back if a caller were gone: a request that is not over, or a gate.
  package func hasStake(_ caller: String) -> Bool {
    gates.contains { $0.origin == nil && $0.caller == caller }
      || pending.contains { $0.source == .caller && ($0.command.caller == caller || $0.joiners.contains { $0.caller == caller }) }
  }

  /// What the text of a plan's link is sealed with.
  package func linkSeal(of plan: PlanID) -> Seal? { waiting?.items.first { $0.report.id == plan }?.linkSeal }

  /// What is sealed and still needed: of open coordinators, of messages and of requests that are not over. O(coordinators).
  package var seals: Set<Seal> {
    var seals: Set<Seal> = []
    for request in pending { seals.formUnion(request.command.action.seals) }
    for item in waiting?.items ?? [] { seals.formUnion([item.seal, item.linkSeal].compactMap { $0 }) }
    for node in nodes.all {
      if let seal = node.seal { seals.insert(seal) }
      for message in node.outbox { if let seal = message.body.seal { seals.insert(seal) } }
    }
    return seals
  }

  /// The effects that are under way, to be done again after a restart: links, messages, the renderer's transitions, the next timer.
  ///
  /// Hosts and renderers know by screen, lease and number what they have done already.
  package func outstanding() -> [Effect] {
    var list: [Effect] = []
    for node in nodes.all {
      switch node.link {
      case .pending:
        guard let request = pending.first(where: { $0.ticket == node.ticket }), case .linking(_, let until)? = request.work?.stage else {
          continue
        }
        list.append(.connect(connection(of: node, txn: request.command.txn, until: until)))
      case .resuming(let host): list.append(.resume(resumption(of: node, on: host)))
      case .linked: list += deliveries(to: node).map { .deliver($0) }
      case .suspended, .unhosted, .unclaimed, .needsInput: break
      }
    }
    for request in pending {
      guard let work = request.work, case .showing(let number, _) = work.stage else { continue }
      list.append(.render(transition(of: request, work, number: number)))
    }
    for item in waiting?.items ?? [] where item.isAsked { list.append(.resolve(item.report)) }
    if let wake { list.append(.wake(at: wake)) }
    return list
  }
}
