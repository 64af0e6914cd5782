public import Minerva
import MinervaNavigation
import MinervaWire

extension CatalogueFile {
  /// The module that a scene begins with: it has no screen, and opens the first.
  public var startModule: String { "\(start).start" }

  /// What the app's links begin with.
  public var appLinks: AppLinks? { links.map(AppLinks.init(scope:)) }

  /// The app's modules as a host offers them.
  public var offers: [ModuleOffer] {
    var begin = CatalogueModule(name: startModule, summary: "where a scene begins")
    begin.scripts["load"] = [.open(module: start, input: .object(JSONObject()), via: .root)]
    return ([begin] + modules).map { ModuleOffer($0) }
  }
}

extension ModuleOffer {
  init(_ module: CatalogueModule) {
    name = module.name
    summary = module.summary
    slots = module.slots
    let schema = PayloadSchema(name: module.name, shape: module.input)
    input = schema
    fingerprint = (schema.fingerprint ^ PayloadSchema(name: "", shape: module.output ?? .any).fingerprint) &* 0x0000_0100_0000_01B3
    exposedSecret = nil
    hearsLifecycle = false
    routes = module.routes.map { route in
      if let redirect = route.redirect { return .redirect(route.path, to: redirect) }
      return ModuleRoute(route.path, toModule: route.target ?? module.name, via: route.via, query: route.query)
    }
    let check: @Sendable ([UInt8]) throws -> Void = { try schema.validate($0.isEmpty ? Array("{}".utf8) : $0) }
    checkInput = check
    make = { bytes, link in
      try check(bytes)
      return try CatalogueCoordinator(module, input: bytes, link: link)
    }
  }
}
