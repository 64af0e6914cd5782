/// Where the cells of a list stand: pure arithmetic on sizes, in the units of the container.
///
/// A terminal's unit is the character cell; a renderer with points uses points. Spacing counts between cells and between rows only, not after
/// the last of them. A row is as high as its highest cell. Cells of relative size share equally what the others leave of the container, in the
/// direction in which the section scrolls; sections stand one under another.
public struct ListLayout: Hashable, Sendable {
  /// A rectangle in a list.
  public struct Frame: Hashable, Sendable {
    /// From the left edge of the list.
    public var x: Int
    /// From its top.
    public var y: Int
    /// To the right of `x`.
    public var width: Int
    /// Below `y`.
    public var height: Int

    /// Creates a rectangle.
    public init(x: Int, y: Int, width: Int, height: Int) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

  /// A width and a height.
  public struct Size: Hashable, Sendable {
    /// Across.
    public var width: Int
    /// Down.
    public var height: Int

    /// Creates a size.
    public init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }

  /// What the layout asks of a cell.
  public enum Cell: Sendable {
    /// So wide and so high, wherever it stands; a distribution may give it another width.
    case explicit(width: Int, height: Int)
    /// So wide by itself; the height is asked for at the width it is given.
    case measured(width: Int, height: @Sendable (_ width: Int) -> Int)
    /// An equal share of what the other cells leave.
    case relative
  }

  /// A section as the layout takes it.
  public struct Section: Sendable {
    /// How its cells are laid out.
    public var constraints: ListSection.Constraints
    /// Its cells in order.
    public var cells: [Cell]

    /// Creates a section.
    public init(constraints: ListSection.Constraints = ListSection.Constraints(), cells: [Cell]) {
      self.constraints = constraints
      self.cells = cells
    }
  }

  /// The frames of the cells by section, in the coordinates of the list.
  public private(set) var frames: [[Frame]] = []
  /// What each section takes, insets included.
  public private(set) var sectionSizes: [Size] = []
  /// What the whole list takes.
  public private(set) var contentSize = Size(width: 0, height: 0)

  /// The longest length that counts: a million units are more than any screen has, and sums of them stay numbers.
  private static let longest = 1 << 20

  fileprivate static func length(_ value: Int) -> Int { min(max(0, value), longest) }

  /// Lays sections out in a container; lengths below 0 count as 0, those above a million units as a million.
  /// - Complexity: O(number of cells), each measured once or, when it fills a row, twice.
  public init(_ sections: [Section], in container: Size) {
    let container = Size(width: Self.length(container.width), height: Self.length(container.height))
    // What relative cells of vertical sections share: one pot for the list, emptied by everything that has a size of its own.
    let vertical = sections.filter { $0.constraints.direction == .vertical }
    let sharing = vertical.reduce(0) { $0 + $1.cells.count(where: \.isRelative) }
    let fixed = sections.reduce(0) { $0 + Self.place($1, in: container, share: 0).size.height }
    let shares = Self.shares(of: max(0, container.height - fixed), among: sharing)
    var used = 0
    var top = 0
    for section in sections {
      let count = section.constraints.direction == .vertical ? section.cells.count(where: \.isRelative) : 0
      // A remainder goes to the first cells, a unit each.
      let (placed, size) = Self.place(section, in: container, share: shares.base, extra: max(0, min(count, shares.extra - used)))
      used += count
      frames.append(placed.map { Frame(x: $0.x, y: $0.y + top, width: $0.width, height: $0.height) })
      sectionSizes.append(size)
      top += size.height
      contentSize.width = max(contentSize.width, size.width)
    }
    contentSize.height = top
  }

  private static func shares(of space: Int, among count: Int) -> (base: Int, extra: Int) {
    count == 0 ? (0, 0) : (space / count, space % count)
  }

  private static func place(_ section: Section, in container: Size, share: Int, extra: Int = 0) -> (frames: [Frame], size: Size) {
    let inset = length(section.constraints.inset)
    let inner = Size(width: max(0, container.width - 2 * inset), height: max(0, container.height - 2 * inset))
    guard section.constraints.direction == .vertical else { return line(section, inner, inset) }
    var row = Row(y: inset, inset: inset, constraints: section.constraints)
    var left = extra
    for (index, cell) in section.cells.enumerated() {
      if case .relative = cell {
        row.end()
        row.add(width: inner.width, height: share + (left > 0 ? 1 : 0), in: inner.width)
        row.end()
        left -= 1
        continue
      }
      switch section.constraints.distribution {
      case .entireRow:
        row.add(width: inner.width, height: cell.height(inner.width), in: inner.width)
        row.end()
      case .equally(let count):
        let count = max(1, length(count))
        let width = max(0, (inner.width - (count - 1) * row.spacing) / count)
        if row.count == count { row.end() }
        row.add(width: width, height: cell.height(width), in: inner.width)
      case .proportionallyWithLastCellFillingWidth(let minimum) where index == section.cells.count - 1:
        if row.room(in: inner.width) < max(1, minimum) { row.end() }
        let width = row.room(in: inner.width)
        row.add(width: width, height: cell.height(width), in: inner.width)
      case .proportionally, .proportionallyWithLastCellFillingWidth:
        let width = min(cell.width, inner.width)
        row.add(width: width, height: cell.height(width), in: inner.width)
      }
    }
    row.end()
    return (row.frames, Size(width: container.width, height: row.bottom + inset))
  }

  /// A section that scrolls sideways: one row, as high as the container; relative cells share the width that is left.
  private static func line(_ section: Section, _ inner: Size, _ inset: Int) -> (frames: [Frame], size: Size) {
    let spacing = length(section.constraints.itemSpacing)
    let gaps = max(0, section.cells.count - 1) * spacing
    let own = section.cells.reduce(gaps) { $0 + ($1.isRelative ? 0 : $1.width) }
    let shares = shares(of: max(0, inner.width - own), among: section.cells.count(where: \.isRelative))
    var (x, extra, frames) = (inset, shares.extra, [Frame]())
    for cell in section.cells {
      var width = cell.width
      if cell.isRelative {
        width = shares.base + (extra > 0 ? 1 : 0)
        extra -= 1
      }
      frames.append(Frame(x: x, y: inset, width: width, height: cell.isRelative ? inner.height : cell.height(width)))
      x += width + spacing
    }
    let end = frames.last.map { $0.x + $0.width } ?? inset
    return (frames, Size(width: end + inset, height: inner.height + 2 * inset))
  }

  /// The row that is being filled, and those above.
  private struct Row {
    var frames: [Frame] = []
    private(set) var bottom: Int
    private(set) var count = 0
    private var x: Int
    private var y: Int
    private var height = 0
    private let inset: Int
    private let lineSpacing: Int
    let spacing: Int

    init(y: Int, inset: Int, constraints: ListSection.Constraints) {
      (self.y, self.inset, bottom, x) = (y, inset, y, inset)
      lineSpacing = length(constraints.lineSpacing)
      spacing = length(constraints.itemSpacing)
    }

    /// The width that one more cell has in this row.
    func room(in width: Int) -> Int { max(0, inset + width - x) }

    /// Puts a cell into the row, or into the next one when it does not fit.
    mutating func add(width: Int, height: Int, in available: Int) {
      if count > 0, width > room(in: available) { end() }
      frames.append(Frame(x: x, y: y, width: width, height: max(0, height)))
      x += width + spacing
      self.height = max(self.height, height)
      count += 1
      bottom = y + self.height
    }

    mutating func end() {
      guard count > 0 else { return }
      y = bottom + lineSpacing
      (x, count, height) = (inset, 0, 0)
    }
  }
}

extension ListLayout.Cell {
  var isRelative: Bool {
    if case .relative = self { true } else { false }
  }

  /// The width that it takes by itself.
  var width: Int {
    switch self {
    case .explicit(let width, _), .measured(let width, _): ListLayout.length(width)
    case .relative: 0
    }
  }

  func height(_ given: Int) -> Int {
    switch self {
    case .explicit(_, let height): ListLayout.length(height)
    case .measured(_, let height): ListLayout.length(height(given))
    case .relative: 0
    }
  }
}

extension ListLayout {
  /// Lays the sections of a screen out on a terminal, in character cells: what a cell measures is what it draws (`render(width:)`).
  public init(_ sections: [ListSection], columns: Int, lines: Int) {
    self.init(
      sections.map { section in
        Section(
          constraints: section.constraints,
          cells: section.cells.map { cell in
            switch cell.size {
            case .explicit(let width, let height): .explicit(width: width, height: height)
            case .relative: .relative
            case .measured:
              .measured(width: cell.content.naturalWidth(within: columns)) { width in cell.content.measure(width: width) }
            }
          })
      }, in: Size(width: columns, height: lines))
  }
}

extension CellContent {
  /// The columns that the row needs so that nothing of it is broken, at most those that there are.
  public func naturalWidth(within columns: Int) -> Int {
    switch type {
    case .separator, .margin: return columns
    default:
      let detail = detail.map { TextMeasure.width($0) + 1 } ?? 0
      let widest =
        lines(width: max(4, columns)).map { line in
          // Blanks between a text and its detail at the far end are not content.
          TextMeasure.width(line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " "))
        }.max() ?? 0
      return min(columns, max(widest, min(columns, detail)))
    }
  }
}
