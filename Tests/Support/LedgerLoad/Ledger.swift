package import Minerva
package import MinervaNavigation

/// A module for crash tests: it counts what it is given, tells its parent the sum, and keeps a form that is half filled in.
///
/// Neither the sum nor the form can be rebuilt from the input, and what a parent hears of its children is written down: a message that
/// is lost or handled twice shows in the declared state.
package enum Ledger: Module {
  package struct Input: Codable, Sendable {
    package var add: Int

    package init(add: Int) { self.add = add }
  }

  /// The sum so far.
  package typealias Output = Int
  /// The sum at the end.
  package typealias Result = Int

  /// What a coordinator of the module declares.
  package struct State: Codable, Hashable, Sendable {
    package var sum = 0
    /// How many additions make up the sum, besides the input's.
    package var taken = 0
    package var fields: [String: String] = [:]
    /// How many modules it has opened by itself.
    package var opened = 0
    /// How many of those were refused.
    package var refused = 0
    /// What it has heard of its children, in the order of their first word.
    package var heard: [Heard] = []
    /// What must not be: an output out of its order, a word after the end.
    package var troubles: [String] = []

    package init() {}
  }

  /// What the sum is, asked from coordinator to coordinator.
  package struct Sum: Question {
    package typealias Answer = Int

    package init() {}
  }

  /// What a parent knows of a child.
  package struct Heard: Codable, Hashable, Sendable {
    package var child: ScreenID
    package var outputs: UInt64 = 0
    package var last: Int?
    package var ended: RemovalReason?
    package var result: Int?

    package init(child: ScreenID) { self.child = child }
  }
}

package actor LedgerCoordinator: Coordinator {
  package nonisolated let context: Context<Ledger>
  package var state = Ledger.State()

  package init(_ input: Ledger.Input, _ context: Context<Ledger>) {
    self.context = context
    state.sum = input.add
  }

  package func configure(_ input: Ledger.Input) throws { try take(input.add) }

  package func handle(_ action: Action) throws {
    switch action {
    case .tap("more"): try take(1)
    case .tap("child"):
      state.opened += 1
      try context.push(Ledger.self, Ledger.Input(add: state.sum))
    case .tap("done"): try context.finish(state.sum)
    case .enter(let field, let value): state.fields[field] = value
    default: break
    }
  }

  package func answer(_ asked: inout Asked) throws { try asked.reply(to: Ledger.Sum.self) { _ in state.sum } }

  package func refused(_ refusal: Refusal) { state.refused += 1 }

  package func child(_ event: ChildEvent) throws {
    let index = state.heard.firstIndex { $0.child == event.child } ?? state.heard.endIndex
    if index == state.heard.endIndex { state.heard.append(Ledger.Heard(child: event.child)) }
    var heard = state.heard[index]
    if let ended = heard.ended { state.troubles.append("\(event.child) \(event.kind) after \(ended)") }
    switch event.kind {
    case .output(let number):
      if number != heard.outputs + 1 { state.troubles.append("\(event.child) output \(number) after \(heard.outputs)") }
      heard.outputs = number
      heard.last = try event.output(of: Ledger.self)
    case .ended(let reason):
      heard.ended = reason
      heard.result = try event.result(of: Ledger.self)
    }
    state.heard[index] = heard
  }

  private func take(_ number: Int) throws {
    state.sum += number
    state.taken += 1
    try context.output(state.sum)
  }

  package func render() -> Screen {
    Screen("Ledger") {
      ListSection("form") {
        TextInput("name", "Name", value: state.fields["name"] ?? "")
        TextInput("note", "Note", value: state.fields["note"] ?? "")
      }
      ListSection("sums") {
        Label("sum", "\(state.sum)")
        Label("taken", "\(state.taken)")
        Label("children", state.heard.suffix(8).map { "\($0.child) \($0.outputs)" }.joined(separator: ", "))
        Button("more", "One more")
        Button("child", "Open another")
        Button("done", "Done")
      }
    }
  }
}
