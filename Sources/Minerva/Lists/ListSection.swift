/// A part of a list: an identifier, a header and a footer, and the cells in order.
///
/// A section counts as changed when its constraints, or the content of its header or footer, change.
public struct ListSection: Sendable {
  /// Unique in its list.
  public var identifier: String
  /// The text above the cells, if any.
  public var header: String?
  /// The text below the cells, if any.
  public var footer: String?
  /// How the cells are laid out.
  public var constraints: Constraints
  /// The cells in order; their identifiers are unique in the list.
  public var cells: [any ListCellModel]

  /// Creates a section from its cells.
  public init(
    _ identifier: String, header: String? = nil, footer: String? = nil, constraints: Constraints = Constraints(), cells: [any ListCellModel]
  ) {
    self.identifier = identifier
    self.header = header
    self.footer = footer
    self.constraints = constraints
    self.cells = cells
  }

  /// Creates a section whose cells are listed in a block.
  public init(
    _ identifier: String, header: String? = nil, footer: String? = nil, constraints: Constraints = Constraints(),
    @ListBuilder<any ListCellModel> _ cells: () -> [any ListCellModel]
  ) {
    self.init(identifier, header: header, footer: footer, constraints: constraints, cells: cells())
  }

  /// How the cells of a section are laid out.
  public struct Constraints: Codable, Hashable, Sendable {
    /// The space on all four sides, in the units of the container.
    public var inset: Int
    /// The space between rows.
    public var lineSpacing: Int
    /// The space between cells of one row.
    public var itemSpacing: Int
    /// How cells share a row.
    public var distribution: Distribution
    /// Where the section scrolls.
    public var direction: Direction

    /// Creates constraints; without any, each cell has a row of its own and nothing between.
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
    /// Each cell has a row of its own.
    case entireRow
    /// So many cells of equal width a row.
    case equally(Int)
    /// As many cells a row as fit by their own width.
    case proportionally
    /// The same, and the last cell fills what is left of its row, if that is at least so wide; else it has a row of its own.
    case proportionallyWithLastCellFillingWidth(minimum: Int)
  }

  /// The direction in which a section scrolls.
  public enum Direction: String, Codable, Hashable, Sendable {
    /// Down, or sideways in one row.
    case vertical, horizontal
  }
}
