/// The space that a list has: what it is laid out in, and which of its rows are displayed.
public struct ListTraits: Codable, Hashable, Sendable {
  /// The width in character cells.
  public var columns: Int
  /// The height in lines.
  public var lines: Int

  public init(columns: Int = 80, lines: Int = 24) {
    self.columns = columns
    self.lines = lines
  }
}

/// Where a row is to stand after a scroll.
public struct ListAnchor: Codable, Hashable, Sendable {
  /// The part of the viewport.
  public enum Position: String, Codable, Hashable, Sendable {
    case top, center, bottom
  }

  /// The identifiers of the section and of the row.
  public var section: String
  public var row: String
  public var position: Position

  public init(section: String, row: String, position: Position = .top) {
    self.section = section
    self.row = row
    self.position = position
  }
}

/// A row of a displayable cell came into view, or left it.
public struct ListDisplay: Hashable, Sendable {
  public enum Moment: String, Codable, Hashable, Sendable {
    case willDisplay, didEndDisplaying
  }

  /// The identifiers of the section and of the row.
  public var section: String
  public var row: String
  public var moment: Moment

  public init(section: String, row: String, moment: Moment) {
    self.section = section
    self.row = row
    self.moment = moment
  }
}
