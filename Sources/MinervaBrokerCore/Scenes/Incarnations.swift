import MinervaInterfaces

/// The last life of every scene name, also of scenes that ended.
struct Incarnations {
  private var last: [String: UInt64] = [:]
  /// The highest number of the scenes of which the journal keeps nothing any more.
  private var forgotten: UInt64 = 0

  mutating func reserveCapacity(_ count: Int) { last.reserveCapacity(count) }

  mutating func note(_ identity: SceneIdentity) { last[identity.name] = max(last[identity.name] ?? 0, identity.incarnation) }

  /// Notes that scenes up to this number may have been forgotten.
  mutating func note(forgotten: UInt64) { self.forgotten = max(self.forgotten, forgotten) }

  /// The number of the next scene of a name: no earlier one had it, also none that nothing is kept of.
  func next(of name: String) -> UInt64 { max(last[name] ?? 0, forgotten) + 1 }
}
