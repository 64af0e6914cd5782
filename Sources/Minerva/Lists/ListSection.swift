/// A part of a list: an identifier, a header and a footer, and the cells in order.
///
/// A section counts as changed when its constraints, or the content of its header or footer, change.
public struct ListSection: Sendable {
  /// Unique in its list.
  public var identifier: String
  public var header: String?
  public var footer: String?
  public var constraints: Constraints
  public var cells: [any ListCellModel]

  public init(
    _ identifier: String, header: String? = nil, footer: String? = nil, constraints: Constraints = Constraints(), cells: [any ListCellModel]
  ) {
    self.identifier = identifier
    self.header = header
    self.footer = footer
    self.constraints = constraints
    self.cells = cells
  }

  public init(
    _ identifier: String, header: String? = nil, footer: String? = nil, constraints: Constraints = Constraints(),
    @ListBuilder<any ListCellModel> _ cells: () -> [any ListCellModel]
  ) {
    self.init(identifier, header: header, footer: footer, constraints: constraints, cells: cells())
  }

  /// How the cells of a section are laid out.
  public struct Constraints: Codable, Hashable, Sendable {
    public var inset: Int
    public var lineSpacing: Int
    public var itemSpacing: Int
    public var distribution: Distribution
    public var direction: Direction

    public init(
      inset: Int = 0, lineSpacing: Int = 0, itemSpacing: Int = 0, distribution: Distribution = .entireRow, direction: Direction = .vertical
    ) {
      self.inset = inset
      self.lineSpacing = lineSpacing
      self.itemSpacing = itemSpacing
      self.distribution = distribution
      self.direction = direction
    }
  }

  /// How cells share the rows of a section.
  public enum Distribution: Codable, Hashable, Sendable {
    case entireRow
    case equally(Int)
    case proportionally
    case proportionallyWithLastCellFillingWidth(minimum: Int)
  }

  /// The direction in which a section scrolls.
  public enum Direction: String, Codable, Hashable, Sendable {
    case vertical, horizontal
  }
}
