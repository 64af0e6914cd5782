public import Minerva
import MinervaNavigation
import MinervaWire

/// A module together with what makes its coordinator: what a host offers.
public struct ModuleOffer: Sendable {
  /// The module's name.
  public let name: String
  /// One line for people.
  public let summary: String
  /// The names of its embed slots.
  public let slots: [String]

  let make: @Sendable (_ input: [UInt8], _ link: any CoordinatorLink) async throws -> any CoordinatorRunning
  let checkInput: @Sendable (_ input: [UInt8]) throws -> Void

  /// Offers the module of a coordinator.
  ///
  /// ```swift
  /// ModuleOffer { input, context in ProfileCoordinator(input, context, store: store) }
  /// ```
  /// - Parameter factory: Makes the coordinator; one that throws is answered with `module.factory_failed`, or with its own
  ///   `MinervaError` (L7).
  public init<Made: Coordinator>(
    _ factory: @escaping @Sendable (_ input: Made.Subject.Input, _ context: Context<Made.Subject>) async throws -> Made
  ) {
    let name = Made.Subject.name
    self.name = name
    summary = Made.Subject.summary
    slots = Made.Subject.slots
    checkInput = { _ = try Payload.decode(Made.Subject.Input.self, from: $0, as: name, code: .inputInvalid) }
    make = { bytes, link in
      let input = try Payload.decode(Made.Subject.Input.self, from: bytes, as: name, code: .inputInvalid)
      return TypedCoordinator(try await factory(input, Context(link: link)))
    }
  }
}
