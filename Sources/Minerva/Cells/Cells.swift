/// A line of text, with a second one at the right end if wanted.
public struct Label: ListCellModel, Equatable {
  public var content: CellContent

  public init(_ id: String, _ text: String, detail: String? = nil, marked: Bool = false, isEnabled: Bool = true) {
    content = CellContent(
      id: id, type: .label, text: text, detail: detail, disabled: isEnabled ? nil : true, marked: marked ? true : nil)
  }
}

/// A caption and its value, at both ends of a line.
public struct DetailLabel: ListCellModel, Equatable {
  public var content: CellContent

  public init(_ id: String, _ text: String, detail: String) {
    content = CellContent(id: id, type: .detail, text: text, detail: detail)
  }
}

/// Something to press; drawn disabled while its command executes (C1).
public struct Button: ListCellModel, Equatable {
  public var content: CellContent

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
  public var content: CellContent

  public init(_ id: String, _ caption: String, value: String, placeholder: String? = nil, isSecret: Bool = false) {
    content = CellContent(
      id: id, type: .textInput, text: caption, value: value, placeholder: placeholder, secret: isSecret ? true : nil)
  }
}

/// A field for several lines of text.
public struct TextArea: ListCellModel, Equatable {
  public var content: CellContent

  public init(_ id: String, _ caption: String, value: String, placeholder: String? = nil, lines: Int = 3) {
    content = CellContent(id: id, type: .textArea, text: caption, value: value, placeholder: placeholder, height: lines)
  }
}

/// Something that is on or off; `enter` takes `true` and `false`, `tap` turns it over.
public struct Switch: ListCellModel, Equatable {
  public var content: CellContent

  public init(_ id: String, _ caption: String, isOn: Bool) {
    content = CellContent(id: id, type: .toggle, text: caption, value: String(isOn))
  }
}

/// A choice of one value among several.
public struct Picker: ListCellModel, Equatable {
  public var content: CellContent

  public init(_ id: String, _ caption: String, value: String, options: [String]) {
    content = CellContent(id: id, type: .picker, text: caption, value: value, options: options)
  }
}

/// A date or a time of day, written as ISO 8601 has it, bounded on either side if wanted.
public struct DatePicker: ListCellModel, Equatable {
  public var content: CellContent

  public init(_ id: String, _ caption: String, value: String, from earliest: String? = nil, to latest: String? = nil) {
    let bounds = [earliest.map { "from \($0)" }, latest.map { "to \($0)" }].compactMap { $0 }.joined(separator: " ")
    content = CellContent(
      id: id, type: .datePicker, text: bounds.isEmpty ? caption : "\(caption) (\(bounds))", value: value,
      placeholder: "none")
  }
}

/// A few values side by side, one of them selected.
public struct Segmented: ListCellModel, Equatable {
  public var content: CellContent

  public init(_ id: String, value: String, options: [String]) {
    content = CellContent(id: id, type: .segmented, value: value, options: options)
  }
}

/// A place for an image, which a terminal shows by its name.
public struct ImagePlaceholder: ListCellModel, Equatable {
  public var content: CellContent

  public init(_ id: String, _ name: String, lines: Int = 1) {
    content = CellContent(id: id, type: .image, text: name, height: lines)
  }
}

/// A line between rows.
public struct Separator: ListCellModel, Equatable {
  public var content: CellContent

  public init(_ id: String = "separator") {
    content = CellContent(id: id, type: .separator)
  }
}

/// Empty space; its identifier is stable, so that it never moves or flickers by itself.
public struct Margin: ListCellModel, Equatable {
  public var content: CellContent

  public init(_ id: String = "margin", lines: Int = 1) {
    content = CellContent(id: id, type: .margin, height: lines)
  }
}

/// Any cell with swipe actions: `tap s ROW ACTION` names one.
public struct Swipeable: ListCellModel {
  public var content: CellContent
  public var size: ListCellSize

  public init(_ cell: some ListCellModel, actions: [String]) {
    content = cell.content
    content.actions = actions
    size = cell.size
  }
}

/// Cells side by side, as one row.
public struct Horizontal: ListCellModel {
  public var content: CellContent

  public init(_ id: String, @ListBuilder<any ListCellModel> _ cells: () -> [any ListCellModel]) {
    content = CellContent(id: id, type: .horizontal, cells: cells().map(\.content))
  }
}
