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

  public var duplicates: Duplicates
  public var identity: Identity
  /// The number of changed rows and sections above which the list is replaced as a whole instead of by a change set.
  public var reloadsAbove: Int

  /// A bound on what one event carries, not a measured optimum: 10,000 moves are 80 kB in memory, and a viewer's window has 2,000 rows at most
  /// (``ScreenRendering/carriedRows``), so that most of a longer change set is of rows that nobody sees.
  public static let reloadsAboveByDefault = 10_000

  public init(duplicates: Duplicates = .reject, identity: Identity = .bytes, reloadsAbove: Int = reloadsAboveByDefault) {
    self.duplicates = duplicates
    self.identity = identity
    self.reloadsAbove = reloadsAbove
  }
}
