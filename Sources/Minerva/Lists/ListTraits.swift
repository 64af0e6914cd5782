/// The space that a list has: what it is laid out in, and which of its rows are displayed.
public struct ListTraits: Codable, Hashable, Sendable {
  /// The width in character cells.
  public var columns: Int
  /// The height in lines.
  public var lines: Int

  /// Creates traits; a terminal of 80 by 24 unless said otherwise.
  public init(columns: Int = 80, lines: Int = 24) {
    self.columns = columns
    self.lines = lines
  }
}

/// Where a row is to stand after a scroll.
public struct ListAnchor: Codable, Hashable, Sendable {
  /// The part of the viewport.
  public enum Position: String, Codable, Hashable, Sendable {
    /// Its first line, its middle, or its last line.
    case top, center, bottom
  }

  /// The identifiers of the section and of the row.
  public var section: String
  /// The identifier of the row.
  public var row: String
  /// The part of the viewport where the row is to stand.
  public var position: Position

  /// Creates an anchor; at the top unless said otherwise.
  public init(section: String, row: String, position: Position = .top) {
    self.section = section
    self.row = row
    self.position = position
  }
}

/// A row of a displayable cell came into view, or left it.
public struct ListDisplay: Hashable, Sendable {
  /// What happened to the row.
  public enum Moment: String, Codable, Hashable, Sendable {
    /// It comes into view; it has left it.
    case willDisplay, didEndDisplaying
  }

  /// The identifiers of the section and of the row.
  public var section: String
  /// The identifier of the row.
  public var row: String
  /// What happened to it.
  public var moment: Moment

  /// Creates a report of one row.
  public init(section: String, row: String, moment: Moment) {
    self.section = section
    self.row = row
    self.moment = moment
  }
}
