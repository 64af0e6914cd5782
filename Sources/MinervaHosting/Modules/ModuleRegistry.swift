import Minerva
import MinervaNavigation
import MinervaWire

/// The modules of a host by name.
public struct ModuleRegistry: Sendable {
  private let offers: [String: ModuleOffer]
  private let routes: [String: [Route]]
  /// The names in the order in which they were offered.
  public let names: [String]

  /// Collects offers.
  /// - Throws: `module.schema_conflict` when two have the same name, `module.secret_exposed`, and `route.bad_pattern` for a route that cannot
  ///   be taken.
  public init(_ offers: [ModuleOffer]) throws {
    var byName: [String: ModuleOffer] = [:]
    for offer in offers {
      if let place = offer.exposedSecret {
        throw MinervaError(
          .moduleSecretExposed, "\(place) of \(offer.name) has a secret field, and is journaled whole; only inputs may have secrets")
      }
    }
    for offer in offers where byName.updateValue(offer, forKey: offer.name) != nil {
      throw MinervaError(.moduleSchemaConflict, "module \(offer.name) is offered twice by this host")
    }
    self.offers = byName
    var routes: [String: [Route]] = [:]
    for offer in offers {
      routes[offer.name] = try offer.routes.map { try $0.route(from: offer.name) }
      if offer.answer == nil, let asking = offer.routes.first(where: \.asks) {
        throw MinervaError(.routeBadPattern, "\(offer.name) has nobody to answer for its route \"\(asking.path)\": add answering { … }")
      }
    }
    self.routes = routes
    names = offers.map(\.name)
  }

  /// Where links lead from a module.
  func routes(from module: String) -> [Route] { routes[module] ?? [] }

  /// The offer of a name.
  /// - Throws: `module.unknown`, naming what this host has.
  func offer(_ name: String) throws -> ModuleOffer {
    guard let offer = offers[name] else {
      throw MinervaError(.moduleUnknown, "this host offers no module \"\(name)\"; it has \(names.joined(separator: ", "))")
    }
    return offer
  }

  /// All offers, in order.
  public var all: [ModuleOffer] { names.compactMap { offers[$0] } }
}
