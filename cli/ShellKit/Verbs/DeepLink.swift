import CommandKit

extension Verb {
  static let deeplink = Verb(
    "deeplink", .move, "Goes where a link leads",
    forms: [Form(.one("url", .url))],
    options: [
      .value("context", .text, "what the routes may ask for", placeholder: "JSON"), .flag("dry-run", "show the plan, do nothing"),
      .value("mode", .choice(["merge", "reset"]), "keep what is there, or begin at the root", fallback: "merge"),
      .flag("keep-prefix", "when a step fails, keep the steps before it"),
    ] + OptionDefinition.ofRequests,
    examples: [.init("deeplink app://shop/orders/9/items/4 --dry-run", "shows the steps the link would take")],
    errors: ["route.no_match", "route.invalid_url", "route.not_routable"],
    request: { call in
      .deeplink(
        DeepLink(
          url: call.text("url") ?? "", context: call.option("context"), isDryRun: call.flag("dry-run"),
          mode: call.option("mode") ?? "merge", keepsPrefix: call.flag("keep-prefix")))
    })
}
