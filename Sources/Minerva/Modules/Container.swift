/// What a screen holds besides its own list: nothing, tabs, or two stacks side by side.
public struct Container: Sendable {
  /// One stack that a container begins with: a name, and the module at its root.
  public struct Root: Sendable {
    /// The name of the tab; `primary` and `detail` in a split.
    public var name: String
    public var module: String
    package var input: [UInt8]
  }

  package enum Kind: Sendable {
    case none
    case tabs([Root], selected: String?)
    case split(primary: Root, detail: Root?)
  }

  package var kind: Kind

  /// No stacks of its own.
  public static let none = Container(kind: .none)

  /// Tabs in order, each with the module at its root; the first is selected unless another is named.
  public static func tabs(_ roots: [Root], selected: String? = nil) -> Container {
    Container(kind: .tabs(roots, selected: selected))
  }

  /// A primary and a detail stack; without a detail module the detail stack is empty until something is opened in it.
  public static func split(primary: Root, detail: Root? = nil) -> Container {
    Container(kind: .split(primary: primary, detail: detail))
  }
}

extension Container.Root {
  /// A tab named `name` whose root is an occurrence of a module.
  public static func tab<M: Module>(_ name: String, _ module: M.Type, _ input: M.Input) throws -> Self {
    Self(name: name, module: M.name, input: try Payload.encode(input))
  }

  /// A module at the root of a split's stack.
  public static func root<M: Module>(_ module: M.Type, _ input: M.Input) throws -> Self {
    Self(name: "", module: M.name, input: try Payload.encode(input))
  }
}
