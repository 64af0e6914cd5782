/// A named unit that can be opened: what goes in, what it tells while it is open, and what it ends with.
///
/// A module is an interface. The coordinator behind it may run in another process, so callers need this type alone:
///
/// ```swift
/// enum ColorPicker: Module {
///   struct Input: Codable, Sendable { var initial: String }
///   typealias Result = String
/// }
/// ```
public protocol Module: Sendable {
  /// What the module is opened with; more of it may come later.
  associatedtype Input: Codable & Sendable = NoInput
  /// What the module tells its parent while it is open, any number of times.
  associatedtype Output: Codable & Sendable = Never
  /// What the module ends with, at most once.
  associatedtype Result: Codable & Sendable = Never

  /// The name by which it is opened; the type's own name unless the module says otherwise.
  static var name: String { get }
  /// One line for people.
  static var summary: String { get }
  /// The names of the places where other modules can be embedded.
  static var slots: [String] { get }
  /// Where links lead from it.
  static var routes: [ModuleRoute] { get }
}

extension Module {
  public static var name: String { String(describing: Self.self) }
  public static var summary: String { "" }
  public static var slots: [String] { [] }
  public static var routes: [ModuleRoute] { [] }
}

/// The input of a module that needs none: an object without members.
public struct NoInput: Codable, Hashable, Sendable {
  public init() {}
}

/// The state of a coordinator that its input alone can rebuild.
public struct NoState: Codable, Hashable, Sendable {
  public init() {}
}
