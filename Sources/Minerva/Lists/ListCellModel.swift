/// The model that binds to a cell.
///
/// Two models with different identifiers, or with the same and another `cellType`, are different rows: one is deleted, one is
/// inserted. With the same identifier and type, a model that is not `identical(to:)` the old one updates the row.
public protocol ListCellModel: Sendable {
  /// A unique identifier for the model within its section.
  var identifier: String { get }
  /// The type of cell that draws and measures the model.
  var cellType: CellType { get }
  /// What the cell shows.
  var content: CellContent { get }
  /// The size that the model's cell needs.
  var size: ListCellSize { get }
  /// Determines whether two models with the same identifier show the same.
  func identical(to other: any ListCellModel) -> Bool
}

extension ListCellModel {
  public var identifier: String { content.id }
  public var cellType: CellType { content.type }
  public var size: ListCellSize { .measured }

  public func identical(to other: any ListCellModel) -> Bool {
    content == other.content
  }

  /// Draws the model at a width in columns.
  public func render(width: Int) -> [String] {
    switch size {
    case .explicit(let columns, let lines): return Array(content.lines(width: min(width, columns)).prefix(max(0, lines)))
    case .measured, .relative: return content.lines(width: width)
    }
  }
}

extension ListCellModel where Self: Equatable {
  public func identical(to other: any ListCellModel) -> Bool {
    (other as? Self) == self
  }
}

/// The size that a cell asks for.
public enum ListCellSize: Hashable, Sendable {
  /// As much as its content needs at the width it is given.
  case measured
  /// So many columns and lines.
  case explicit(width: Int, height: Int)
  /// An equal share of what the other cells leave.
  case relative
}
