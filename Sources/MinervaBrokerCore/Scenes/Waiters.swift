import MinervaNavigation

/// The calls that wait for something of one scene: an answer, a verdict on a turn, a renderer's being attached.
///
/// Whoever waits is told once, in the order of asking.
struct Waiters {
  /// A turn, as its host numbers it.
  struct Turn: Hashable {
    var screen: ScreenID
    var number: UInt32
  }

  /// By txn: that is one request of its scene, whoever asks for it again (N2).
  private var answers: [String: [CallToken]] = [:]
  /// By turn: a stale host may report one of the same number, and each report has its own verdict.
  private var turns: [Turn: [CallToken]] = [:]
  /// By the renderer's name.
  private var renderers: [String: [CallToken]] = [:]

  var isEmpty: Bool { answers.isEmpty && turns.isEmpty && renderers.isEmpty }

  /// Whether something is waited for that needs no time to pass.
  var isUnderWay: Bool { !turns.isEmpty || !renderers.isEmpty }

  // MARK: Answers

  mutating func append(_ token: CallToken, forAnswerTo txn: String) { answers[txn, default: []].append(token) }

  func hasAnyone(forAnswerTo txn: String) -> Bool { answers[txn] != nil }

  /// Takes out everyone who waits for the answer to a request.
  mutating func takeAll(forAnswerTo txn: String) -> [CallToken] { answers.removeValue(forKey: txn) ?? [] }

  // MARK: Turns and renderers

  mutating func append(_ token: CallToken, forVerdictOn turn: Turn) { turns[turn, default: []].append(token) }

  /// Takes out the first that waits for a verdict on a turn.
  mutating func takeFirst(forVerdictOn turn: Turn) -> CallToken? { Self.takeFirst(of: turn, in: &turns) }

  mutating func append(_ token: CallToken, forAttaching renderer: String) { renderers[renderer, default: []].append(token) }

  /// Takes out the first that waits for a renderer to be attached.
  mutating func takeFirst(forAttaching renderer: String) -> CallToken? { Self.takeFirst(of: renderer, in: &renderers) }

  private static func takeFirst<Key>(of key: Key, in table: inout [Key: [CallToken]]) -> CallToken? {
    guard var tokens = table.removeValue(forKey: key), !tokens.isEmpty else { return nil }
    let first = tokens.removeFirst()
    if !tokens.isEmpty { table[key] = tokens }
    return first
  }

  // MARK: The end

  /// Takes out everyone.
  mutating func takeAll() -> [CallToken] {
    defer { self = Waiters() }
    return Array(answers.values.joined()) + turns.values.joined() + renderers.values.joined()
  }
}
