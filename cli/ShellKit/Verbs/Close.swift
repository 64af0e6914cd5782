import CommandKit
import MinervaNavigation

extension Verb {
  static let close = Verb(
    "close", .move, "Removes exactly these screens, wherever they stand", isEveryday: true,
    discussion: "What stands above them leaves too. A hidden tab's screen is closed without switching tabs.",
    forms: [Form(.many("screens", .reference, atLeast: 1))],
    options: OptionDefinition.ofRequests,
    examples: [.init("close @login", "removes the login screen"), .init("close s4 s9", "removes both as one transaction")],
    errors: ["nav.root_protected", "nav.stale_ref"],
    request: { call in
      .action { context in
        var screens: [ScreenRef] = []
        for token in call.tokens("screens") {
          if let reference = Reference(token.text) { screens.append(try await context.screen(reference)) }
        }
        return .close(screens)
      }
    })
}
