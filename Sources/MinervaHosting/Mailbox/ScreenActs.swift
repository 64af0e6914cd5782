import Minerva
import MinervaNavigation
import MinervaWire

/// Checks what a person does against what the screen shows, so that authors only see what was possible.
enum ScreenActs {
  /// The author's action for an act.
  /// - Throws: `screen.no_such_row`, `screen.disabled`, `screen.not_selectable`, `screen.not_reorderable`, or `input.invalid` for a value
  ///   that the field does not take.
  static func action(_ act: Command.Act, on screen: Screen) throws -> Action {
    switch act {
    case .tap(let row, let action?), .swipe(let row, let action?):
      let cell = try enabled(row, on: screen)
      if cell?.actions?.contains(action) == true { return .swipe(row, action: action) }
      // A segment, or a value of a picker, is tapped by its name.
      if case .tap = act, cell?.type == .segmented || cell?.type == .picker {
        try check(action, for: cell, row)
        return .enter(row, value: action)
      }
      let known = cell?.actions ?? []
      throw MinervaError(
        .screenNoSuchRow, "row \(row) has no action \"\(action)\"; it has \(known.isEmpty ? "none" : known.joined(separator: ", "))")
    case .swipe(let row, nil):
      guard let action = try enabled(row, on: screen)?.actions?.first else {
        throw MinervaError(.screenNoSuchRow, "row \(row) has no swipe action")
      }
      return .swipe(row, action: action)
    case .tap(let row, nil):
      let cell = try enabled(row, on: screen)
      guard cell?.isSelectable ?? true else { throw MinervaError(.screenNotSelectable, "row \(row) takes no tap") }
      switch cell?.type {
      case .toggle?: return .enter(row, value: cell?.value == "true" ? "false" : "true")
      case .segmented?:
        let segments = cell?.options ?? []
        throw MinervaError(.screenNoSuchRow, "tap a segment of \(row) by its name: \(segments.joined(separator: ", "))")
      default: return .tap(row)
      }
    case .enter(let field, let value):
      try check(value, for: try enabled(field, on: screen), field)
      return .enter(field, value: value)
    case .enterSealed(let field, _):
      throw MinervaError(.inputLost, "what was entered into \(field) was lost with a restart of the broker; enter it again")
    case .executeSealed(let command, _):
      throw MinervaError(.inputLost, "what \(command) was given was lost with a restart of the broker; execute it again")
    case .move(let row, let before, let other):
      guard let cell = try enabled(row, on: screen), cell.traits?.contains(.reorderable) == true else {
        throw MinervaError(.screenNotReorderable, "row \(row) may not be moved")
      }
      guard try enabled(other, on: screen) != nil else {
        throw MinervaError(.screenNoSuchRow, "\(other) is a button: a row is moved before or after a row")
      }
      return .move(row, before ? .before : .after, of: other)
    case .execute(let command, let input):
      guard let known = screen.commands.first(where: { $0.name == command }) else {
        let names = screen.commands.map(\.name).joined(separator: ", ")
        throw MinervaError(
          .screenNoSuchRow, "\"\(screen.title)\" has no command \"\(command)\"; it has \(names.isEmpty ? "none" : names)")
      }
      guard known.isEnabled else { throw MinervaError(.commandDisabled, "\(command) cannot run now") }
      return .execute(command, payload: input)
    }
  }

  /// The row of an identifier, or `nil` for a button of the title bar or an alert.
  private static func enabled(_ id: String, on screen: Screen) throws -> CellContent? {
    for button in screen.buttons + (screen.alert?.answers ?? []) where ByteText.same(button.id, id) {
      guard button.isEnabled else { throw disabled(id) }
      return nil
    }
    guard let row = screen.row(id) else {
      throw MinervaError(.screenNoSuchRow, "\"\(screen.title)\" has no row \"\(id)\"; \(hint(instead: id, on: screen))")
    }
    guard row.isEnabled else { throw disabled(id) }
    return row
  }

  /// What was perhaps meant, else the first few that take something; by their names alone, as a refusal is journaled.
  private static func hint(instead id: String, on screen: Screen) -> String {
    let buttons = (screen.buttons + (screen.alert?.answers ?? [])).map(\.id)
    // Of a list of a million rows the first thousand: nobody else of this screen is served meanwhile.
    let rows = screen.sections.lazy.flatMap(\.cells).prefix(1_000).filter { $0.shown.isSelectable }.map(\.identifier)
    let ids = buttons + rows
    if let meant = Suggestion.nearest(to: id, among: ids) { return "did you mean \(meant)?" }
    let named = ids.prefix(8)
    if named.isEmpty { return "it has none that takes anything" }
    return "it has \(named.joined(separator: ", "))\(ids.count > named.count ? " and \(ids.count - named.count) more" : "")"
  }

  private static func check(_ value: String, for cell: CellContent?, _ field: String) throws {
    guard let cell, cell.type.takesValue else {
      throw MinervaError(.screenNoSuchRow, "\"\(field)\" is no field; tap it instead")
    }
    let options = cell.type == .toggle ? ["true", "false"] : cell.options ?? []
    guard options.isEmpty || options.contains(value) else {
      let found = cell.secret == true ? "another value" : "\"\(value)\""
      throw MinervaError(.inputInvalid, "\(field): expected one of \(options.joined(separator: ", ")), found \(found)")
    }
  }

  private static func disabled(_ id: String) -> MinervaError {
    MinervaError(.screenDisabled, "\(id) cannot be used now")
  }
}

extension Screen {
  /// What the first row of an identifier shows, those of horizontal collections included. O(rows).
  func row(_ id: String) -> CellContent? {
    for section in sections {
      for cell in section.cells {
        if ByteText.same(cell.identifier, id) { return cell.shown }
        guard cell.cellType == .horizontal else { continue }
        if let inner = cell.content.cells?.first(where: { ByteText.same($0.id, id) }) { return inner }
      }
    }
    return nil
  }
}
