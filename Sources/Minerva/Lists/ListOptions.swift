/// What a list does about identifiers, and when it gives up on change sets.
public struct ListOptions: Hashable, Sendable {
  /// What an identifier means that occurs twice, among the sections or among the rows of all sections.
  ///
  /// The same rule holds for the list that is shown and for the one that follows it. Separators and margins are nobody's to address: they are
  /// paired by occurrence within their section whatever the policy.
  public enum Duplicates: String, Codable, Hashable, Sendable {
    /// The value is refused with `list.duplicate_id`, which names the identifier and both paths; what was shown stays.
    case reject
    /// The first one counts; the others do not exist, neither for viewers nor in paths. A section that is left out takes its rows along.
    case first
    /// The k-th one is the k-th one of the list before.
    case occurrence
  }

  /// When two identifiers are the same.
  public enum Identity: String, Codable, Hashable, Sendable {
    /// When their UTF-8 is the same.
    case bytes
    /// When they are canonically equivalent, as Swift compares strings. Slower.
    case canonical
  }

  /// What becomes of identifiers that occur twice.
  public var duplicates: Duplicates
  /// When two identifiers are the same.
  public var identity: Identity
  /// The number of changed rows and sections above which the list is replaced as a whole instead of by a change set.
  public var reloadsAbove: Int

  /// A rendering carries a window of 2,000 rows at most (``ScreenRendering/carriedRows``), with a change set or without. Measured
  /// (on two cores, optimised): such a window has 120 kB and is read in 22 ms; 10,000 changes beside it have 17 kB and are
  /// read in 0.5 ms, and at 80,000 they are as large as the window. The bound is below that, since the broker keeps the change sets of a
  /// scene's latest events, and most of a long one is of rows that nobody sees.
  public static let reloadsAboveByDefault = 10_000

  /// Creates options; duplicates are refused and identity is bytes unless said otherwise.
  public init(duplicates: Duplicates = .reject, identity: Identity = .bytes, reloadsAbove: Int = reloadsAboveByDefault) {
    self.duplicates = duplicates
    self.identity = identity
    self.reloadsAbove = reloadsAbove
  }
}
