import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// What the hosts of an app offer: modules, one of which takes a secret, and routes whose owners are asked, or which hold one.
struct ScriptedApp {
  let name: String
  let modules: [ModuleDescription]
  let links: DeepLinkScope?

  /// The module that takes a secret, and the one that links wait for.
  static let card = "Card"
  static let login = "Login"

  /// The app of the scene, and another one of which a module may be open in it.
  static let shop = ScriptedApp(
    name: "shop", modules: [home, ModuleDescription(name: login), ModuleDescription(name: "Order"), secretive],
    links: DeepLinkScope(root: "Home", schemes: ["app"], hosts: ["shop"]))
  static let bank = ScriptedApp(name: "bank", modules: [ModuleDescription(name: "Pay")], links: nil)

  private static var home: ModuleDescription {
    let routes = [("orders/:id", "Order", false), ("vip/:id", "Order", true), ("card/:pin", card, true)].map { pattern, module, asks in
      Route(from: "Home", RoutePattern(pattern) ?? .any, module: module, asks: asks)
    }
    return ModuleDescription(name: "Home", routes: routes)
  }

  private static var secretive: ModuleDescription {
    let schema = PayloadSchema(name: card, shape: .object(name: card, [.init("pin", .secret(.string))]))
    return ModuleDescription(name: card, schema: (try? JSONValueEncoder().encode(schema))?.text)
  }

  /// What an owner answers that is asked whether a link may take its route.
  func decide(using random: inout SplitMix64) -> RouteDecision {
    switch Int.random(in: 0..<10, using: &random) {
    case ..<5: .wait(RouteStep(ModuleAddress(name: Self.login)))
    case ..<6: .redirect("orders/7")
    default: .proceed
    }
  }

  // MARK: Secrets

  /// The text that nobody may see but a host that makes a card.
  private static let secret = Array("hunter2".utf8)
  static let input: [UInt8] = Array(#"{"pin":"hunter2"}"#.utf8)
  static let urls = ["app://shop/orders/7", "app://shop/vip/7", "app://shop/card/hunter2", "app://shop/nowhere"]

  /// Whether the secret stands somewhere in these bytes. Linear.
  static func holdsSecret(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= secret.count else { return false }
    return bytes.indices.dropLast(secret.count - 1).contains { start in
      bytes[start] == secret[0] && bytes[start..<start + secret.count].elementsEqual(secret)
    }
  }
}
