import MinervaWire

/// The modules of a host by name.
public struct ModuleRegistry: Sendable {
  private let offers: [String: ModuleOffer]
  /// The names in the order in which they were offered.
  public let names: [String]

  /// Collects offers.
  /// - Throws: `module.schema_conflict` when two have the same name.
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
    names = offers.map(\.name)
  }

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
