/// A screen as it crosses processes: the wire form of `Screen`, which shells draw and brokers pass on unread.
public struct ScreenRendering: Codable, Hashable, Sendable {
  /// What the title bar says.
  public var title: String
  /// Its buttons; `nil` for none.
  public var buttons: [BarButton]?
  /// What its tabs are called; `nil` for none.
  public var tabs: [TabItem]?
  /// The list, section by section.
  public var sections: [SectionRendering]
  /// The alert that it is, if it is one.
  public var alert: AlertForm?
  /// The commands of the screen and whether each may run now.
  public var commands: [CommandRendering]?
  /// The row that the list was scrolled to.
  public var anchor: ListAnchor?
  /// The row that is drawn as pressed.
  public var highlighted: String?

  /// Creates a rendering from its parts.
  public init(
    title: String, buttons: [BarButton]? = nil, tabs: [TabItem]? = nil, sections: [SectionRendering] = [], alert: AlertForm? = nil,
    commands: [CommandRendering]? = nil
  ) {
    self.title = title
    self.buttons = buttons
    self.tabs = tabs
    self.sections = sections
    self.alert = alert
    self.commands = commands
  }

  /// The number of rows of the whole list, those that are not carried included.
  public var count: Int { sections.reduce(0) { $0 + $1.count } }

  /// The carried row of an identifier, from the first section that has it.
  public func row(_ id: String) -> CellContent? {
    for section in sections {
      if let row = section.rows.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) { return row }
    }
    return nil
  }
}

/// A section of a rendering.
public struct SectionRendering: Codable, Hashable, Sendable {
  /// The identifier of the section.
  public var id: String
  /// The text above its rows, if any.
  public var header: String?
  /// The text below them, if any.
  public var footer: String?
  /// How they are laid out, unless each has a row of its own.
  public var constraints: ListSection.Constraints?
  /// The rows in order: all of them, or the first ones of a long section.
  public var rows: [CellContent]
  /// The sizes that rows ask for, one a row, unless all are measured.
  public var sizes: [ListCellSize]?
  /// How many rows the section has beyond those carried, or `nil` when it carries all.
  public var beyond: Int?

  /// Creates a section from its parts.
  public init(
    id: String, header: String? = nil, footer: String? = nil, constraints: ListSection.Constraints? = nil, rows: [CellContent],
    sizes: [ListCellSize]? = nil, beyond: Int? = nil
  ) {
    self.id = id
    self.header = header
    self.footer = footer
    self.constraints = constraints
    self.rows = rows
    self.sizes = sizes
    self.beyond = beyond
  }

  /// The number of rows of the section.
  public var count: Int { rows.count + (beyond ?? 0) }
}

/// A command of a screen.
public struct CommandRendering: Codable, Hashable, Sendable {
  /// What `execute s NAME` calls it.
  public var name: String
  /// Whether it may run now.
  public var isEnabled: Bool
  /// Whether it runs.
  public var isExecuting: Bool

  /// Creates the state of a command.
  public init(name: String, isEnabled: Bool, isExecuting: Bool) {
    self.name = name
    self.isEnabled = isEnabled
    self.isExecuting = isExecuting
  }
}

extension ScreenRendering {
  /// The number of rows that one rendering carries at most; longer lists say how many are beyond.
  ///
  /// A viewer shows a window of a list: with this bound a rendering stays well under the limit of a message.
  public static let carriedRows = 2000

  /// Makes the wire form of a screen.
  public init(_ screen: Screen) {
    var left = Self.carriedRows
    var sections: [SectionRendering] = []
    for section in screen.sections {
      let cells = section.cells.prefix(left)
      let rows = cells.map(\.shown.masked)
      left -= rows.count
      sections.append(
        SectionRendering(
          id: section.identifier, header: section.header, footer: section.footer,
          constraints: section.constraints == ListSection.Constraints() ? nil : section.constraints, rows: rows,
          sizes: cells.contains { $0.size != .measured } ? cells.map(\.size) : nil,
          beyond: rows.count < section.cells.count ? section.cells.count - rows.count : nil))
    }
    self.init(
      title: screen.title, buttons: screen.buttons.isEmpty ? nil : screen.buttons, tabs: screen.tabs.isEmpty ? nil : screen.tabs,
      sections: sections, alert: screen.alert, commands: screen.commands.isEmpty ? nil : screen.commands)
  }
}
