import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Synchronization

/// The mailbox of one coordinator: it hands over one message at a time and reports each turn whole (K3).
///
/// A *run* is one handler of the author's. The run that holds the mailbox is active; one that awaits a child reports what it has so
/// far and steps aside, until the message it waits for makes it active again, in a turn of its own.
actor Mailbox {
  /// The run that the calling task belongs to.
  @TaskLocal static var currentRun: UInt64?

  private enum Item {
    case message(Message, at: SceneTime)
    case work(@Sendable () async throws -> Void, done: CheckedContinuation<Void, Never>?)
  }

  fileprivate enum Waiter {
    case screen(run: UInt64?, CheckedContinuation<ScreenID, any Error>)
    case ending(run: UInt64?, CheckedContinuation<ChildEnding, any Error>)
  }

  /// What is known of a module that this coordinator asked for.
  private enum Fate {
    case presented(ScreenID)
    case ended(ChildEnding)
    case refused(Refusal)
  }

  nonisolated let scene: SceneIdentity
  nonisolated let screen: ScreenID
  nonisolated var lease: UInt32 { account.lease }
  private nonisolated let account: CoordinatorAccount
  nonisolated let coordinator: any CoordinatorRunning
  let buffer: TurnBuffer
  nonisolated let link: any BrokerLink
  nonisolated let list: ListController

  private nonisolated let inbox = Mutex<[(Message, SceneTime)]>([])
  /// Whether the screen is seen, as far as that was not passed on to the list.
  private nonisolated let sight = Mutex<(isSeen: Bool, isAwaited: Bool)?>(nil)
  private var queue: [Item] = []
  /// The last message that was taken; `nil` before the first, which may have any number in a later life of the coordinator.
  private var accepted: UInt32?
  var handled: UInt32 = 0
  var nextTurn: UInt32
  let firstTurn: UInt32
  private var runs: UInt64 = 0
  /// The run that holds the mailbox.
  private var active: UInt64?
  /// The message that the running turn handles.
  var current: UInt32?
  /// The task of each run, also of those that stepped aside.
  private var runTasks: [UInt64: Task<Void, Never>] = [:]
  private(set) var isOver = false
  private var isStarted = false
  /// What the coordinator heard last of its visibility.
  private var lastMoment: Lifecycle?

  var keys: [RequestKey: RequestToken] = [:]
  private var fates: [RequestToken: Fate] = [:]
  /// The requests behind each child: several when they were joined (N3).
  private var children: [ScreenID: [RequestToken]] = [:]
  private var waiters: [RequestToken: [Waiter]] = [:]

  var shown = Screen.none
  var hasShown = false
  var state: [UInt8]?
  /// What an earlier life of this screen showed, until the first rendering of this one.
  var earlier: EarlierLife?
  /// Whether the broker waits for what the screen shows first.
  var isAwaited = true

  init(
    coordinator: any CoordinatorRunning, buffer: TurnBuffer, account: CoordinatorAccount, nextTurn: UInt32, state: [UInt8]?,
    earlier: EarlierLife?, held: [(gate: HeldGate, token: RequestToken)] = [], link: any BrokerLink, list: ListController
  ) {
    scene = buffer.identity
    screen = buffer.screen
    self.coordinator = coordinator
    self.buffer = buffer
    self.account = account
    self.nextTurn = nextTurn
    firstTurn = nextTurn
    self.state = state
    self.earlier = earlier
    self.link = link
    self.list = list
    // The mailbox is held by its first turn, the one that loaded the coordinator, until `start`.
    active = 0
    // What an earlier life presents frees its command as if this one had asked for it (C1).
    for (gate, token) in held {
      if let screen = gate.screen {
        children[screen, default: []].append(token)
      } else if let request = gate.request {
        keys[request] = token
      }
    }
  }

  // MARK: From the host

  /// Notes what the given state looks like in this process, where dictionaries and sets have another order: only what changes from here
  /// on is news (K3).
  func isRestored(_ encoded: [UInt8]?) { state = encoded }

  /// Reports the first turn, in which the coordinator was loaded, and begins to hand over messages.
  func start() {
    guard !isStarted, !isOver else { return }
    isStarted = true
    runTasks[0] = Task {
      await finishTurn(run: 0, failure: nil, renders: true)
      runTasks[0] = nil
    }
  }

  /// Takes a message, in the order of the calls; one that was taken before is ignored.
  nonisolated func post(_ message: Message, lease: UInt32, at time: SceneTime) {
    guard lease == self.lease else { return }
    inbox.withLock { $0.append((message, time)) }
    Task { await takeInbox() }
  }

  /// Hears that the screen is seen, or is not, in the order of the calls.
  nonisolated func see(_ isSeen: Bool, isAwaited: Bool) {
    sight.withLock { $0 = (isSeen, isAwaited || $0?.isAwaited == true) }
    Task { await passSight() }
  }

  /// Tells the list the newest of what was heard.
  private func passSight() async {
    let heard = sight.withLock { sight in
      defer { sight = nil }
      return sight
    }
    if let heard { await list.setVisible(heard.isSeen, isAwaited: heard.isAwaited) }
  }

  /// Queues what has been posted. Whichever of the tasks comes first takes all, so their order does not matter.
  private func takeInbox() {
    let posted = inbox.withLock { inbox in
      defer { inbox.removeAll(keepingCapacity: true) }
      return inbox
    }
    guard !isOver else { return }
    for (message, time) in posted {
      if let accepted {
        // Taken before.
        if message.number <= accepted { continue }
        // One that was skipped would be taken for old when it comes: nothing is taken before it does (N7).
        guard message.after ?? (message.number - 1) <= accepted else {
          link.note("\(screen) waits for message \(accepted + 1), not \(message.number)")
          continue
        }
      }
      accepted = message.number
      queue.append(.message(message, at: time))
    }
    pump()
  }

  /// Whether something is shown that `showAgain` reports.
  var shows: Bool { get async { await list.hasShown } }

  /// Shows the screen again, whole, for a broker that has forgotten it.
  func showAgain() async {
    await list.repeatLast()
  }

  /// Ends the coordinator: its tasks are cancelled, whoever waits inside it is told (K2).
  func end() async {
    guard !isOver else { return }
    isOver = true
    for task in runTasks.values { task.cancel() }
    account.end()
    for waiter in waiters.values.joined() { waiter.fail(CancellationError()) }
    waiters = [:]
    for case .work(_, let done) in queue { done?.resume() }
    queue = []
    account.unloads(true)
    await list.close()
    await disappear()
    await coordinator.unload()
    account.unloads(false)
  }

  /// Says of a screen that leaves while it is seen what it says of any other that goes out of view (K5): its host is told to end it, and
  /// of nothing else.
  private func disappear() async {
    switch lastMoment {
    case .willAppear, .didAppear:
      await coordinator.lifecycle(.willDisappear)
      await coordinator.lifecycle(.didDisappear)
    case .willDisappear: await coordinator.lifecycle(.didDisappear)
    case .didDisappear, nil: break
    }
  }

  // MARK: From the context

  func perform(_ body: @escaping @Sendable () async throws -> Void) async {
    guard !isOver else { return }
    if active != nil {
      // Whoever asks may be waited for by the very turn that is running: it is told at once, the work follows the turn.
      queue.append(.work(body, done: nil))
      return
    }
    await withCheckedContinuation { done in
      queue.append(.work(body, done: done))
      pump()
    }
  }

  nonisolated func ask(_ call: CoordinatorCall) async throws -> [UInt8] {
    try await link.ask(call)
  }

  /// Answers another coordinator's question, beside the mailbox (K7).
  nonisolated func answer(_ question: String, _ argument: [UInt8]) async throws -> [UInt8] {
    try await coordinator.answer(question, argument)
  }

  func screen(of token: RequestToken, run: UInt64?) async throws -> ScreenID {
    switch fates[token] {
    case .presented(let screen): return screen
    case .ended: throw MinervaError(.staleRef, "the screen was presented and is gone")
    case .refused(let refusal): throw refusal
    case nil: break
    }
    let holder = try await stepAside(run)
    if case .refused(let refusal)? = fates[token] { throw goOn(holder, with: refusal) }
    return try await withCheckedThrowingContinuation { continuation in
      wait(.screen(run: holder, continuation), for: token)
    }
  }

  func ending(of token: RequestToken, run: UInt64?) async throws -> ChildEnding {
    switch fates[token] {
    case .ended(let ending): return ending
    case .refused(let refusal): throw refusal
    case .presented, nil: break
    }
    let holder = try await stepAside(run)
    if case .refused(let refusal)? = fates[token] { throw goOn(holder, with: refusal) }
    return try await withCheckedThrowingContinuation { continuation in
      wait(.ending(run: holder, continuation), for: token)
    }
  }

  /// Reports the turn so far when the caller is the run that holds the mailbox.
  /// - Returns: The run, if it was.
  private func stepAside(_ run: UInt64?) async throws -> UInt64? {
    guard isStarted else {
      throw MinervaError(.linkNotStarted, "a module cannot be awaited in load(); open it there and hear its end in child(_:)")
    }
    guard let run, run == active else { return nil }
    account.rests()
    await reportTurn(failure: nil, renders: false)
    active = nil
    return run
  }

  /// The turn in which something was asked for was not taken: its run goes on at once.
  private func goOn(_ run: UInt64?, with refusal: Refusal) -> Refusal {
    if let run, active == nil {
      active = run
      account.handles(nil)
    }
    return refusal
  }

  private func wait(_ waiter: Waiter, for token: RequestToken) {
    guard !isOver else { return waiter.fail(CancellationError()) }
    waiters[token, default: []].append(waiter)
    pump()
  }

  // MARK: Runs

  private func pump() {
    guard active == nil, !isOver, !queue.isEmpty else { return }
    let item = queue.removeFirst()
    runs += 1
    let run = runs
    active = run
    if case .message(let message, let time) = item {
      current = message.number
      buffer.begin(at: time)
      if wakes(message.body) { return }
    } else {
      current = nil
      buffer.begin(at: .zero)
    }
    runTasks[run] = Task { await Mailbox.$currentRun.withValue(run) { await self.perform(item, run: run) } }
  }

  private func perform(_ item: Item, run: UInt64) async {
    var failure: (any Error)?
    var done: CheckedContinuation<Void, Never>?
    var renders = true
    account.handles(current)
    do {
      switch item {
      case .message(let message, _):
        renders = try await handle(message.body)
      case .work(let body, let continuation):
        done = continuation
        try await body()
      }
    } catch {
      failure = error
    }
    account.rests()
    await finishTurn(run: run, failure: failure, renders: renders)
    runTasks[run] = nil
    if let done {
      await list.afterUpdate()
      done.resume()
    }
  }

  private func finishTurn(run: UInt64, failure: (any Error)?, renders: Bool) async {
    guard active == run else { return }
    await reportTurn(failure: failure, renders: renders)
    active = nil
    pump()
  }

  /// Gives a message to the coordinator.
  /// - Returns: Whether its screen may show something else now.
  private func handle(_ body: Message.Body) async throws -> Bool {
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
    case .childrenLeft: try await coordinator.refused(Self.unknownEnd)
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

  // MARK: Children

  /// Notes what a message says of a requested module, and lets the run that waits for it go on.
  /// - Returns: Whether a run took the message over.
  private func wakes(_ body: Message.Body) -> Bool {
    switch body {
    case .requestSettled(let key, let resolution):
      // Only of an end that was refused anything is said: the coordinator goes on (N15).
      if key.isEnding { buffer.goesOn() }
      guard let token = keys.removeValue(forKey: key) else { return false }
      switch resolution {
      case .done(let outcome):
        guard let child = outcome.presented.last?.screen ?? outcome.screen else { return false }
        fates[token] = .presented(child)
        children[child, default: []].append(token)
      case .refused(let refusal):
        fates[token] = .refused(refusal)
        _ = buffer.free(token)
      }
      return resume(waitersOf: token)
    case .childEnded(let child, _, let reason, let result):
      return settle(child, as: .ended(ChildEnding(reason: reason, result: result)))
    case .childrenLeft(let through, let open):
      var isTaken = false
      for child in children.keys.sorted() where child <= through && !open.contains(child) {
        isTaken = settle(child, as: .refused(Self.unknownEnd), isTaken: isTaken)
      }
      return isTaken
    default: return false
    }
  }

  /// What is said of a child that left while more messages waited than are kept (N7).
  private static let unknownEnd = Refusal(
    code: MinervaError.Code.linkEndUnknown.rawValue,
    message: "the child has left, how is not known: more messages waited to be handled than are kept")

  /// A child has left: whoever asked for it is told, and one run goes on.
  private func settle(_ child: ScreenID, as fate: Fate, isTaken: Bool = false) -> Bool {
    var isTaken = isTaken
    for token in children.removeValue(forKey: child) ?? [] {
      fates[token] = fate
      _ = buffer.free(token)
      isTaken = resume(waitersOf: token, isTaken: isTaken)
    }
    return isTaken
  }

  /// - Parameter isTaken: Whether a run has taken the message over already.
  private func resume(waitersOf token: RequestToken, isTaken: Bool = false) -> Bool {
    guard let fate = fates[token] else { return isTaken }
    var kept: [Waiter] = []
    var isTaken = isTaken
    for waiter in waiters.removeValue(forKey: token) ?? [] {
      let holder: UInt64?
      switch (waiter, fate) {
      case (.ending, .presented):
        kept.append(waiter)
        continue
      case (.screen(let run, _), _), (.ending(let run, _), _): holder = run
      }
      if let holder, !isTaken {
        isTaken = true
        active = holder
        account.handles(current)
      }
      switch (waiter, fate) {
      case (.screen(_, let continuation), .presented(let screen)): continuation.resume(returning: screen)
      case (.screen(_, let continuation), .ended):
        continuation.resume(throwing: MinervaError(.staleRef, "the screen was presented and is gone"))
      case (.ending(_, let continuation), .ended(let ending)): continuation.resume(returning: ending)
      case (_, .refused(let refusal)): waiter.fail(refusal)
      case (.ending, .presented): break
      }
    }
    if !kept.isEmpty { waiters[token] = kept }
    trimFates()
    return isTaken
  }

  /// What a turn asked for was not taken with it: whoever waits for it is told.
  func refuse(_ token: RequestToken, _ refusal: Refusal) {
    fates[token] = .refused(refusal)
    _ = buffer.free(token)
    _ = resume(waitersOf: token)
  }

  /// Keeps what is known of the last few hundred requests, for handles that are awaited late.
  private func trimFates() {
    guard fates.count > 512 else { return }
    let live = Set(children.values.joined()).union(waiters.keys)
    for token in fates.keys.sorted(by: { $0.number < $1.number }).prefix(256) where !live.contains(token) { fates[token] = nil }
  }
}

extension Mailbox {
  /// Whether nothing is handled and nothing waits to be.
  var isIdle: Bool { active == nil && queue.isEmpty }
}

extension Mailbox.Waiter {
  fileprivate func fail(_ error: any Error) {
    switch self {
    case .screen(_, let continuation): continuation.resume(throwing: error)
    case .ending(_, let continuation): continuation.resume(throwing: error)
    }
  }
}
