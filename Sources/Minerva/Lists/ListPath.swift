/// Where a row stands in one version of a list: the version, the position of its section, and its own in there.
///
/// A path is good as long as the rows are those of its version: scrolling or another title does not make it stale, a change of rows does.
public struct ListPath: Codable, Hashable, Sendable, CustomStringConvertible {
  /// The version of the list that the positions are of.
  public var version: UInt64
  /// The position of the section, from 0.
  public var section: Int
  /// The position of the row in its section, from 0.
  public var item: Int

  /// Creates a path of a version.
  public init(version: UInt64, section: Int, item: Int) {
    self.version = version
    self.section = section
    self.item = item
  }

  public var description: String { "\(section).\(item) of v\(version)" }
}
