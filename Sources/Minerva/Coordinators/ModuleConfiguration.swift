public import MinervaNavigation

/// What a module is given while it is being opened (L1): collected by a block at the caller.
public struct ModuleConfiguration {
  package private(set) var inputs: [Command.ModuleInput] = []

  package init() {}

  /// Gives one more input to the module, or to the first on the way from it to its active leaf that is of this type (L4).
  public mutating func configure<M: Module>(_ module: M.Type, _ input: M.Input) throws {
    inputs.append(try Command.ModuleInput(module, input))
  }
}

extension Command.ModuleInput {
  /// Encodes an input for a module.
  public init<M: Module>(_ module: M.Type, _ input: M.Input) throws {
    self.init(module: M.name, input: try Payload.encode(input))
  }
}
