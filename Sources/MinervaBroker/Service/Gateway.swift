import Distributed
import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaTransport
import MinervaWire

/// The broker's actor: brings calls to the state machine and performs what it answers. Runs on the bus's loop.
distributed actor Gateway: BrokerGateway {
  typealias ActorSystem = BusSystem
  typealias Reply = BrokerAction.Reply

  nonisolated var unownedExecutor: UnownedSerialExecutor { actorSystem.loop.asUnownedSerialExecutor() }

  var machine: BrokerStateMachine
  let journal: any Journal
  let ownership: any SceneOwnership
  /// Scenes that were claimed, by name.
  var claimed: Set<String> = []
  let version: String
  /// Who waits for a reply of the machine.
  private enum Waiting {
    case task(CheckedContinuation<Reply, Never>)
    case caller(LateReply)
  }

  private var calls: [CallToken: Waiting] = [:]
  /// Entries of this turn on their way to the journal, and the ticket of the last.
  private var group: [JournalEntry] = []
  private var groupTicket: UInt64 = 0
  /// What the journal has ended, and whether it is being looked at.
  private let commits = EndedCommits()
  private var takesCommits = false
  let log: @Sendable (String) -> Void
  /// What was found damaged or senseless in single scenes, and what became of it.
  var notes: [String] = []
  private var looksAtAlarm = false
  private var lastToken: CallToken = 0
  var lanes: [String: OrderLane] = [:]
  private var pids: [String: Int32] = [:]
  /// What the virtual clock shows; `nil` where time is the machine's.
  var virtualTime: Moment?
  private var endpoints: (calls: [String], events: [String]) = ([], [])
  /// Processes that listen over tcp, by node.
  var doors: [String: Door] = [:]
  /// The keys that may reach this broker over tcp.
  var authorized: AuthorizedKeys
  /// How many lists of keys there have been.
  var listing: UInt64 = 0
  private let pid: Int32
  private let started: Moment

  init(
    journal: any Journal, ownership: any SceneOwnership, epoch: UInt64, version: String, pid: Int32, hasVirtualClock: Bool,
    log: @escaping @Sendable (String) -> Void, actorSystem: BusSystem
  ) {
    let start = Moment(milliseconds: MonotonicTime.milliseconds)
    var settings = BrokerStateMachine.Settings()
    settings.hasVirtualClock = hasVirtualClock
    machine = BrokerStateMachine(settings: settings, epoch: epoch, now: start)
    virtualTime = hasVirtualClock ? start : nil
    started = start
    self.journal = journal
    self.ownership = ownership
    self.version = version
    self.log = log
    self.pid = pid
    authorized = actorSystem.settings.security.authorized
    self.actorSystem = actorSystem
  }

  /// The time that the machine is told: on a virtual clock it stands still between two steps. Links, heartbeats and calls keep the
  /// machine's own clock.
  var now: Moment { virtualTime ?? Moment(milliseconds: actorSystem.loop.now) }

  /// Notes where the broker listens, for `status`.
  func listens(on calls: [String], events: [String]) { endpoints = (calls, events) }

  // MARK: Scenes

  distributed func request(_ request: SceneRequest) async throws -> SceneAnswer {
    let node = try permit(request.command.action, scene: request.scene)
    let asked = now
    try await own(request.scene.name)
    guard case .answered(let answer) = try await reply({ $0.request(request, token: $1, node: node, asked: asked, now: $2) }) else {
      throw Self.unexpected
    }
    return answer
  }

  distributed func follow(_ request: DeepLinkRequest) async throws -> DeepLinkReply {
    let node = try permit(.navigate, scene: request.scene)
    let asked = now
    try await own(request.scene.name)
    switch try await reply({ $0.follow(request, token: $1, node: node, asked: asked, now: $2) }) {
    case .linked(let reply): return reply
    case .answered(let answer): return DeepLinkReply(answer: answer)
    default: throw Self.unexpected
    }
  }

  distributed func routes() async throws -> [RouteListing] {
    try permit(.observe)
    return machine.routeListings.filter { mayKnow($0.app) }
  }

  distributed func snapshot(_ scene: SceneAddress, renderings: Bool) async throws -> SceneSnapshot {
    try permit(.observe, scene: scene)
    try await own(scene.name)
    guard case .looked(let snapshot) = try await reply({ $0.look(scene, renderings: renderings, token: $1, now: $2) }) else {
      throw Self.unexpected
    }
    return snapshot
  }

  distributed func rendering(_ scene: SceneAddress, screen: ScreenID) async throws -> StampedRendering {
    try permit(.observe, scene: scene)
    guard machine.identity(of: scene.name) != nil else { throw MinervaError.sceneEnded(scene.name) }
    guard let rendering = machine.rendering(of: screen, in: scene.name) else {
      throw MinervaError(.screenNotRendered, "\(screen) has shown nothing yet; its host reports it in a moment", retryable: true)
    }
    return rendering
  }

  distributed func coordinators(_ scene: SceneAddress) async throws -> [ScreenReport] {
    try permit(.observe, scene: scene)
    try await own(scene.name)
    guard case .reported(let reports) = try await reply({ $0.report(scene, token: $1, now: $2) }) else { throw Self.unexpected }
    return reports
  }

  distributed func leaks(_ scene: SceneAddress?) async throws -> LeakReport {
    try permit(.observe, scene: scene)
    if let scene { try await own(scene.name) }
    return try await findLeaks(in: scene?.name)
  }

  distributed func scenes() async throws -> [SceneIdentity] {
    try permit(.observe)
    guard case .listed(let scenes) = try await reply({ $0.list(token: $1, now: $2) }) else { throw Self.unexpected }
    return scenes.filter { mayTouch($0.name, app: $0.app) }.sorted { $0.name < $1.name }
  }

  distributed func modules() async throws -> [ModuleListing] {
    try permit(.observe)
    return machine.registry.apps.filter(mayKnow).flatMap { app in
      machine.registry.modules(of: app).map { ModuleListing(app: app, module: $0.module, hosts: $0.hosts) }
    }
  }

  distributed func configured(_ scene: SceneAddress, txn: String, failure: Refusal?) async throws {
    let node = try permit(.navigate, scene: scene)
    try await own(scene.name)
    _ = try await reply { $0.configured(scene, txn: txn, failure: failure, token: $1, node: node, now: $2) }
  }

  distributed func renderer(_ scene: SceneAddress, report: RendererReport) async throws {
    let node = try permit(.navigate, scene: scene)
    try await own(scene.name)
    _ = try await reply { $0.renderer(scene, report: report, token: $1, node: node, now: $2) }
  }

  distributed func advance(_ step: ClockStep) async throws -> ClockReading {
    try permit(.navigate, scene: step.scene)
    // The clock is everybody's: who may touch some scenes alone may wait for what is due, and not let the others' deadlines pass.
    let caller = try permitted(.navigate)
    guard !step.isForced || caller.grant.isUnrestricted else {
      throw MinervaError(.unauthorized, "the key of \(caller.node) may not force the time of every scene")
    }
    return try await letTimePass(step)
  }

  // MARK: Hosts

  distributed func register(_ registration: HostRegistration) async throws -> HostReceipt {
    let caller = try permitServing(registration.app)
    guard registration.node == caller.node else {
      throw MinervaError(.badMessage, "\(caller.node) cannot register as \(registration.node)")
    }
    if let endpoint = registration.endpoint.flatMap({ try? Endpoint($0) }) {
      await actorSystem.route(node: registration.node, to: endpoint, server: registration.key)
    }
    // Before anybody is told of it.
    try await opens(.host(app: registration.app), at: registration.endpoint, key: registration.key, node: registration.node)
    let pid = pids[caller.node] ?? 0
    let answer = try await reply {
      $0.register(registration, incarnation: caller.incarnation, pid: pid, token: $1, now: $2)
    }
    guard case .registered(let receipt) = answer else { throw Self.unexpected }
    return receipt
  }

  distributed func turn(_ submission: TurnSubmission) async throws -> TurnReceipt {
    let node = try permitHost(submission.report.requests)
    let answer = try await reply { $0.turn(submission, token: $1, node: node, now: $2) }
    guard case .turned(let receipt) = answer else { throw Self.unexpected }
    return receipt
  }

  distributed func rendered(_ report: RenderingReport) async throws {
    let node = try permitHost()
    try machine.requireServing()
    perform(machine.rendered(report, node: node, now: now))
  }

  distributed func service(_ name: String, app: String) async throws -> ServiceLocation {
    let caller = try permitServing(app)
    var location = try machine.registry.service(name, of: app)
    location.key = await introduce(caller, to: location.node)
    return location
  }

  distributed func location(of screen: ScreenID, scene: SceneAddress) async throws -> ServiceLocation {
    try permit(.admin, scene: scene)
    if machine.dormant[scene.name] != nil { _ = try await reply { $0.wake(scene.name, token: $1, now: $2) } }
    let caller = try permitted(.admin)
    guard let report = machine.scenes[scene.name]?.state.screen(screen) else {
      throw MinervaError(.staleRef, "\(screen) is not open in \(scene.name)")
    }
    let host = report.summary.host
    let endpoint = machine.registry.hosts[host]?.registration.endpoint
    return ServiceLocation(name: "\(screen)", node: host, endpoint: endpoint, key: await introduce(caller, to: host))
  }

  // MARK: Diff workers

  distributed func offer(_ offer: DiffOffer) async throws {
    let caller = try permitServing(nil)
    guard offer.worker == caller.node else { throw MinervaError(.badMessage, "\(caller.node) cannot offer for \(offer.worker)") }
    try await opens(.worker, at: offer.endpoint, key: offer.key, node: offer.worker)
    perform(machine.offer(offer, incarnation: caller.incarnation, pid: pids[caller.node] ?? 0, now: now))
  }

  distributed func lease(_ request: DiffLeaseRequest) async throws -> DiffLease {
    let caller = try permitted(.navigate)
    let reply = try await reply { $0.lease(request, token: $1, node: caller.node, incarnation: caller.incarnation, now: $2) }
    guard case .leased(var lease) = reply else { throw Self.unexpected }
    lease.key = await introduce(caller, to: lease.worker)
    return lease
  }

  distributed func endLease(job: String) async throws {
    let caller = try permitted(.navigate)
    perform(machine.endLease(job, node: caller.node, incarnation: caller.incarnation, now: now))
  }

  // MARK: Operations

  distributed func status() async throws -> BrokerStatus {
    try permit(.observe)
    let peers = await actorSystem.peers().map { peer in
      PeerStatus(
        node: peer.node, kind: peer.kind, version: peer.version, pid: peer.pid, endpoint: doors[peer.node]?.endpoint ?? peer.endpoint,
        heartbeatAge: Int(peer.silence),
        uptime: Int(peer.uptime), trouble: doors[peer.node]?.trouble)
    }
    let bus = await actorSystem.counters()
    var counters = machine.counters
    counters["frames.received"] = Int(clamping: bus.framesReceived)
    counters["frames.sent"] = Int(clamping: bus.framesSent)
    counters["frames.bad"] = Int(clamping: bus.badMessages)
    counters["handshakes.failed"] = Int(clamping: bus.failedHandshakes)
    counters["keys.refused"] = Int(clamping: bus.refusedKeys)
    counters["peers.rejected"] = Int(clamping: bus.rejectedPeers)
    counters["events"] = Int(clamping: bus.eventsPublished)
    counters["calls.served"] = Int(clamping: bus.callsServed)
    return BrokerStatus(
      node: id.node, version: version, pid: pid, epoch: machine.epoch, uptime: Int(Moment(milliseconds: actorSystem.loop.now) - started),
      endpoints: endpoints.calls,
      // A socket knows no scenes: a narrowed key has its events over its link.
      events: BusSystem.currentCaller?.grant.isUnrestricted == true ? endpoints.events : [], peers: peers, scenes: machine.openScenes.count,
      records: UInt64(machine.counters["records"] ?? 0),
      pool: machine.desk.status, counters: counters, troubles: troubles)
  }

  // MARK: What others see

  /// Notes a peer that came up.
  func connected(_ peer: PeerInfo) {
    pids[peer.node] = peer.pid
    machine.connected(peer.node)
  }

  /// Notes a peer that is gone.
  func lost(_ node: String, incarnation: UInt64, reason: String) {
    // The news may come after its next life has joined, whose orders and pid these are.
    let isCurrent = machine.isCurrent(node, incarnation: incarnation)
    if isCurrent {
      // Whoever sends ends there; the next life gets lanes of its own.
      lanes.removeValue(forKey: node)?.drop()
      doors[node] = nil
    }
    let pid = isCurrent ? pids.removeValue(forKey: node) : nil
    perform(machine.lost(node, incarnation: incarnation, reason: reason, pid: pid ?? 0, now: now))
  }

  /// Does what is due and returns when to be called next.
  func alarm(at now: Int64) -> Int64 {
    if virtualTime != nil { return .max }
    let moment = Moment(milliseconds: now)
    if let next = machine.nextAlarm, next <= moment { perform(machine.alarm(now: moment)) }
    if let next = machine.nextRest, next <= moment { perform(machine.tidyScenes(now: moment)) }
    return nextAlarm?.milliseconds ?? .max
  }

  /// When something is due: for a scene, or for the memory of them all.
  private var nextAlarm: Moment? { [machine.nextAlarm, machine.nextRest].compactMap { $0 }.min() }

  // MARK: Calls that wait

  static let unexpected = MinervaError(.appFailed, "the broker answered another question; this is a defect, please report it")

  /// Brings a call to the machine and waits for its reply.
  func reply(_ bring: (inout BrokerStateMachine, CallToken, Moment) -> [BrokerAction]) async throws -> Reply {
    lastToken += 1
    let token = lastToken
    let reply = await withCheckedContinuation { continuation in
      calls[token] = .task(continuation)
      perform(bring(&machine, token, now))
    }
    if case .refused(let error) = reply { throw stamped(error) }
    return reply
  }

  /// A refusal names the epoch under which it was given, as answers do.
  private func stamped(_ error: MinervaError) -> MinervaError {
    var error = error
    error.details[MinervaError.Detail.epoch] = "\(machine.epoch)"
    return error
  }

  /// Brings a call to the machine; whoever made it is answered when the reply comes, and no task waits for that.
  private func bring(_ late: LateReply, _ bring: (inout BrokerStateMachine, CallToken, Moment) -> [BrokerAction]) {
    lastToken += 1
    calls[lastToken] = .caller(late)
    perform(bring(&machine, lastToken, now))
  }

  private func answer(_ token: CallToken, _ reply: Reply) {
    switch calls.removeValue(forKey: token) {
    case .task(let continuation): continuation.resume(returning: reply)
    case .caller(let late):
      switch reply {
      case .answered(let answer): late.answer(answer)
      case .turned(let receipt): late.answer(receipt)
      case .refused(let error): late.fail(stamped(error))
      default: late.fail(Self.unexpected)
      }
    case nil: break
    }
  }

  // MARK: Calls without a task

  /// The calls that there are many of, answered without a task that waits.
  static func direct(_ table: inout ExposureTable<$BrokerGateway, Gateway>) throws {
    try table.later("request") { me, arguments, reply in try me.request(arguments.next(), reply) }
    try table.later("turn") { me, arguments, reply in
      let submission: TurnSubmission = try arguments.next()
      let node = try me.permitHost(submission.report.requests)
      me.bring(reply) { $0.turn(submission, token: $1, node: node, now: $2) }
    }
    try table.direct("rendered") { me, arguments in
      let report: RenderingReport = try arguments.next()
      let node = try me.permitHost()
      try me.machine.requireServing()
      me.perform(me.machine.rendered(report, node: node, now: me.now))
    }
  }

  private func request(_ request: SceneRequest, _ reply: LateReply) throws {
    let node = try permit(request.command.action, scene: request.scene)
    guard isOurs(request.scene.name) else {
      // The first use of a scene waits for its claim.
      let asked = now
      _ = Task {
        do {
          try await self.own(request.scene.name)
          self.bring(reply) { $0.request(request, token: $1, node: node, asked: asked, now: $2) }
        } catch {
          reply.fail(error)
        }
      }
      return
    }
    bring(reply) { $0.request(request, token: $1, node: node, now: $2) }
  }

  // MARK: Performing

  func perform(_ actions: [BrokerAction]) {
    // What follows from a call goes on after it.
    BusSystem.onOwnBehalf { performEach(actions) }
    if group.count >= Self.groupBound { commitEarly() }
    lookAtAlarm()
  }

  private func performEach(_ actions: [BrokerAction]) {
    for action in actions {
      switch action {
      case .append(let entry, let ticket): append(entry, ticket)
      case .snapshot(let snapshot):
        commit()
        journal.writeSnapshot(snapshot, epoch: machine.epoch) { _ in }
      case .rest(let rest):
        commit()
        journal.noteRest(rest, epoch: machine.epoch) { _ in }
      case .load(let key, let number): load(key, number)
      case .reopen:
        commit()
        reopen()
      case .answer(let token, let reply): answer(token, reply)
      case .connect(let host, let order): connect(order, at: host)
      case .resume(let host, let order): resume(order, at: host)
      case .inquire(let host, let inquiry, let time): inquire(inquiry, at: host, within: time)
      case .order(let host, let order):
        let lane = lane(host)
        if lane.append(order) { Task { await self.send(lane, to: host) } }
      case .cancelJob(let name, let lease): cancel(name, lease)
      case .publish(let event, let app): publish(event, app: app)
      }
    }
  }

  /// Has the loop call back when something is due; once a turn, however much it did.
  private func lookAtAlarm() {
    guard !looksAtAlarm, virtualTime == nil else { return }
    looksAtAlarm = true
    actorSystem.loop.atEndOfTurn {
      self.assumeIsolated { me in
        me.looksAtAlarm = false
        if let next = me.nextAlarm { me.actorSystem.loop.sweep(noLaterThan: next.milliseconds) }
      }
    }
  }

  /// Gathers what one turn of the loop journals: it becomes a group, and its end comes back as one.
  private func append(_ entry: JournalEntry, _ ticket: UInt64) {
    if group.isEmpty { actorSystem.loop.atEndOfTurn { self.assumeIsolated { $0.commit() } } }
    group.append(entry)
    groupTicket = ticket
  }

  /// At most so many records of a turn make a group; the journal takes whatever groups wait for it as one commit.
  private static let groupBound = 16

  private func commit() {
    guard !group.isEmpty else { return }
    let group = group, ticket = groupTicket, loop = actorSystem.loop, commits = commits
    self.group = []
    journal.append(group, epoch: machine.epoch) { [self] result in
      commits.put(ticket, result)
      loop.post { self.assumeIsolated { _ = $0.takeCommits() } }
    }
  }

  /// A long turn neither holds back its first records until its last one, nor the answers to those that are durable meanwhile. Otherwise callers
  /// that were answered together come back together, and journal, loop and callers wait for each other instead of working at the same time.
  private func commitEarly() {
    commit()
    if takeCommits() { actorSystem.flushEarly() }
  }

  /// Does what waited for the groups that the journal has ended; false when there are none.
  private func takeCommits() -> Bool {
    guard !takesCommits else { return false }
    takesCommits = true
    defer { takesCommits = false }
    let ended = commits.takeAll()
    for (ticket, result) in ended {
      switch result {
      case .success: perform(machine.committed(upTo: ticket, now: now))
      case .failure(let error): perform(machine.commitFailed(error))
      }
    }
    return !ended.isEmpty
  }
}
