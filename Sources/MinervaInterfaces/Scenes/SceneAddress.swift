/// The name by which a caller means a scene.
///
/// A scene that does not exist yet is made by its first use, for `app`, or for the only registered app when `app` is `nil`.
public struct SceneAddress: Codable, Hashable, Sendable, CustomStringConvertible {
  /// The name of the scene, unique at its broker; `main` unless the caller says otherwise.
  public var name: String
  /// The app whose modules the scene opens, or `nil` for the only one that is registered.
  public var app: String?

  public init(name: String = "main", app: String? = nil) {
    self.name = name
    self.app = app
  }

  /// The address of a scene that is known by its identity.
  public init(_ identity: SceneIdentity) {
    self.init(name: identity.name, app: identity.app)
  }

  public var description: String { name }
}

/// One life of a scene: its name, its app and the number of times a scene of this name was begun.
public struct SceneIdentity: Codable, Hashable, Sendable, CustomStringConvertible {
  public var name: String
  public var app: String
  /// Counts from 1; a scene that was ended and begun again under its name has the next number.
  public var incarnation: UInt64

  public init(name: String, app: String, incarnation: UInt64) {
    self.name = name
    self.app = app
    self.incarnation = incarnation
  }

  public var description: String { "\(app)/\(name)#\(incarnation)" }
}
