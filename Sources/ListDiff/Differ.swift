/// Computes change sets between lists.
///
/// ```swift
/// let changes = try Differ().changes(from: old, to: new)
/// let replayed = try changes.apply(to: old, from: new)   // equals new
/// ```
///
/// The result depends on the lists and the options alone, never on a hash seed. Lists of the same identifiers in the same
/// order cost one comparison an element; hashing is left to what a short lookahead cannot pair. Worst case O(*n*) expected
/// for matching, and at most O(*m* log *m*) for the moves of *m* matched elements; duplicates keep both bounds.
public struct Differ: Sendable {
  /// What is asked of a diff.
  public struct Options: Sendable, Hashable {
    /// What a list with one identifier twice means.
    public enum Duplicates: Sendable, Hashable {
      /// The diff throws `diff.duplicate`, naming the identifier and both places.
      case reject
      /// The first element with an identifier counts, later ones do not exist: the positions of the change set are those
      /// of the lists without them (`firstOccurrences(of:)`).
      case first
      /// The *k*-th element with an identifier is the *k*-th one with it in the other list, or a pairing that needs fewer
      /// moves.
      case occurrence
    }

    /// How elements that change their order are told.
    public enum Moves: Sendable, Hashable {
      /// As few moves as possible.
      case minimal
      /// As few moves as possible with none from a position to the same position, which can be more. An item that has to
      /// cross from a path to the same path, because sections changed places, is deleted and inserted.
      case withoutSelfMoves
      /// No moves: what would move is deleted at its old position and inserted at its new one.
      case deleteAndInsert
    }

    /// How elements whose content changed are told.
    public enum Updates: Sendable, Hashable {
      /// As updates, moved or not.
      case update
      /// As a delete at the old and an insert at the new position (IGListKit's form).
      case deleteAndInsert
    }

    /// When two strings are one identifier.
    public enum Strings: Sendable, Hashable {
      /// When their UTF-8 is the same, byte for byte.
      case bytes
      /// When Swift's `==` says so: by Unicode canonical equivalence. Slower.
      case canonical
    }

    /// What one identifier twice means.
    public var duplicates: Duplicates
    /// How changes of order are told.
    public var moves: Moves
    /// How changes of content are told.
    public var updates: Updates
    /// When two strings are one identifier.
    public var strings: Strings

    /// Options; without any: by occurrence, fewest moves, updates, bytes.
    public init(
      duplicates: Duplicates = .occurrence, moves: Moves = .minimal, updates: Updates = .update, strings: Strings = .bytes
    ) {
      self.duplicates = duplicates
      self.moves = moves
      self.updates = updates
      self.strings = strings
    }
  }

  /// What is asked of each diff.
  public var options: Options

  /// Asked between steps and every 65,536 elements within them; true makes the diff throw `diff.cancelled`.
  public var isCancelled: @Sendable () -> Bool

  /// A differ with these options, which asks `isCancelled` now and then whether to go on.
  @inlinable
  public init(_ options: Options = Options(), isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.options = options
    self.isCancelled = isCancelled
  }

  /// How many elements a step handles between two looks at the cancellation check.
  @usableFromInline static var stride: Int { 1 << 16 }

  @inlinable
  func checkCancellation() throws(DiffError) {
    if isCancelled() { throw .cancelled }
  }
}

extension Differ {
  /// The changes between two lists of diffable elements.
  ///
  /// - Throws: `diff.duplicate` with the policy `reject`, `diff.too_large` from 2³¹ elements, `diff.cancelled`.
  @inlinable
  public func changes<Element: Diffable>(from old: [Element], to new: [Element]) throws(DiffError) -> ChangeSet {
    unsafe try old.withUnsafeBufferPointer { (old) throws(DiffError) -> ChangeSet in
      unsafe try new.withUnsafeBufferPointer { (new) throws(DiffError) -> ChangeSet in
        switch options.strings {
        case .bytes: unsafe try changes(between: Elements<Element, ByteIdentity>(old: old, new: new))
        case .canonical: unsafe try changes(between: Elements<Element, EqualityIdentity>(old: old, new: new))
        }
      }
    }
  }

  /// The changes between two lists, with closures for identifier and content.
  ///
  /// The elements need no conformance. Each identifier is drawn once and kept for the time of the diff; a ``Diffable`` type
  /// is faster and keeps nothing.
  ///
  /// - Throws: `diff.duplicate` with the policy `reject`, `diff.too_large` from 2³¹ elements, `diff.cancelled`.
  @inlinable
  public func changes<Element, ID: Hashable>(
    from old: [Element], to new: [Element], id: (Element) -> ID,
    sameContent: @escaping (_ old: Element, _ new: Element) -> Bool = { _, _ in true }
  ) throws(DiffError) -> ChangeSet {
    try requireIndexable(old: old.count, new: new.count)
    let same: (Int, Int) -> Bool = { i, j in sameContent(old[i], new[j]) }
    return unsafe try old.map(id).withUnsafeBufferPointer { (old) throws(DiffError) -> ChangeSet in
      unsafe try new.map(id).withUnsafeBufferPointer { (new) throws(DiffError) -> ChangeSet in
        switch options.strings {
        case .bytes: unsafe try changes(between: KeyedElements<ID, ByteIdentity>(old: old, new: new, sameContent: same))
        case .canonical: unsafe try changes(between: KeyedElements<ID, EqualityIdentity>(old: old, new: new, sameContent: same))
        }
      }
    }
  }

  /// The list without the elements whose identifier has occurred before: what the policy `first` diffs.
  @inlinable
  public func firstOccurrences<Element: Diffable>(of list: [Element]) throws(DiffError) -> [Element] {
    try requireIndexable(old: list.count, new: 0)
    let kept = unsafe try list.withUnsafeBufferPointer { (list) throws(DiffError) -> [Int32] in
      let none = unsafe UnsafeBufferPointer<Element>(start: nil, count: 0)
      switch options.strings {
      case .bytes:
        return unsafe try Occurrences.first(OldSide(Elements<Element, ByteIdentity>(old: list, new: none)), self)
      case .canonical:
        return unsafe try Occurrences.first(OldSide(Elements<Element, EqualityIdentity>(old: list, new: none)), self)
      }
    }
    return kept.count == list.count ? list : kept.map { list[Int($0)] }
  }
}
