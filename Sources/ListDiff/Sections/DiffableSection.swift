/// A section of a list: an identifier, content of its own (header, footer, constraints), and items.
///
/// ``Diffable/hasSameContent(as:)`` is about the section's own content alone. An `Equatable` section gets it for free:
/// two sections have the same content when they are equal without their items.
public protocol DiffableSection: Diffable {
  associatedtype Item: Diffable

  /// The items, in order.
  var items: [Item] { get }

  /// The same section with other items.
  func replacingItems(_ items: [Item]) -> Self
}

extension DiffableSection where Self: Equatable {
  /// Whether both are equal but for their items.
  @inlinable
  public func hasSameContent(as other: Self) -> Bool { replacingItems([]) == other.replacingItems([]) }
}
