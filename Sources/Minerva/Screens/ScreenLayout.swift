/// Where the headers, rows and footers of a screen's list stand on a terminal: what `screen` draws, and what decides which rows are in view.
///
/// Headers and footers take whole rows above and below the cells of their section; everything else is ``ListLayout``. Rows stand two columns
/// in from their header. A section that scrolls sideways is as high as its highest cell, and what does not fit is out of view.
public struct ScreenLayout: Sendable {
  /// Something that is drawn.
  public struct Part: Sendable {
    public enum Kind: Hashable, Sendable {
      case header, footer, row
      /// How many rows there are that the rendering does not carry.
      case beyond
    }

    public var kind: Kind
    /// The identifier of its section.
    public var section: String
    /// In lines and columns of the list.
    public var frame: ListLayout.Frame
    /// The row, or a label with the text of whatever else it is.
    public var content: CellContent
    /// The size that the row asks for.
    public var size: ListCellSize
    var isPressed: Bool
  }

  /// All parts, section by section, top to bottom.
  public private(set) var parts: [Part] = []
  /// The number of lines that the list takes.
  public private(set) var height = 0
  private let columns: Int

  private static let indent = 2

  /// Lays the list of a screen out.
  /// - Complexity: O(carried rows).
  public init(_ rendering: ScreenRendering, columns: Int, lines: Int) {
    self.columns = max(Self.indent + 1, columns)
    var sections: [ListLayout.Section] = []
    var drawn: [[Part]] = []
    var sideways: [Int: ListLayout] = [:]
    let width = self.columns - Self.indent
    let none = ListLayout.Frame(x: 0, y: 0, width: 0, height: 0)
    func add(_ kind: Part.Kind, _ text: String, to section: SectionRendering) {
      let content = CellContent(id: "", type: .label, text: text)
      // What is no row stands a little wider than rows, in their columns.
      sections.append(ListLayout.Section(cells: [.measured(width: width) { _ in Self.lines(kind, content, width).count }]))
      drawn.append([Part(kind: kind, section: section.id, frame: none, content: content, size: .measured, isPressed: false)])
    }
    for section in rendering.sections {
      if let header = section.header { add(.header, header, to: section) }
      let cells = ListLayout.Section(
        constraints: section.constraints ?? ListSection.Constraints(),
        cells: section.rows.enumerated().map { index, row in Self.cell(row, section.size(at: index), columns: width) })
      if cells.constraints.direction == .horizontal {
        let line = Self.line(cells, width)
        sideways[sections.count] = line
        sections.append(ListLayout.Section(cells: [.explicit(width: width, height: line.contentSize.height)]))
      } else {
        sections.append(cells)
      }
      drawn.append(
        section.rows.enumerated().map { index, row in
          let isPressed = rendering.highlighted.map { $0.utf8.elementsEqual(row.id.utf8) } ?? false
          return Part(
            kind: .row, section: section.id, frame: none, content: row, size: section.size(at: index), isPressed: isPressed)
        })
      if let beyond = section.beyond { add(.beyond, "… and \(beyond) more", to: section) }
      if let footer = section.footer { add(.footer, footer, to: section) }
    }
    let layout = ListLayout(sections, in: .init(width: width, height: lines))
    for (index, parts) in drawn.enumerated() {
      let frames = sideways[index]?.frames.first ?? layout.frames[index]
      let top = sideways[index] == nil ? 0 : layout.frames[index].first?.y ?? 0
      for (frame, part) in zip(frames, parts) {
        var part = part
        part.frame = frame
        part.frame.y += top
        self.parts.append(part)
      }
    }
    height = layout.contentSize.height
  }

  /// The line of a section that scrolls sideways, as high as its highest cell.
  private static func line(_ section: ListLayout.Section, _ width: Int) -> ListLayout {
    let highest = section.cells.map { $0.height($0.width) }.max() ?? 0
    return ListLayout([section], in: .init(width: width, height: highest + 2 * max(0, section.constraints.inset)))
  }

  private static func cell(_ row: CellContent, _ size: ListCellSize, columns: Int) -> ListLayout.Cell {
    switch size {
    case .explicit(let width, let height): .explicit(width: width, height: height)
    case .relative: .relative
    case .measured: .measured(width: row.naturalWidth(within: columns)) { row.measure(width: $0) }
    }
  }

  private static func lines(_ kind: Part.Kind, _ content: CellContent, _ width: Int) -> [String] {
    TextMeasure.wrapped(TextMeasure.printable(content.text), width: width).map { kind == .header ? "▸ \($0)" : $0 }
  }

  // MARK: Drawing

  /// The lines of the list, none wider than the columns it was laid out in.
  public var lines: [String] {
    var pieces: [[(x: Int, text: String)]] = Array(repeating: [], count: max(0, height))
    for part in parts {
      let (x, drawn) = draw(part)
      for (offset, text) in drawn.enumerated() where !text.isEmpty && pieces.indices.contains(part.frame.y + offset) {
        pieces[part.frame.y + offset].append((x, text))
      }
    }
    return pieces.map { pieces in
      var line = ""
      var end = 0
      for piece in pieces.sorted(by: { $0.x < $1.x }) where piece.x < columns {
        guard piece.x >= end else { continue }
        let text = piece.x + TextMeasure.width(piece.text) > columns ? TextMeasure.clipped(piece.text, to: columns - piece.x) : piece.text
        line += String(repeating: " ", count: piece.x - end) + text
        end = piece.x + TextMeasure.width(text)
      }
      return line
    }
  }

  private func draw(_ part: Part) -> (x: Int, lines: [String]) {
    let frame = part.frame
    switch part.kind {
    case .header: return (0, Self.lines(.header, part.content, columns - Self.indent))
    case .footer, .beyond: return (Self.indent, Self.lines(part.kind, part.content, columns - Self.indent))
    case .row:
      var lines = part.content.lines(width: frame.width).prefix(frame.height).map { TextMeasure.clipped($0, to: frame.width) }
      switch part.size {
      case .measured: break
      case .explicit(let width, _): lines = part.content.lines(width: min(width, frame.width), height: frame.height)
      case .relative: lines = part.content.lines(width: frame.width, height: frame.height)
      }
      guard part.isPressed, let first = lines.first else { return (frame.x + Self.indent, lines) }
      // In the margin, so that nothing moves.
      return (frame.x, ["▌ \(first)"] + lines.dropFirst().map { "  \($0)" })
    }
  }

  // MARK: Viewport

  /// The first line that is in view when so many lines fit: the anchor's row at its position, as far as the list reaches.
  public func firstLine(anchor: ListAnchor?, lines: Int) -> Int {
    guard let anchor, height > lines else { return 0 }
    let row = parts.first {
      $0.kind == .row && $0.section.utf8.elementsEqual(anchor.section.utf8) && $0.content.id.utf8.elementsEqual(anchor.row.utf8)
    }
    guard let frame = row?.frame else { return 0 }
    let top =
      switch anchor.position {
      case .top: frame.y
      case .center: frame.y + frame.height / 2 - lines / 2
      case .bottom: frame.y + frame.height - lines
      }
    return max(0, min(top, height - lines))
  }

  /// The rows of which a part is in view when so many lines fit, in order.
  public func rowsInView(anchor: ListAnchor?, lines: Int) -> [Part] {
    let first = firstLine(anchor: anchor, lines: lines)
    return parts.filter { $0.kind == .row && $0.frame.y < first + lines && $0.frame.y + max(1, $0.frame.height) > first }
  }
}

extension SectionRendering {
  func size(at index: Int) -> ListCellSize {
    guard let sizes, sizes.indices.contains(index) else { return .measured }
    return sizes[index]
  }
}
