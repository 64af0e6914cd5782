/// A line of text, with a second one at the right end if wanted.
public struct Label: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a line of text; `detail` stands at its right end, a marked line stands out from its neighbours.
  public init(_ id: String, _ text: String, detail: String? = nil, marked: Bool = false, isEnabled: Bool = true) {
    content = CellContent(
      id: id, type: .label, text: text, detail: detail, disabled: isEnabled ? nil : true, marked: marked ? true : nil)
  }
}

/// A caption and its value, at both ends of a line.
public struct DetailLabel: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a line with a caption and its value.
  public init(_ id: String, _ text: String, detail: String) {
    content = CellContent(id: id, type: .detail, text: text, detail: detail)
  }
}

/// Something to press; drawn disabled while its command executes (C1).
public struct Button: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a button that `tap s ID` presses while it is enabled.
  public init(_ id: String, _ title: String, isEnabled: Bool = true) {
    content = CellContent(id: id, type: .button, text: title, disabled: isEnabled ? nil : true)
  }

  /// Makes a button bound to a command: its identifier is the command's name, and it is drawn disabled while the command is.
  public init(_ command: borrowing some PresentationGate, _ title: String) {
    self.init(command.name, title, isEnabled: command.isEnabled)
  }
}

/// A field for one line of text.
public struct TextInput: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a field with what stands in it now; the value of a secret field is written down nowhere (P4).
  public init(_ id: String, _ caption: String, value: String, placeholder: String? = nil, isSecret: Bool = false) {
    content = CellContent(
      id: id, type: .textInput, text: caption, value: value, placeholder: placeholder, secret: isSecret ? true : nil)
  }
}

/// A field for several lines of text.
public struct TextArea: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a field so many lines high.
  public init(_ id: String, _ caption: String, value: String, placeholder: String? = nil, lines: Int = 3) {
    content = CellContent(id: id, type: .textArea, text: caption, value: value, placeholder: placeholder, height: lines)
  }
}

/// Something that is on or off; `enter` takes `true` and `false`, `tap` turns it over.
public struct Switch: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a switch in its present position.
  public init(_ id: String, _ caption: String, isOn: Bool) {
    content = CellContent(id: id, type: .toggle, text: caption, value: String(isOn))
  }
}

/// A choice of one value among several.
public struct Picker: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a choice; `value` is one of the options, or empty while none is chosen.
  public init(_ id: String, _ caption: String, value: String, options: [String]) {
    content = CellContent(id: id, type: .picker, text: caption, value: value, options: options)
  }
}

/// A date or a time of day, written as ISO 8601 has it, bounded on either side if wanted.
public struct DatePicker: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a picker; the bounds are shown to people and checked by the author.
  public init(_ id: String, _ caption: String, value: String, from earliest: String? = nil, to latest: String? = nil) {
    let bounds = [earliest.map { "from \($0)" }, latest.map { "to \($0)" }].compactMap { $0 }.joined(separator: " ")
    content = CellContent(
      id: id, type: .datePicker, text: bounds.isEmpty ? caption : "\(caption) (\(bounds))", value: value,
      placeholder: "none")
  }
}

/// A few values side by side, one of them selected.
public struct Segmented: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates the values in order with the selected one.
  public init(_ id: String, value: String, options: [String]) {
    content = CellContent(id: id, type: .segmented, value: value, options: options)
  }
}

/// A place for an image, which a terminal shows by its name.
public struct ImagePlaceholder: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a place so many lines high for the image of this name.
  public init(_ id: String, _ name: String, lines: Int = 1) {
    content = CellContent(id: id, type: .image, text: name, height: lines)
  }
}

/// A line between rows.
public struct Separator: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a line; where a section has several, each needs an identifier of its own.
  public init(_ id: String = "separator") {
    content = CellContent(id: id, type: .separator)
  }
}

/// Empty space; its identifier is stable, so that it never moves or flickers by itself.
public struct Margin: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates so many empty lines; where a section has several, each needs an identifier of its own.
  public init(_ id: String = "margin", lines: Int = 1) {
    content = CellContent(id: id, type: .margin, height: lines)
  }
}

/// Any cell with swipe actions: `tap s ROW ACTION` names one.
public struct Swipeable: ListCellModel {
  /// The row as it is drawn and compared.
  public var content: CellContent
  /// The size of the cell it wraps.
  public var size: ListCellSize

  /// Gives a cell actions, named in the order in which a swipe shows them.
  public init(_ cell: some ListCellModel, actions: [String]) {
    let cell = Cell(cell)
    content = cell.content
    content.actions = actions
    size = cell.size
  }
}

/// Any cell with something added: what the modifiers of ``ListCellModel`` make.
public struct Cell: ListCellModel, Equatable {
  /// The row as it is drawn and compared.
  public var content: CellContent
  /// The size of the cell it wraps.
  public var size: ListCellSize

  /// Makes a cell like another: with its identifier, its type, what it shows, and its size.
  public init(_ cell: some ListCellModel) {
    content = cell.shown
    size = cell.size
  }
}

extension ListCellModel {
  /// The cell as a row that may be dragged: `move s ROW before OTHER`, in its section or to another one.
  ///
  /// Its coordinator hears ``Action/move(_:_:of:)``; what it renders next is where the row stands.
  public func reorderable() -> Cell { adding(.reorderable) }

  /// The cell drawn as pressed from the tap until the tap was handled.
  public func highlightable() -> Cell { adding(.highlightable) }

  /// The cell whose coordinator hears when it comes into view and when it leaves it (``Coordinator/display(_:)``).
  public func displayable() -> Cell { adding(.displayable) }

  /// The cell as one that takes a tap, or as one that refuses it.
  public func selectable(_ isSelectable: Bool) -> Cell {
    var cell = Cell(self)
    var traits = content.traits ?? []
    if isSelectable { traits.remove(.unselectable) } else { traits.insert(.unselectable) }
    cell.content.traits = traits.isEmpty ? nil : traits
    return cell
  }

  /// The cell as one of a choice of rows, chosen or not.
  public func chosen(_ isChosen: Bool) -> Cell { adding(isChosen ? [.choice, .chosen] : .choice) }

  /// The cell with swipe actions, the first nearest to the finger: `tap s ROW ACTION` names one.
  public func swipeable(_ actions: String...) -> Cell {
    var cell = Cell(self)
    cell.content.actions = actions
    return cell
  }

  /// The cell in a size of its own.
  public func sized(_ size: ListCellSize) -> Cell {
    var cell = Cell(self)
    cell.size = size
    return cell
  }

  private func adding(_ traits: CellTraits) -> Cell {
    var cell = Cell(self)
    cell.content.traits = (cell.content.traits ?? []).union(traits)
    return cell
  }
}

/// Cells side by side, as one row.
public struct Horizontal: ListCellModel {
  /// The row as it is drawn and compared.
  public var content: CellContent

  /// Creates a row of cells that scrolls sideways.
  public init(_ id: String, @ListBuilder<any ListCellModel> _ cells: () -> [any ListCellModel]) {
    content = CellContent(id: id, type: .horizontal, cells: cells().map(\.shown))
  }
}
