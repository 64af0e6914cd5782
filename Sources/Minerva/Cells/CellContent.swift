/// What one row shows, as a plain value that crosses processes and can be drawn anywhere.
///
/// Every ready cell becomes one of these; a cell of an author's own does too, by filling in the parts it needs.
public struct CellContent: Codable, Hashable, Sendable {
  /// The row's identifier, unique in its section: what `tap`, `enter` and the differ mean.
  public var id: String
  /// The type of cell that draws and measures it.
  public var type: CellType
  /// The main text.
  public var text: String
  /// A second text, drawn at the right end.
  public var detail: String?
  /// What the person entered or chose.
  public var value: String?
  /// Shown in place of a missing value.
  public var placeholder: String?
  /// The values to choose from.
  public var options: [String]?
  /// The names of the swipe actions, the first nearest to the finger.
  public var actions: [String]?
  /// The cells of a horizontal collection.
  public var cells: [CellContent]?
  /// The height in lines that the author asked for, where the type lets them.
  public var height: Int?
  /// Set when the row does not react to a person.
  public var disabled: Bool?
  /// Set when the row stands out from its neighbours.
  public var marked: Bool?
  /// Set when the value must not be shown, logged or recorded.
  public var secret: Bool?
  /// What the row can do beside being there.
  public var traits: CellTraits?

  /// Creates a row; what is not given has no part in it.
  public init(
    id: String, type: CellType, text: String = "", detail: String? = nil, value: String? = nil, placeholder: String? = nil,
    options: [String]? = nil, actions: [String]? = nil, cells: [CellContent]? = nil, height: Int? = nil, disabled: Bool? = nil,
    marked: Bool? = nil, secret: Bool? = nil, traits: CellTraits? = nil
  ) {
    self.id = id
    self.type = type
    self.text = text
    self.detail = detail
    self.value = value
    self.placeholder = placeholder
    self.options = options
    self.actions = actions
    self.cells = cells
    self.height = height
    self.disabled = disabled
    self.marked = marked
    self.secret = secret
    self.traits = traits
  }

  /// The row as it may leave its host: of a secret value only its length (P4).
  package var masked: CellContent {
    guard secret == true || cells != nil else { return self }
    var masked = self
    if secret == true { masked.value = value.map { String(repeating: "•", count: $0.count) } }
    masked.cells = cells?.map(\.masked)
    return masked
  }

  /// Whether a person can act on the row.
  public var isEnabled: Bool { disabled != true }

  /// Whether a tap reaches the author: separators and margins take none, and no row does that says so.
  public var isSelectable: Bool { !type.isDecoration && traits?.contains(.unselectable) != true }
}

/// What a row can do beside being there, each of it optional.
public struct CellTraits: OptionSet, Codable, Hashable, Sendable {
  /// The traits as bits; unknown ones are kept.
  public let rawValue: Int

  /// Creates traits from their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// It may be dragged to another place, in its section or in another one.
  public static let reorderable = Self(rawValue: 1)
  /// It is drawn pressed from the tap until the tap was handled.
  public static let highlightable = Self(rawValue: 2)
  /// Its coordinator hears when it comes into view and when it leaves it.
  public static let displayable = Self(rawValue: 4)
  /// A tap on it is refused.
  public static let unselectable = Self(rawValue: 8)
  /// It belongs to a choice of rows, and is chosen or not.
  public static let choice = Self(rawValue: 16)
  /// It is chosen.
  public static let chosen = Self(rawValue: 32)
}

/// The type of cell that draws a row: part of the row's identity, as in the list contract.
public struct CellType: RawRepresentable, Hashable, Codable, Sendable {
  /// The name on the wire.
  public var rawValue: String

  /// Creates a type by its name; one that a renderer does not know is drawn as its text.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A line of text.
  public static let label = Self(rawValue: "label")
  /// A caption and a value.
  public static let detail = Self(rawValue: "detail")
  /// Something to press.
  public static let button = Self(rawValue: "button")
  /// One line to write in.
  public static let textInput = Self(rawValue: "text")
  /// Several lines to write in.
  public static let textArea = Self(rawValue: "area")
  /// On or off.
  public static let toggle = Self(rawValue: "switch")
  /// One of several values.
  public static let picker = Self(rawValue: "picker")
  /// A date or a time of day.
  public static let datePicker = Self(rawValue: "date")
  /// A few values side by side.
  public static let segmented = Self(rawValue: "segmented")
  /// A place for an image.
  public static let image = Self(rawValue: "image")
  /// A line between rows.
  public static let separator = Self(rawValue: "separator")
  /// Empty space.
  public static let margin = Self(rawValue: "margin")
  /// Cells that scroll sideways.
  public static let horizontal = Self(rawValue: "horizontal")

  /// Whether it separates rows and is nothing by itself: nobody acts on it or asks for it by its identifier.
  public var isDecoration: Bool { self == .separator || self == .margin }

  /// Whether the row holds a value that `enter` sets.
  public var takesValue: Bool {
    switch self {
    case .textInput, .textArea, .toggle, .picker, .datePicker, .segmented: true
    default: false
    }
  }
}
