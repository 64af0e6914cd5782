import MinervaInterfaces
import MinervaNavigation

/// The links of one scene's screens to the coordinators that hosts make for them, from the wish for one to its end.
///
/// A link is parked while no host can be asked, then under way at one host, then made, or given up. Kept beside the core's state, which knows
/// of a host only when that has accepted.
struct SceneLinks {
  /// A link: a screen, and the lease under which its coordinator acts.
  struct Key: Hashable, Comparable {
    var screen: ScreenID
    var lease: UInt32

    static func < (a: Key, b: Key) -> Bool { (a.screen, a.lease) < (b.screen, b.lease) }
  }

  /// A turn that came before the verdict on its link.
  struct EarlyTurn {
    var submission: TurnSubmission
    var token: CallToken
    /// The host that reported it.
    var node: String

    var key: Key { Key(screen: submission.report.screen, lease: submission.report.lease) }
  }

  /// The host that is making each coordinator, or making it again.
  private(set) var underWay: [Key: String] = [:]
  /// Links that wait for a host to come back.
  private(set) var parked: [Key: Connection] = [:]
  private var early: [Key: [EarlyTurn]] = [:]
  /// Who was asked to make a coordinator under a lease, and has it unless it said otherwise: the only one that may, also when the question
  /// is asked again after a recovery.
  private(set) var makers: [Key: String] = [:]

  /// Whether a host's verdict is waited for, or a turn waits for one.
  var isUnderWay: Bool { !underWay.isEmpty || !early.isEmpty }

  // MARK: The way of a link

  /// Notes that no host can be asked now.
  mutating func park(_ connection: Connection) {
    parked[Key(screen: connection.screen, lease: connection.lease)] = connection
  }

  /// Takes out what waits for a host, in the order of screens.
  mutating func unpark() -> [Connection] {
    defer { parked = [:] }
    return parked.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Notes that a host is asked.
  mutating func begin(_ key: Key, at host: String) {
    parked.removeValue(forKey: key)
    underWay[key] = host
    makers[key] = host
  }

  /// Notes who has a coordinator, as it says itself.
  mutating func confirm(_ key: Key, at host: String) { makers[key] = host }

  /// Has a turn wait for the verdict on its link.
  mutating func hold(_ turn: EarlyTurn) { early[turn.key, default: []].append(turn) }

  /// A host's verdict is there.
  ///
  /// - Returns: The host that was waited for, and the turns that waited with it, in the order in which they came.
  mutating func settle(_ key: Key, isMade: Bool) -> (host: String?, turns: [EarlyTurn]) {
    if !isMade { makers.removeValue(forKey: key) }
    return (underWay.removeValue(forKey: key), early.removeValue(forKey: key) ?? [])
  }

  /// A coordinator is over, or need not be made any more.
  ///
  /// - Returns: The host that makes it, or else has it, as far as is known, and the turns that waited for a verdict.
  mutating func end(_ key: Key) -> (host: String?, turns: [EarlyTurn]) {
    parked.removeValue(forKey: key)
    let maker = makers.removeValue(forKey: key)
    return (underWay.removeValue(forKey: key) ?? maker, early.removeValue(forKey: key) ?? [])
  }

  // MARK: Loss

  /// A host is gone, with all that it had: its next life may know nothing of the turns that were not taken, and reports them again if it does.
  ///
  /// - Returns: The calls with which it reported them.
  mutating func lose(_ host: String) -> [CallToken] {
    makers.lose(host)
    guard !early.isEmpty else { return [] }
    let lost = early.values.joined().filter { $0.node == host }.map(\.token)
    if !lost.isEmpty { early = early.mapValues { $0.filter { $0.node != host } }.filter { !$0.value.isEmpty } }
    return lost
  }

  /// The links that are under way at a host, in the order of screens.
  func underWay(at host: String) -> [Key] { underWay.filter { $0.value == host }.keys.sorted() }

  /// Takes out every call that waits for a verdict.
  mutating func takeCalls() -> [CallToken] {
    defer { early = [:] }
    return early.values.joined().map(\.token)
  }

  /// Takes over who has what, as it was known when the scene was in memory last.
  mutating func take(makers others: [Key: String]) { makers.merge(others) { mine, _ in mine } }
}

extension [SceneLinks.Key: String] {
  /// Forgets a host.
  mutating func lose(_ host: String) {
    guard values.contains(host) else { return }
    self = filter { $0.value != host }
  }

  /// What a host has in a scene.
  func coordinators(of host: String, in scene: SceneIdentity) -> [RunningCoordinator] {
    compactMap { key, maker in
      maker == host ? RunningCoordinator(scene: scene, screen: key.screen, handled: 0, lease: key.lease) : nil
    }
  }
}
