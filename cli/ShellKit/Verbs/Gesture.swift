import CommandKit
import MinervaNavigation

extension Verb {
  static let gesture = Verb(
    "gesture", .act, "Removes by the finger: begin, then commit or cancel",
    discussion: "A gesture that is never ended is cancelled by its deadline.",
    forms: [Form(.one("what", .keyword(["back", "dismiss"])), .one("step", .keyword(["begin", "commit", "cancel"])))],
    options: OptionDefinition.ofRequests,
    examples: [.init("gesture back begin; gesture back cancel", "begins to swipe the top screen away and lets go")],
    errors: ["nav.vetoed", "nav.root_protected"],
    request: { call in
      let what = call.text("what").flatMap(Command.Gesture.init) ?? .back
      let step = call.text("step").flatMap(Command.GestureStep.init) ?? .cancel
      return .action { _ in .gesture(what, step) }
    })
}
