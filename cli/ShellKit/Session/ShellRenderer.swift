package import MinervaNavigation
import MinervaWire

/// What a session knows as the one who shows its scene: how it acknowledges transitions, and which ones wait for that.
///
/// A plain value: events and time go in, acknowledgements come out.
package struct ShellRenderer: Sendable {
  /// When a transition is acknowledged.
  package enum Pace: Sendable, Hashable {
    /// Nobody shows the scene: transitions settle at once.
    case off
    case instant
    /// When it is told to.
    case hold
    case after(Duration)

    /// Reads the word behind `render`.
    package init?(_ word: String, duration: Duration?) {
      switch word {
      case "off": self = .off
      case "instant": self = .instant
      case "hold": self = .hold
      default:
        guard let duration else { return nil }
        self = .after(duration)
      }
    }
  }

  /// A transition that is shown and not acknowledged.
  package struct Shown: Sendable, Hashable {
    package var transition: Transition
    /// When it is to be acknowledged, in milliseconds of scene time; `nil` when it is held.
    package var due: Int64?
  }

  package private(set) var pace = Pace.off
  /// The oldest first.
  package private(set) var shown: [Shown] = []

  package init() {}

  /// Takes another pace; what is shown keeps the one it began with.
  package mutating func change(to pace: Pace) { self.pace = pace }

  /// Forgets everything, as in another scene.
  package mutating func reset() {
    pace = .off
    shown = []
  }

  /// Takes a transition that begins at a moment of scene time; returns it when it is to be acknowledged at once.
  package mutating func begin(_ transition: Transition, at time: Int64) -> Transition? {
    guard !shown.contains(where: { $0.transition.number == transition.number }) else { return nil }
    switch pace {
    case .off: return nil
    case .instant: return transition
    case .hold: shown.append(Shown(transition: transition, due: nil))
    case .after(let span):
      shown.append(Shown(transition: transition, due: time + span.milliseconds))
    }
    return nil
  }

  /// Forgets the transition of a request that is over, by its own deadline or by our word.
  package mutating func settle(_ seq: UInt64) { shown.removeAll { $0.transition.seq == seq } }

  /// The next moment at which one is to be acknowledged.
  package var nextDue: Int64? { shown.compactMap(\.due).min() }

  /// Takes those that are due, the oldest first.
  package mutating func takeDue(at time: Int64) -> [Transition] {
    let due = shown.filter { $0.due.map { $0 <= time } ?? false }
    shown.removeAll { item in due.contains(item) }
    return due.sorted { ($0.due ?? 0, $0.transition.number) < ($1.due ?? 0, $1.transition.number) }.map(\.transition)
  }

  /// Takes the transition of a request, or the oldest.
  package mutating func take(_ seq: UInt64?) -> Transition? {
    guard let index = seq.map({ seq in shown.firstIndex { $0.transition.seq == seq } }) ?? shown.indices.first else { return nil }
    return shown.remove(at: index).transition
  }
}
