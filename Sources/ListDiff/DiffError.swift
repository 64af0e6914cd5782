/// What went wrong in a diff, a replay or a decode, in words that say what to do.
public struct DiffError: Error, Sendable, Hashable {
  /// The kind of error, open for later kinds: compare with the constants.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The stable dotted name, the same in every process and version.
    public let name: String

    private init(_ name: String) { self.name = name }

    /// One identifier occurs twice in a list and the policy is `reject`.
    public static let duplicate = Code("diff.duplicate")
    /// A list has 2³¹ elements or more; positions are 32 bits wide.
    public static let tooLarge = Code("diff.too_large")
    /// The caller's cancellation check said so; nothing was computed.
    public static let cancelled = Code("diff.cancelled")
    /// A change set meets a list that is not the one it was computed from.
    public static let mismatch = Code("diff.mismatch")
    /// A change set contradicts itself: an index out of range, used twice or out of order.
    public static let invalid = Code("diff.invalid")
    /// Bytes are not a change set: cut short, too long, of another version.
    public static let malformed = Code("diff.malformed")
    /// A well-formed input exceeds the limit the caller set.
    public static let limit = Code("diff.limit")

    public var description: String { name }
  }

  /// Which of the two lists.
  public enum Side: String, Sendable, Hashable {
    case old, new
  }

  /// Where an element or a section stands; printed as `4`, `section 2` or `2.4`.
  public struct Place: Sendable, Hashable, CustomStringConvertible {
    /// The section's position, or nil in a flat list.
    public var section: Int?
    /// The item's position, or nil for a section.
    public var item: Int?

    /// A place of a flat list (an item alone), of a section, or of an item in a section.
    public init(section: Int? = nil, item: Int? = nil) {
      self.section = section
      self.item = item
    }

    public var description: String {
      switch (section, item) {
      case (let section?, let item?): "\(section).\(item)"
      case (let section?, nil): "section \(section)"
      case (nil, let item?): "\(item)"
      case (nil, nil): "nowhere"
      }
    }
  }

  /// The identifier that occurs twice, and where.
  public struct Duplicate: Sendable, Hashable {
    /// The identifier in words.
    public var id: String
    /// The list that has it twice.
    public var side: Side
    /// Where it is first.
    public var first: Place
    /// Where it is again.
    public var second: Place
  }

  /// What is wrong, for programs: stable.
  public let code: Code
  /// What is wrong and what to do, for people.
  public let message: String
  /// Present with the code `duplicate`.
  public let duplicate: Duplicate?

  /// Whether the same call may succeed later; only a cancelled one.
  public var retryable: Bool { code == .cancelled }

  package init(_ code: Code, _ message: String, duplicate: Duplicate? = nil) {
    self.code = code
    self.message = message
    self.duplicate = duplicate
  }
}

extension DiffError: CustomStringConvertible {
  public var description: String { "\(code): \(message)" }
}

extension DiffError {
  @usableFromInline
  static func duplicate(_ id: String, _ side: Side, first: Place, second: Place) -> DiffError {
    DiffError(
      .duplicate,
      "the \(side.rawValue) list holds the identifier \"\(id)\" at \(first) and again at \(second); "
        + "make identifiers unique, or choose the policy `first` or `occurrence`",
      duplicate: Duplicate(id: id, side: side, first: first, second: second))
  }

  @usableFromInline
  static func tooLarge(_ count: Int, _ side: Side) -> DiffError {
    DiffError(.tooLarge, "the \(side.rawValue) list has \(count) elements; split it, fewer than 2147483648 are possible")
  }

  @usableFromInline
  static var cancelled: DiffError {
    DiffError(.cancelled, "the diff was cancelled before it was done; a newer request may have taken over")
  }
}

/// Refuses lists whose positions do not fit 32 bits.
@usableFromInline
func requireIndexable(old: Int, new: Int) throws(DiffError) {
  if old > Int(Int32.max) { throw .tooLarge(old, .old) }
  if new > Int(Int32.max) { throw .tooLarge(new, .new) }
}
