package import MinervaNavigation

/// Random records of every kind, each out of the scene's present: what must hold at every step, at the end, and when they are replayed.
package enum RecordProperty {
  /// Plays the throws, lets everything come to rest, and replays what was journaled; returns what is wrong, if anything is.
  package static func flaw(_ throwsOfDice: [UInt64]) -> String? {
    var scene = RandomScene()
    for (number, seed) in throwsOfDice.enumerated() {
      let record = scene.next(seed)
      if let flaw = scene.feed(record) { return "step \(number), \(record): \(flaw)" }
    }
    if let flaw = scene.drain() { return "at the end: \(flaw)" }
    return replayFlaw(scene)
  }

  /// Replay equals live: the same records give the same effects and the same state (N17).
  private static func replayFlaw(_ scene: RandomScene) -> String? {
    var again = RandomScene().state
    var recorded = scene.steps.lazy.filter { $0.seq != nil }.makeIterator()
    for (number, entry) in scene.journal.enumerated() where again.apply(entry.record, at: entry.at) != recorded.next() {
      return "replayed, record \(number + 1) has other effects: \(entry.record)"
    }
    return again == scene.state && again.treeHash == scene.state.treeHash ? nil : "replayed, the records give another state"
  }
}

extension RandomScene {
  /// The record that one throw of the dice gives, perhaps some time after the last.
  package mutating func next(_ seed: UInt64) -> Record {
    var dice = Dice(seed: seed)
    if dice.once(in: 8) { time = time.advanced(by: UInt64(dice.roll(700))) }
    return record(&dice)
  }
}

extension Dice {
  /// So many throws from a seed; each is a sequence of choices of its own, so that a shorter sequence means the same.
  package static func throwsOfDice(_ count: Int, seed: UInt64) -> [UInt64] {
    var dice = Dice(seed: seed)
    return (0..<count).map { _ in dice.next() }
  }
}
