/// An element of a list that can be diffed: who it is, and whether it looks the same.
///
/// A value whose type is `Hashable` can be its own identifier; an `Identifiable` type keeps its `id`; an `Equatable` type
/// gets the content comparison for free. Identifiers of the standard integers and of `String` take fast paths; strings are
/// compared by their UTF-8 bytes unless ``Differ/Options/strings`` says otherwise.
public protocol Diffable {
  associatedtype DiffID: Hashable

  /// Who the element is: equal identifiers in the old and the new list are one element.
  var diffID: DiffID { get }

  /// Whether an element with the same identifier has the same content, so that nothing has to be drawn again.
  func hasSameContent(as other: Self) -> Bool
}

extension Diffable where Self: Identifiable, DiffID == ID {
  /// The `Identifiable` identifier.
  @inlinable
  @inline(__always)
  public var diffID: ID { id }
}

extension Diffable where Self: Equatable {
  /// Whether both are equal.
  @inlinable
  @inline(__always)
  public func hasSameContent(as other: Self) -> Bool { self == other }
}

extension Diffable where Self: Hashable, DiffID == Self {
  /// The value itself.
  @inlinable
  @inline(__always)
  public var diffID: Self { self }

  /// True: a value that is its own identifier has no other content.
  @inlinable
  @inline(__always)
  public func hasSameContent(as other: Self) -> Bool { true }
}

extension Int: Diffable { public typealias DiffID = Int }
extension Int32: Diffable { public typealias DiffID = Int32 }
extension Int64: Diffable { public typealias DiffID = Int64 }
extension UInt: Diffable { public typealias DiffID = UInt }
extension UInt32: Diffable { public typealias DiffID = UInt32 }
extension UInt64: Diffable { public typealias DiffID = UInt64 }
extension String: Diffable { public typealias DiffID = String }
extension Character: Diffable { public typealias DiffID = Character }
