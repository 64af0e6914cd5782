/// What turns one list into another: the batch form.
///
/// Positions of `deletes`, of the sources of `moves` and of the old side of `updates` are in the old list, all others in
/// the new one. Every column is ascending and free of duplicates; `moves` and `updates` are ordered by their new position.
///
/// Replay: take the old list; drop the deleted and the moved; put moved and inserted elements at their new positions; fill
/// the remaining places left to right with the old elements that are left. Updates tell whose content changed; an updated
/// element may have moved as well and is reported once.
///
/// With unique identifiers `moves` is as short as it can be: matched elements minus their longest increasing subsequence.
///
/// Memory: 4 bytes a delete or insert, 8 a move or update.
public struct ChangeSet: Sendable, Hashable {
  /// The number of elements before.
  public let oldCount: Int
  /// The number of elements after.
  public let newCount: Int
  /// Old positions of the elements that are gone.
  public let deletes: Positions
  /// New positions of the elements that are new.
  public let inserts: Positions
  /// Elements that changed their place among those that stay.
  public let moves: Moves
  /// Elements that stay, moved or not, with another content.
  public let updates: Updates

  /// Puts together columns that are known to be valid.
  @usableFromInline
  package init(
    trusted oldCount: Int, _ newCount: Int, deletes: [Int32] = [], inserts: [Int32] = [], moves: [Link] = [], updates: [Link] = []
  ) {
    self.oldCount = oldCount
    self.newCount = newCount
    self.deletes = Positions(deletes)
    self.inserts = Positions(inserts)
    self.moves = Moves(moves)
    self.updates = Updates(updates)
  }

  /// A change set that changes nothing in a list of `count` elements.
  ///
  /// - Precondition: `count` is not negative and below 2³¹.
  public init(unchanged count: Int) {
    self.init(trusted: count, count)
  }

  /// Whether the old list and the new one are the same.
  public var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

  /// The number of operations.
  public var operationCount: Int { deletes.count + inserts.count + moves.count + updates.count }
}

/// An element that changed its place: from a position in the old list to one in the new.
public struct Move: Sendable, Hashable {
  /// Its position in the old list.
  public var from: Int
  /// Its position in the new list.
  public var to: Int

  /// A move between two positions.
  @inlinable
  public init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}

/// An element whose content changed, by its position in both lists.
public struct Update: Sendable, Hashable {
  /// Its position in the old list.
  public var old: Int
  /// Its position in the new list.
  public var new: Int

  /// An update of the element at two positions.
  @inlinable
  public init(old: Int, new: Int) {
    self.old = old
    self.new = new
  }
}

extension Move: CustomStringConvertible {
  public var description: String { "\(from)→\(to)" }
}

extension Update: CustomStringConvertible {
  public var description: String { "\(old)→\(new)" }
}

extension ChangeSet: CustomStringConvertible {
  public var description: String {
    "\(oldCount) → \(newCount): deletes \(deletes), inserts \(inserts), moves \(moves), updates \(updates)"
  }
}

/// An old and a new position of one element, as stored.
@frozen
@usableFromInline
package struct Link: Sendable, Hashable, BitwiseCopyable {
  @usableFromInline package var old: Int32
  @usableFromInline package var new: Int32

  @inlinable
  @inline(__always)
  package init(old: Int32, new: Int32) {
    self.old = old
    self.new = new
  }
}
