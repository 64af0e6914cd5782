/// Where a distributed actor lives: the name of its process and its name there.
public struct ActorAddress: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The name of the process, as it introduced itself.
  public var node: String
  /// The name of the actor within the process.
  public var name: String

  public init(node: String, name: String) {
    self.node = node
    self.name = name
  }

  public var description: String { "\(node)/\(name)" }
}
