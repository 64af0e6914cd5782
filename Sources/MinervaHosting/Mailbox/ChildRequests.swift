import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// The modules that a coordinator asked for: what became of each, and who waits to hear it.
struct ChildRequests {
  /// A run, or a task beside all runs, that waits for a screen or for its end.
  enum Waiter {
    case screen(run: UInt64?, CheckedContinuation<ScreenID, any Error>)
    case ending(run: UInt64?, CheckedContinuation<ChildEnding, any Error>)

    func fail(_ error: any Error) {
      switch self {
      case .screen(_, let continuation): continuation.resume(throwing: error)
      case .ending(_, let continuation): continuation.resume(throwing: error)
      }
    }
  }

  /// What is known of a request.
  private enum Fate {
    case presented(ScreenID)
    case ended(ChildEnding)
    case refused(Refusal)
  }

  /// The requests whose answer is awaited, by what names them in messages.
  private var keys: [RequestKey: RequestToken] = [:]
  private var fates: [RequestToken: Fate] = [:]
  /// The requests behind each child: several when they were joined (N3).
  private var children: [ScreenID: [RequestToken]] = [:]
  private var waiters: [RequestToken: [Waiter]] = [:]

  /// What is said of a child that left while more messages waited than are kept (N7).
  static let unknownEnd = Refusal(
    code: MinervaError.Code.linkEndUnknown.rawValue,
    message: "the child has left, how is not known: more messages waited to be handled than are kept")

  private static var gone: MinervaError { MinervaError(.staleRef, "the screen was presented and is gone") }

  // MARK: What is known

  /// The screen of a request; nothing while it is not known.
  func screen(of token: RequestToken) throws -> ScreenID? {
    switch fates[token] {
    case .presented(let screen): return screen
    case .ended: throw Self.gone
    case .refused(let refusal): throw refusal
    case nil: return nil
    }
  }

  /// How the screen of a request ended; nothing while it has not.
  func ending(of token: RequestToken) throws -> ChildEnding? {
    switch fates[token] {
    case .ended(let ending): return ending
    case .refused(let refusal): throw refusal
    case .presented, nil: return nil
    }
  }

  func refusal(of token: RequestToken) -> Refusal? { if case .refused(let refusal)? = fates[token] { refusal } else { nil } }

  // MARK: What is asked for and heard

  /// A request is on its way; its answer will name it by a key.
  mutating func expect(_ key: RequestKey, for token: RequestToken) { keys[key] = token }

  /// A request was taken back with its turn: no answer will come.
  mutating func forget(_ key: RequestKey) { keys[key] = nil }

  /// The screen of a request is there.
  mutating func presented(_ child: ScreenID, for token: RequestToken) { children[child, default: []].append(token) }

  mutating func refused(_ token: RequestToken, _ refusal: Refusal) { fates[token] = .refused(refusal) }

  /// Notes what a message says of a request.
  ///
  /// - Parameter free: Told of each request whose command is free again (C1).
  /// - Returns: The requests of which something is known now, in the order in which whoever waits is to hear it.
  mutating func hear(_ body: Message.Body, free: (RequestToken) -> Void) -> [RequestToken] {
    switch body {
    case .requestSettled(let key, let resolution):
      guard let token = keys.removeValue(forKey: key) else { return [] }
      switch resolution {
      case .done(let outcome):
        guard let child = outcome.presented.last?.screen ?? outcome.screen else { return [] }
        fates[token] = .presented(child)
        presented(child, for: token)
      case .refused(let refusal):
        refused(token, refusal)
        free(token)
      }
      return [token]
    case .childEnded(let child, _, let reason, let result):
      return settle(child, as: .ended(ChildEnding(reason: reason, result: result)), free: free)
    case .childrenLeft(let through, let open):
      let left = children.keys.sorted().filter { $0 <= through && !open.contains($0) }
      return left.flatMap { settle($0, as: .refused(Self.unknownEnd), free: free) }
    default: return []
    }
  }

  /// A child has left: that is what became of every request behind it.
  private mutating func settle(_ child: ScreenID, as fate: Fate, free: (RequestToken) -> Void) -> [RequestToken] {
    let tokens = children.removeValue(forKey: child) ?? []
    for token in tokens {
      fates[token] = fate
      free(token)
    }
    return tokens
  }

  // MARK: Who waits

  func isAwaited(_ token: RequestToken) -> Bool { waiters[token]?.isEmpty == false }

  mutating func wait(_ waiter: Waiter, for token: RequestToken) { waiters[token, default: []].append(waiter) }

  /// Tells those who wait for what is known of a request now.
  ///
  /// - Returns: The first of them that held the mailbox when it began to wait: it goes on with the message.
  mutating func resume(waitersOf token: RequestToken) -> UInt64? {
    guard let fate = fates[token] else { return nil }
    var (kept, holder) = ([Waiter](), UInt64?.none)
    for waiter in waiters.removeValue(forKey: token) ?? [] {
      switch (waiter, fate) {
      case (.ending, .presented):
        kept.append(waiter)
        continue
      case (.screen(let run, _), _), (.ending(let run, _), _): if holder == nil { holder = run }
      }
      switch (waiter, fate) {
      case (.screen(_, let continuation), .presented(let screen)): continuation.resume(returning: screen)
      case (.screen(_, let continuation), .ended): continuation.resume(throwing: Self.gone)
      case (.ending(_, let continuation), .ended(let ending)): continuation.resume(returning: ending)
      case (_, .refused(let refusal)): waiter.fail(refusal)
      case (.ending, .presented): break
      }
    }
    if !kept.isEmpty { waiters[token] = kept }
    trim()
    return holder
  }

  /// The coordinator is over: whoever waits is told (K2).
  mutating func abandon() {
    for waiter in waiters.values.joined() { waiter.fail(CancellationError()) }
    waiters = [:]
  }

  /// Keeps what is known of the last few hundred requests, for handles that are awaited late.
  private mutating func trim() {
    guard fates.count > 512 else { return }
    let live = Set(children.values.joined()).union(waiters.keys)
    for token in fates.keys.sorted(by: { $0.number < $1.number }).prefix(256) where !live.contains(token) { fates[token] = nil }
  }
}
