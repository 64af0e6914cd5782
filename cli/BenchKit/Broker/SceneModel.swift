import MinervaInterfaces
import MinervaNavigation

/// What a scene must be after the transitions that were answered, in the order in which the broker says it made them.
///
/// A stack of names with their inputs and nothing else: it shares no code with the core that it checks.
struct SceneModel: Sendable {
  /// One answered transition.
  struct Step: Hashable, Sendable {
    /// What was asked for.
    enum Kind: Hashable, Sendable {
      /// A push of an input with this number.
      case push(UInt64)
      case pop
    }

    var seq: UInt64
    var kind: Kind
    /// The screen that the answer says was presented, or removed.
    var screen: UInt32

    init(seq: UInt64, kind: Kind, screen: UInt32) {
      self.seq = seq
      self.kind = kind
      self.screen = screen
    }

    /// Reads the answer to a request.
    ///
    /// - Throws: ``Fault`` for an answer that speaks of another change than was asked for.
    init(_ kind: Kind, _ answer: SceneAnswer) throws(Fault) {
      let outcome = answer.outcome
      guard let seq = answer.seq, outcome.changed else { throw Fault(description: "an answer without a record, or no change") }
      let screens: [ScreenID]
      switch kind {
      case .push:
        screens = outcome.presented.map(\.screen)
        guard outcome.removed.isEmpty else { throw Fault(description: "#\(seq): a push removed something") }
      case .pop:
        screens = outcome.removed.map(\.screen)
        guard outcome.presented.isEmpty else { throw Fault(description: "#\(seq): a pop presented something") }
        guard outcome.removed.allSatisfy({ $0.reason == .popped }) else {
          throw Fault(description: "#\(seq): a pop removed for another reason")
        }
      }
      guard screens.count == 1 else { throw Fault(description: "#\(seq): \(screens.count) screens changed instead of one") }
      self.init(seq: seq, kind: kind, screen: screens[0].number)
    }
  }

  /// What is wrong.
  struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    var description: String
  }

  struct Screen: Hashable, Sendable {
    var id: UInt32
    var input: UInt64
  }

  private(set) var stack: [Screen] = []
  /// The record of the last transition.
  private(set) var seq: UInt64 = 0
  private var steps: [Step] = []

  init() {}

  /// The largest record of a transition that was answered.
  var lastRecord: UInt64 { steps.reduce(seq) { max($0, $1.seq) } }

  /// Notes an answer, in any order.
  mutating func note(_ step: Step) { steps.append(step) }

  /// Makes the transitions that were noted, in the order of their records.
  ///
  /// - Parameter isGapless: Whether every record since the last check must be one of them.
  /// - Throws: ``Fault`` at the first that cannot have happened.
  mutating func settle(isGapless: Bool) throws(Fault) {
    for step in steps.sorted(by: { $0.seq < $1.seq }) {
      guard step.seq > seq else { throw Fault(description: "#\(step.seq) answers two requests") }
      if isGapless, seq > 0, step.seq != seq + 1 { throw Fault(description: "#\(seq + 1) is nobody's answer; #\(step.seq) follows") }
      seq = step.seq
      switch step.kind {
      case .push(let input):
        if let last = stack.last, step.screen <= last.id { throw Fault(description: "#\(seq): s\(step.screen) opened over s\(last.id)") }
        stack.append(Screen(id: step.screen, input: input))
      case .pop:
        guard let last = stack.popLast() else { throw Fault(description: "#\(seq): a pop of nothing") }
        guard last.id == step.screen else {
          throw Fault(description: "#\(seq): s\(step.screen) was removed, s\(last.id) was on top")
        }
      }
    }
    steps = []
  }

  /// Compares the scene with what it must be.
  ///
  /// - Parameter input: The bytes of the input of a number.
  /// - Throws: ``Fault`` for the first difference.
  func check(_ tree: SceneTree, module: String, input: (UInt64) -> [UInt8]) throws(Fault) {
    guard tree.layers.count == 1 else { throw Fault(description: "\(tree.layers.count) layers instead of one") }
    let screens = tree.layers[0].stack
    guard screens.count == stack.count else {
      throw Fault(description: "\(screens.map(\.id)) stand there instead of \(stack.map { ScreenID($0.id) })")
    }
    for (index, (found, wanted)) in zip(screens, stack).enumerated() {
      guard found.id.number == wanted.id, found.module == module, found.phase == .presented, found.input == input(wanted.input) else {
        throw Fault(description: "at \(index) stands \(found.id) \(found.module), where s\(wanted.id) \(module) must be")
      }
    }
  }
}
