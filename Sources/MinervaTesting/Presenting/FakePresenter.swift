public import Minerva
public import MinervaNavigation
import MinervaWire
import Synchronization

/// A presenter without host and broker: what is presented on it is noted, and the test says what becomes of it (C5).
///
/// Every way of presenting goes through it: push, replace, root, modal of any style, tab, detail, embed, and the app's own.
///
/// ```swift
/// let presenter = FakePresenter<Home>()
/// let edit = PresentCommand("edit", Edit.self, via: .modal(.sheet), by: presenter.context)
/// try edit.execute(.init(id: 4))
/// #expect(presenter.presentations.map(\.description) == [#"edit: Edit{"id":4} via modal"#] && !edit.isEnabled)
/// presenter.present(0)
/// presenter.end(0)
/// #expect(edit.isEnabled)
/// ```
/// A command holds its presenter weakly: once the fake is let go, executing is `command.no_presenter` (C2).
public final class FakePresenter<Subject: Module>: Sendable {
  /// What commands and coordinators are made with.
  public let context: Context<Subject>
  private let link: FakePresenterLink

  /// Makes a presenter whose own screen is `s1`.
  public init() {
    link = FakePresenterLink()
    context = Context(link: link)
  }

  /// What was presented so far, in order.
  public var presentations: [FakePresentation] { link.state.withLock(\.presentations) }
  /// The other requests so far, by verb.
  public var requests: [String] { link.state.withLock(\.requests) }
  /// What was told to the parent so far, as JSON.
  public var outputs: [String] { link.state.withLock(\.outputs) }

  /// A presentation has come to be; its screen is named by its place, `s2` for the first.
  public func present(_ index: Int) { link.settle(index, .presented(ScreenID(UInt32(index) + 2))) }

  /// A presentation has not come to be: its command is enabled again, and whoever waits is told why.
  public func refuse(_ index: Int, _ refusal: Refusal) { link.settle(index, .refused(refusal)) }

  /// A presented screen is gone, without a result: its command is enabled again.
  public func end(_ index: Int, reason: RemovalReason = .dismissed) {
    link.settle(index, .ended(ChildEnding(reason: reason, result: nil)))
  }

  /// A presented screen has ended with its result.
  public func finish<M: Module>(_ index: Int, of module: M.Type, _ result: M.Result) throws {
    link.settle(index, .ended(ChildEnding(reason: .finished, result: try Payload.encode(result))))
  }
}

/// One presentation as a fake presenter saw it.
public struct FakePresentation: Hashable, Sendable, CustomStringConvertible {
  /// The command that was executed; `nil` for one without.
  public let command: String?
  /// The name of the module.
  public let module: String
  /// Its input as JSON.
  public let input: String
  /// Where it goes.
  public let presentation: Presentation

  public var description: String { "\(command.map { "\($0): " } ?? "")\(module)\(input) via \(presentation)" }
}

/// What contexts talk to in place of a host.
private final class FakePresenterLink: CoordinatorLink {
  enum Fate {
    case presented(ScreenID)
    case refused(Refusal)
    case ended(ChildEnding)
  }

  fileprivate enum Waiter {
    case screen(CheckedContinuation<ScreenID, any Error>)
    case ending(CheckedContinuation<ChildEnding, any Error>)
  }

  struct State {
    var presentations: [FakePresentation] = []
    var requests: [String] = []
    var outputs: [String] = []
    var tokens: [RequestToken] = []
    fileprivate var last: UInt64 = 0
    fileprivate var fates: [RequestToken: Fate] = [:]
    fileprivate var gates: [String: RequestToken] = [:]
    fileprivate var waiters: [RequestToken: [Waiter]] = [:]
  }

  let state = Mutex(State())
  var screen: ScreenID { ScreenID(1) }
  var scene: String { "main" }
  var now: SceneTime { .zero }

  func request(_ action: Command.Action, policy: Policy, gate: String?) throws -> RequestToken {
    state.withLock { state in
      state.last += 1
      let token = RequestToken(number: state.last)
      guard case .open(let opening) = action else {
        state.requests.append(action.verb)
        return token
      }
      state.presentations.append(
        FakePresentation(
          command: gate, module: opening.module.name, input: String(decoding: opening.input, as: UTF8.self), presentation: opening.via))
      state.tokens.append(token)
      if let gate { state.gates[gate] = token }
      return token
    }
  }

  /// Says what became of a presentation; what follows an end or a refusal is ignored.
  func settle(_ index: Int, _ fate: Fate) {
    let told: [(Waiter, Fate)] = state.withLock { state in
      guard state.tokens.indices.contains(index) else { return [] }
      let token = state.tokens[index]
      switch state.fates[token] {
      case .ended, .refused: return []
      case .presented, nil: state.fates[token] = fate
      }
      if case .presented = fate {} else { state.gates = state.gates.filter { $0.value != token } }
      var told: [(Waiter, Fate)] = []
      var kept: [Waiter] = []
      for waiter in state.waiters.removeValue(forKey: token) ?? [] {
        if case .ending = waiter, case .presented = fate { kept.append(waiter) } else { told.append((waiter, fate)) }
      }
      if !kept.isEmpty { state.waiters[token] = kept }
      return told
    }
    for (waiter, fate) in told { Self.tell(waiter, fate) }
  }

  private static func tell(_ waiter: Waiter, _ fate: Fate) {
    switch (waiter, fate) {
    case (.screen(let continuation), .presented(let screen)): continuation.resume(returning: screen)
    case (.screen(let continuation), .ended):
      continuation.resume(throwing: MinervaError(.staleRef, "the screen was presented and is gone"))
    case (.screen(let continuation), .refused(let refusal)): continuation.resume(throwing: refusal)
    case (.ending(let continuation), .ended(let ending)): continuation.resume(returning: ending)
    case (.ending(let continuation), .refused(let refusal)): continuation.resume(throwing: refusal)
    case (.ending, .presented): break
    }
  }

  private func wait(_ waiter: Waiter, for token: RequestToken) {
    let fate: Fate? = state.withLock { state in
      let fate = state.fates[token]
      if let fate {
        if case .presented = fate, case .ending = waiter {} else { return fate }
      }
      state.waiters[token, default: []].append(waiter)
      return nil
    }
    if let fate { Self.tell(waiter, fate) }
  }

  func screen(of token: RequestToken) async throws -> ScreenID {
    try await withCheckedThrowingContinuation { wait(.screen($0), for: token) }
  }

  func ending(of token: RequestToken) async throws -> ChildEnding {
    try await withCheckedThrowingContinuation { wait(.ending($0), for: token) }
  }

  func tell(_ output: [UInt8]) throws { state.withLock { $0.outputs.append(String(decoding: output, as: UTF8.self)) } }

  func end(_ ending: ModuleEnding) throws {
    state.withLock { state in
      switch ending {
      case .none: break
      case .finish: state.requests.append("finish")
      case .cancel: state.requests.append("cancel")
      }
    }
  }

  func veto(_ gestures: Vetoes) throws {}
  func wake(_ name: String, after milliseconds: UInt64?) throws {}
  func isExecuting(_ gate: String) -> Bool { state.withLock { $0.gates[gate] != nil } }

  func ask(_ question: String, _ argument: [UInt8], of screen: ScreenID) async throws -> [UInt8] {
    throw MinervaError(.staleRef, "a fake presenter knows nobody to ask")
  }

  func children() async throws -> [ScreenID] {
    state.withLock { state in
      state.tokens.compactMap { if case .presented(let screen)? = state.fates[$0] { screen } else { nil } }
    }
  }

  func list() async throws -> any ListControlling { throw MinervaError(.staleRef, "a fake presenter has no list") }
  func task(at place: String, _ body: @escaping @Sendable () async -> Void) { Task { await body() } }
  func perform(_ body: @escaping @Sendable () async throws -> Void) async { try? await body() }
}
