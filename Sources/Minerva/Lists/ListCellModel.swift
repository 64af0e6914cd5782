/// The model that binds to a cell.
///
/// Two models with different identifiers, or with the same and another `cellType`, are different rows: one is deleted, one is
/// inserted. With the same identifier and type, a model that is not `identical(to:)` the old one updates the row.
public protocol ListCellModel: Sendable {
  /// The identifier of the row, unique in its list (``ListOptions/Duplicates``); `content.id` unless given.
  var identifier: String { get }
  /// The type of cell that draws and measures the model, `content.type` unless given.
  var cellType: CellType { get }
  /// What the cell shows.
  var content: CellContent { get }
  /// The size that the model's cell needs.
  var size: ListCellSize { get }
  /// Determines whether two models with the same identifier show the same: such a row is not updated.
  ///
  /// It is asked of rows whose content or size differ. Rows that show the same in the same size are never updated.
  func identical(to other: any ListCellModel) -> Bool
}

extension ListCellModel {
  public var identifier: String { content.id }
  public var cellType: CellType { content.type }
  public var size: ListCellSize { .measured }

  public func identical(to other: any ListCellModel) -> Bool {
    content == other.content
  }

  /// What the cell shows, under the model's own identifier and type.
  public var shown: CellContent {
    var shown = content
    (shown.id, shown.type) = (identifier, cellType)
    return shown
  }

  /// The number of lines that the cell takes at a width in columns.
  public func measure(width: Int) -> Int { render(width: width).count }

  /// Draws the model at a width in columns.
  public func render(width: Int) -> [String] {
    switch size {
    case .explicit(let columns, let lines): return shown.lines(width: min(width, columns), height: lines)
    case .measured, .relative: return shown.lines(width: width)
    }
  }
}

extension ListCellModel where Self: Equatable {
  public func identical(to other: any ListCellModel) -> Bool {
    (other as? Self) == self
  }
}

/// The size that a cell asks for.
public enum ListCellSize: Codable, Hashable, Sendable {
  /// As much as its content needs at the width it is given.
  case measured
  /// So many columns and lines.
  case explicit(width: Int, height: Int)
  /// An equal share of what the other cells leave.
  case relative
}
