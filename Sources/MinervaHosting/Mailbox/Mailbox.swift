import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// The mailbox of one coordinator: it hands over one message at a time and reports each turn whole (K3).
///
/// A *run* is one handler of the author's. The run that holds the mailbox is active; one that awaits a child reports what it has so
/// far and steps aside, until the message it waits for makes it active again, in a turn of its own.
actor Mailbox {
  /// The run that the calling task belongs to.
  @TaskLocal static var currentRun: UInt64?

  private enum Item {
    /// - Parameter hasGap: For news of children that left: whether it stands for something that was not heard.
    case message(Message, at: SceneTime, hasGap: Bool = false)
    case work(@Sendable () async throws -> Void, done: CheckedContinuation<Void, Never>?)
  }

  nonisolated let scene: SceneIdentity
  nonisolated let screen: ScreenID
  nonisolated var lease: UInt32 { account.lease }
  private nonisolated let account: CoordinatorAccount
  nonisolated let coordinator: any CoordinatorRunning
  let buffer: TurnBuffer
  nonisolated let link: any BrokerLink
  nonisolated let list: ListController

  private nonisolated let inbox = Inbox()
  private var order = MessageOrder()
  private var queue: [Item] = []
  var handled: UInt32 = 0
  var nextTurn: UInt32
  let firstTurn: UInt32
  private var runs = Runs()
  /// The message that the running turn handles.
  var current: UInt32?
  /// Whether the message that is handled tells of a child's end that no run awaited.
  private(set) var hasUnheardEnd = false
  private(set) var isOver = false
  private var isStarted = false
  /// What the coordinator heard last of its visibility.
  var lastMoment: Lifecycle?
  /// The modules that it asked for.
  var requests = ChildRequests()

  var shown = Screen.none
  var hasShown = false
  var state: [UInt8]?
  /// What an earlier life of this screen showed, until the first rendering of this one.
  var earlier: EarlierLife?
  /// Whether the broker waits for what the screen shows first.
  var isAwaited: Bool

  init(
    coordinator: any CoordinatorRunning, buffer: TurnBuffer, account: CoordinatorAccount, nextTurn: UInt32, state: [UInt8]?,
    isAwaited: Bool, earlier: EarlierLife?, held: [(gate: HeldGate, token: RequestToken)] = [], link: any BrokerLink, list: ListController
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
    self.isAwaited = isAwaited
    self.link = link
    self.list = list
    // What an earlier life presents frees its command as if this one had asked for it (C1).
    for (gate, token) in held {
      if let screen = gate.screen {
        requests.presented(screen, for: token)
      } else if let request = gate.request {
        requests.expect(request, for: token)
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
    let task = Task {
      await finishTurn(run: Runs.first, failure: nil, renders: true)
      runs.ended(Runs.first)
    }
    runs.keep(task, of: Runs.first)
  }

  /// Takes a message, in the order of the calls; one that was taken before is ignored.
  nonisolated func post(_ message: Message, lease: UInt32, at time: SceneTime) {
    guard lease == self.lease else { return }
    inbox.post(message, at: time)
    Task { await takeInbox() }
  }

  /// Hears that the screen is seen, or is not, in the order of the calls.
  nonisolated func see(_ isSeen: Bool, isAwaited: Bool) {
    inbox.see(isSeen, isAwaited: isAwaited)
    Task { await passSight() }
  }

  /// Tells the list the newest of what was heard.
  private func passSight() async {
    if let heard = inbox.takeSight() { await list.setVisible(heard.isSeen, isAwaited: heard.isAwaited) }
  }

  /// Queues what has been posted. Whichever of the tasks comes first takes all, so their order does not matter.
  private func takeInbox() {
    let posted = inbox.takeMessages()
    guard !isOver else { return }
    for (message, time) in posted {
      switch order.take(message) {
      case .next:
        var hasGap = false
        if case .childrenLeft = message.body { hasGap = order.closesGap() }
        queue.append(.message(message, at: time, hasGap: hasGap))
      case .early(let awaited): link.note("\(screen) waits for message \(awaited), not \(message.number)")
      case .old: break
      }
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
    runs.cancel()
    account.end()
    requests.abandon()
    for case .work(_, let done) in queue { done?.resume() }
    queue = []
    account.unloads(true)
    await list.close()
    await disappear()
    await coordinator.unload()
    account.unloads(false)
  }

  // MARK: From the context

  func perform(_ body: @escaping @Sendable () async throws -> Void) async {
    guard !isOver else { return }
    if !runs.isFree {
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
    if let screen = try requests.screen(of: token) { return screen }
    let holder = try await stepAside(run)
    if let refusal = requests.refusal(of: token) { throw goOn(holder, with: refusal) }
    return try await withCheckedThrowingContinuation { continuation in
      wait(.screen(run: holder, continuation), for: token)
    }
  }

  func ending(of token: RequestToken, run: UInt64?) async throws -> ChildEnding {
    if let ending = try requests.ending(of: token) { return ending }
    let holder = try await stepAside(run)
    if let refusal = requests.refusal(of: token) { throw goOn(holder, with: refusal) }
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
    guard let run, runs.holds(run) else { return nil }
    account.rests()
    await reportTurn(failure: nil, renders: false)
    runs.stepsAside()
    return run
  }

  /// The turn in which something was asked for was not taken: its run goes on at once.
  private func goOn(_ run: UInt64?, with refusal: Refusal) -> Refusal {
    if let run, runs.isFree {
      runs.goesOn(run)
      account.handles(nil)
    }
    return refusal
  }

  private func wait(_ waiter: ChildRequests.Waiter, for token: RequestToken) {
    guard !isOver else { return waiter.fail(CancellationError()) }
    requests.wait(waiter, for: token)
    pump()
  }

  // MARK: Runs

  private func pump() {
    guard runs.isFree, !isOver, !queue.isEmpty else { return }
    let item = queue.removeFirst()
    let run = runs.begin()
    if case .message(let message, let time, let hasGap) = item {
      current = message.number
      buffer.begin(at: time)
      if wakes(message.body, hasGap: hasGap) { return }
    } else {
      current = nil
      buffer.begin(at: .zero)
    }
    runs.keep(Task { await Mailbox.$currentRun.withValue(run) { await self.perform(item, run: run) } }, of: run)
  }

  private func perform(_ item: Item, run: UInt64) async {
    var failure: (any Error)?
    var done: CheckedContinuation<Void, Never>?
    var renders = true
    account.handles(current)
    do {
      switch item {
      case .message(let message, _, _):
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
    runs.ended(run)
    if let done {
      await list.afterUpdate()
      done.resume()
    }
  }

  private func finishTurn(run: UInt64, failure: (any Error)?, renders: Bool) async {
    guard runs.holds(run) else { return }
    await reportTurn(failure: failure, renders: renders)
    runs.stepsAside()
    pump()
  }

  // MARK: Children

  /// Notes what a message says of a requested module, and lets the run that waits for it go on.
  /// - Returns: Whether a run took the message over.
  private func wakes(_ body: Message.Body, hasGap: Bool) -> Bool {
    // Only of an end that was refused anything is said: the coordinator goes on (N15).
    if case .requestSettled(let key, _) = body, key.isEnding { buffer.goesOn() }
    if case .childrenLeft = body { return tellsOfUnknownEnds(body, hasGap: hasGap) }
    var isTaken = false
    for token in requests.hear(body, free: { _ = buffer.free($0) }) { isTaken = resume(waitersOf: token, isTaken: isTaken) }
    return isTaken
  }

  /// The same for the news that children left, how is not known (N7): whoever heard of every end hears nothing of it; of one that no run
  /// awaited the coordinator is told also when a run goes on with the message.
  private func tellsOfUnknownEnds(_ body: Message.Body, hasGap: Bool) -> Bool {
    hasUnheardEnd = false
    guard hasGap else { return false }
    let tokens = requests.hear(body, free: { _ = buffer.free($0) })
    hasUnheardEnd = tokens.isEmpty || tokens.contains { !requests.isAwaited($0) }
    var isTaken = false
    for token in tokens { isTaken = resume(waitersOf: token, isTaken: isTaken) }
    if isTaken, hasUnheardEnd {
      queue.insert(.work({ [coordinator] in try await coordinator.refused(ChildRequests.unknownEnd) }, done: nil), at: 0)
    }
    return isTaken
  }

  /// - Parameter isTaken: Whether a run has taken the message over already.
  private func resume(waitersOf token: RequestToken, isTaken: Bool = false) -> Bool {
    let holder = requests.resume(waitersOf: token)
    guard let holder, !isTaken else { return isTaken }
    runs.goesOn(holder)
    account.handles(current)
    return true
  }

  /// What a turn asked for was not taken with it: whoever waits for it is told.
  func refuse(_ token: RequestToken, _ refusal: Refusal) {
    requests.refused(token, refusal)
    _ = buffer.free(token)
    _ = resume(waitersOf: token)
  }

  /// Whether nothing is handled and nothing waits to be.
  var isIdle: Bool { runs.isFree && queue.isEmpty }
}
