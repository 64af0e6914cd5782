import CommandKit
import MinervaNavigation

extension Verb {
  static let tab = Verb(
    "tab", .move, "Selects a tab, or lists the tabs", isEveryday: true,
    discussion: "Selecting the selected tab changes nothing; with --reset it is popped to its root.",
    forms: [Form(.maybe("name", .name("NAME")), .clause("of", "of", .reference))],
    options: [.flag("reset", "pop that tab to its root")] + OptionDefinition.ofRequests,
    examples: [.init("tab orders", "selects orders"), .init("tab", "lists the tabs")],
    errors: ["nav.no_container", "nav.target_not_found"],
    request: { call in
      guard let name = call.text("name") else { return .look(.tabs) }
      return .action { context in
        var container: ScreenRef?
        if let reference = call.reference("of") { container = try await context.screen(reference) }
        return .selectTab(name: name, of: container, reset: call.flag("reset"))
      }
    })
}
