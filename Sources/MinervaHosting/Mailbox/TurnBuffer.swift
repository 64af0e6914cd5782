import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Synchronization

/// What a running turn has asked for so far: the side of a mailbox that the coordinator's context talks to.
final class TurnBuffer: CoordinatorLink {
  /// What one turn asked for.
  struct Contents {
    var requests: [(token: RequestToken, request: TurnRequest)] = []
    var outputs: [[UInt8]] = []
    var ending = ModuleEnding.none
    var vetoes: Vetoes?
    var wakes: [TurnWake] = []
    /// What a turn that failed had asked for.
    var dropped: [RequestToken] = []

    var isEmpty: Bool { requests.isEmpty && outputs.isEmpty && ending == .none && vetoes == nil && wakes.isEmpty }
  }

  private struct State {
    var contents = Contents()
    var lastToken: UInt64 = 0
    var now = SceneTime.zero
    var hasEnded = false
    var isInTurn = false
    /// Commands under way, with the request that is.
    var gates: [String: RequestToken] = [:]
  }

  let identity: SceneIdentity
  let screen: ScreenID
  private let state = Mutex(State())
  private let account: CoordinatorAccount?
  private let box = MailboxReference()

  /// - Parameter account: Whose tasks are started; `nil` when what is asked for goes nowhere.
  init(identity: SceneIdentity, screen: ScreenID, account: CoordinatorAccount?) {
    self.identity = identity
    self.screen = screen
    self.account = account
  }

  func attach(_ mailbox: Mailbox) {
    box.set(mailbox)
  }

  var scene: String { identity.name }
  var now: SceneTime { state.withLock { $0.now } }

  // MARK: The coordinator's side

  func request(_ action: Command.Action, policy: Policy, gate: String?) throws -> RequestToken {
    try collect { state in
      state.lastToken += 1
      let token = RequestToken(number: state.lastToken)
      let isOpening = if case .open = action { true } else { false }
      state.contents.requests.append((token, TurnRequest(action, policy: policy, quiet: !isOpening, gate: gate)))
      if let gate { state.gates[gate] = token }
      return token
    }
  }

  func tell(_ output: [UInt8]) throws {
    try collect { $0.contents.outputs.append(output) }
  }

  func end(_ ending: ModuleEnding) throws {
    try collect { state in
      state.contents.ending = ending
      state.hasEnded = true
    }
  }

  func veto(_ gestures: Vetoes) throws {
    try collect { $0.contents.vetoes = gestures }
  }

  func wake(_ name: String, after milliseconds: UInt64?) throws {
    try collect { state in
      state.contents.wakes.removeAll { $0.name == name }
      state.contents.wakes.append(TurnWake(name: name, after: milliseconds))
    }
  }

  func isExecuting(_ gate: String) -> Bool {
    state.withLock { $0.gates[gate] != nil }
  }

  func screen(of token: RequestToken) async throws -> ScreenID {
    try await mailbox().screen(of: token, run: Mailbox.currentRun)
  }

  func ending(of token: RequestToken) async throws -> ChildEnding {
    try await mailbox().ending(of: token, run: Mailbox.currentRun)
  }

  func ask(_ question: String, _ argument: [UInt8], of screen: ScreenID) async throws -> [UInt8] {
    try await mailbox().ask(CoordinatorCall(scene: identity, screen: screen, method: question, argument: argument))
  }

  func children() async throws -> [ScreenID] {
    try await mailbox().link.children(of: screen, in: identity)
  }

  func list() async throws -> any ListControlling {
    try mailbox().list
  }

  func task(at place: String, _ body: @escaping @Sendable () async -> Void) {
    account?.start(at: place, body)
  }

  func perform(_ body: @escaping @Sendable () async throws -> Void) async {
    await box.get()?.perform(body)
  }

  /// Tells the coordinator which of its rows came into view or left it.
  func display(_ rows: [ListDisplay]) {
    box.get()?.display(rows)
  }

  private func mailbox() throws -> Mailbox {
    guard let mailbox = box.get() else { throw MinervaError(.staleRef, "\(screen) is gone") }
    return mailbox
  }

  /// Adds to the running turn, or to one of its own when none runs.
  private func collect<Value>(_ add: (inout sending State) -> Value) throws -> Value {
    let (value, isInTurn) = try state.withLock { state in
      guard !state.hasEnded else { throw MinervaError(.linkEnded, "\(screen) has ended with this turn already") }
      return (add(&state), state.isInTurn)
    }
    if !isInTurn, let mailbox = box.get() { Task { await mailbox.perform {} } }
    return value
  }

  // MARK: The mailbox's side

  /// Takes the gate of a command that an earlier life executed; free it with the token.
  func hold(_ gate: String) -> RequestToken {
    state.withLock { state in
      state.lastToken += 1
      let token = RequestToken(number: state.lastToken)
      state.gates[gate] = token
      return token
    }
  }

  func begin(at now: SceneTime) {
    state.withLock { state in
      state.isInTurn = true
      state.now = max(now, state.now)
    }
  }

  /// Ends the turn and gives what it asked for; nothing when it failed.
  func take(failed: Bool) -> Contents {
    state.withLock { state in
      defer { state.contents = Contents() }
      state.isInTurn = false
      guard failed else { return state.contents }
      let dropped = state.contents.requests.map(\.token)
      state.gates = state.gates.filter { !dropped.contains($0.value) }
      state.hasEnded = false
      return Contents(dropped: dropped)
    }
  }

  /// The turn was not taken: an end that it asked for is none.
  func goesOn() { state.withLock { $0.hasEnded = false } }

  /// Frees the commands whose presentation this request was (C1).
  /// - Returns: Whether there was one.
  func free(_ token: RequestToken) -> Bool {
    state.withLock { state in
      let count = state.gates.count
      state.gates = state.gates.filter { $0.value != token }
      return state.gates.count != count
    }
  }
}

/// A mailbox that is held weakly, so that a context kept by its author keeps nothing of the host alive.
private final class MailboxReference: Sendable {
  private struct Held {
    weak var mailbox: Mailbox?
  }

  private let held = Mutex(Held())

  func set(_ mailbox: Mailbox) { held.withLock { $0.mailbox = mailbox } }
  func get() -> Mailbox? { held.withLock { $0.mailbox } }
}
