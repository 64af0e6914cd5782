public import MinervaNavigation

/// A way from a screen that has a name: a storyboard's segue. `go NAME` takes it.
public struct Segue: Sendable {
  /// The name after `go`.
  public var name: String
  package var opening: Command.Opening

  /// Names a way to a module.
  ///
  /// - Parameters:
  ///   - name: What follows `go`.
  ///   - module: Where it leads.
  ///   - input: What the module is opened with when `go` gives nothing else.
  ///   - presentation: Where the module goes.
  public init<M: Module>(_ name: String, to module: M.Type, _ input: M.Input, via presentation: Presentation = .push) throws {
    self.name = name
    opening = Command.Opening(ModuleAddress(name: M.name), input: try Payload.encode(input), via: presentation)
  }
}
