extension ChangeSet {
  /// Ascending positions in a list, stored in 4 bytes each.
  public struct Positions: Sendable, Hashable, RandomAccessCollection {
    @usableFromInline package let storage: [Int32]

    @inlinable
    package init(_ storage: [Int32]) { self.storage = storage }

    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { storage.count }
    @inlinable public subscript(index: Int) -> Int { Int(storage[index]) }
  }

  /// Moves, ascending by the position moved to, stored in 8 bytes each.
  public struct Moves: Sendable, Hashable, RandomAccessCollection {
    @usableFromInline package let storage: [Link]

    @inlinable
    package init(_ storage: [Link]) { self.storage = storage }

    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { storage.count }
    @inlinable public subscript(index: Int) -> Move { Move(from: Int(storage[index].old), to: Int(storage[index].new)) }
  }

  /// Updates, ascending by the new position, stored in 8 bytes each.
  public struct Updates: Sendable, Hashable, RandomAccessCollection {
    @usableFromInline package let storage: [Link]

    @inlinable
    package init(_ storage: [Link]) { self.storage = storage }

    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { storage.count }
    @inlinable public subscript(index: Int) -> Update { Update(old: Int(storage[index].old), new: Int(storage[index].new)) }
  }
}

extension ChangeSet.Positions: CustomStringConvertible {
  public var description: String { Array(self).description }
}

extension ChangeSet.Moves: CustomStringConvertible {
  public var description: String { Array(self).description }
}

extension ChangeSet.Updates: CustomStringConvertible {
  public var description: String { Array(self).description }
}
