/// What a coordinator's screen shows: a title, buttons beside it, and a list of sections.
///
/// ```swift
/// Screen("Counter") {
///   ListSection("numbers") {
///     Label("count", "\(state)")
///     Button("more", "One more")
///   }
/// }
/// ```
public struct Screen: Sendable {
  /// What the title bar says.
  public var title: String
  /// The buttons of the title bar; `tap s ID` presses them.
  public var buttons: [BarButton]
  /// What the tabs of a tab container are called for people, in order.
  public var tabs: [TabItem]
  /// The list, section by section.
  public var sections: [ListSection]
  /// The commands that `execute s NAME` runs and `commands s` lists.
  public var commands: [CommandRendering] = []
  /// What its list does about identifiers that occur twice, and when it gives up on change sets.
  public var list = ListOptions()
  /// Set when the screen is a small form with a message and a few answers.
  public var alert: AlertForm?

  /// Creates a screen from its sections.
  public init(
    _ title: String, buttons: [BarButton] = [], tabs: [TabItem] = [], sections: [ListSection] = []
  ) {
    self.title = title
    self.buttons = buttons
    self.tabs = tabs
    self.sections = sections
  }

  /// Creates a screen whose sections are listed in a block.
  public init(_ title: String, buttons: [BarButton] = [], @ListBuilder<ListSection> _ sections: () -> [ListSection]) {
    self.init(title, buttons: buttons, sections: sections())
  }

  /// Makes the screen of an alert.
  public init(alert: AlertForm) {
    self.init(alert.title)
    self.alert = alert
  }
}

/// A button in a screen's title bar.
public struct BarButton: Codable, Hashable, Sendable {
  /// Where it stands in the title bar.
  public enum Side: String, Codable, Hashable, Sendable {
    /// Before the title, or after it.
    case left, right
  }

  /// Unique among what can be tapped on the screen.
  public var id: String
  /// What it says.
  public var title: String
  /// Where it stands.
  public var side: Side
  /// Whether a tap reaches the coordinator; else it is refused with `screen.disabled`.
  public var isEnabled: Bool

  /// Creates a button; on the right unless said otherwise.
  public init(_ id: String, _ title: String, side: Side = .right, isEnabled: Bool = true) {
    self.id = id
    self.title = title
    self.side = side
    self.isEnabled = isEnabled
  }
}

/// What a tab is called for people.
public struct TabItem: Codable, Hashable, Sendable {
  /// The tab's name in navpaths.
  public var name: String
  /// What the tab bar says.
  public var title: String
  /// A short text beside it, such as a count.
  public var badge: String?

  /// Creates the text of a tab.
  public init(_ name: String, _ title: String, badge: String? = nil) {
    self.name = name
    self.title = title
    self.badge = badge
  }
}

/// A message with a few answers; `tap s ID` gives one.
public struct AlertForm: Codable, Hashable, Sendable {
  /// What it is about.
  public var title: String
  /// What it says.
  public var message: String
  /// The buttons below, in order.
  public var answers: [BarButton]

  /// Creates an alert; with OK alone unless answers are given.
  public init(title: String, message: String, answers: [BarButton] = [BarButton("ok", "OK")]) {
    self.title = title
    self.message = message
    self.answers = answers
  }
}

extension Screen {
  /// The screen of a coordinator that shows nothing.
  public static let none = Screen("")

  /// Whether there is anything to show.
  public var isEmpty: Bool { title.isEmpty && sections.isEmpty && alert == nil && buttons.isEmpty && tabs.isEmpty }
}

extension Screen {
  /// On a screen with secret fields, those whose values may be written down; `nil` where all may (P4). O(rows).
  package var plainFields: [String]? {
    var plain: [String] = []
    var secret: Set<String> = []
    func sort(_ cell: CellContent) {
      if cell.secret == true { secret.insert(cell.id) } else if cell.type.takesValue { plain.append(cell.id) }
      for inner in cell.cells ?? [] { sort(inner) }
    }
    for section in sections { for cell in section.cells { sort(cell.shown) } }
    // A name that stands for a secret field somewhere is a secret one everywhere.
    return secret.isEmpty ? nil : plain.filter { !secret.contains($0) }
  }
}

extension Screen {
  /// The screen with a command that people may execute by its name.
  public func command(_ command: some PresentationGate) -> Screen {
    var screen = self
    screen.commands.append(CommandRendering(name: command.name, isEnabled: command.isEnabled, isExecuting: command.isExecuting))
    return screen
  }
}

extension Screen {
  /// The screen with another rule for identifiers that occur twice.
  public func duplicates(_ duplicates: ListOptions.Duplicates) -> Screen {
    var screen = self
    screen.list.duplicates = duplicates
    return screen
  }

  /// The screen with other options of its list.
  public func list(_ options: ListOptions) -> Screen {
    var screen = self
    screen.list = options
    return screen
  }
}
