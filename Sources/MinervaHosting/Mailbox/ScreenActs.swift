import Minerva
import MinervaNavigation
import MinervaWire

/// Checks what a person does against what the screen shows, so that authors only see what was possible.
enum ScreenActs {
  /// The author's action for an act.
  /// - Throws: `screen.no_such_row`, `screen.disabled`, or `input.invalid` for a value that the field does not take.
  static func action(_ act: Command.Act, on screen: Screen) throws -> Action {
    switch act {
    case .tap(let row, let action?), .swipe(let row, let action?):
      let cell = try enabled(row, on: screen)
      guard cell?.actions?.contains(action) == true else {
        let known = cell?.actions ?? []
        throw MinervaError(
          "screen.no_such_row", "row \(row) has no action \"\(action)\"; it has \(known.isEmpty ? "none" : known.joined(separator: ", "))")
      }
      return .swipe(row, action: action)
    case .swipe(let row, nil):
      guard let action = try enabled(row, on: screen)?.actions?.first else {
        throw MinervaError("screen.no_such_row", "row \(row) has no swipe action")
      }
      return .swipe(row, action: action)
    case .tap(let row, nil):
      let cell = try enabled(row, on: screen)
      if cell?.type == .toggle { return .enter(row, value: cell?.value == "true" ? "false" : "true") }
      return .tap(row)
    case .enter(let field, let value):
      try check(value, for: try enabled(field, on: screen), field)
      return .enter(field, value: value)
    case .enterSealed(let field, _):
      throw MinervaError(.inputLost, "what was entered into \(field) was lost with a restart of the broker; enter it again")
    case .move(let row, let before, let other):
      _ = try enabled(row, on: screen)
      _ = try enabled(other, on: screen)
      return .move(row, before ? .before : .after, of: other)
    case .execute(let command, let input):
      guard let known = screen.commands.first(where: { $0.name == command }) else {
        let names = screen.commands.map(\.name).joined(separator: ", ")
        throw MinervaError(
          "screen.no_such_row", "\"\(screen.title)\" has no command \"\(command)\"; it has \(names.isEmpty ? "none" : names)")
      }
      guard known.isEnabled else { throw MinervaError("command.disabled", "\(command) cannot run now") }
      return .execute(command, payload: input)
    }
  }

  /// The row of an identifier, or `nil` for a button of the title bar or an alert.
  private static func enabled(_ id: String, on screen: Screen) throws -> CellContent? {
    for button in screen.buttons + (screen.alert?.answers ?? []) where button.id == id {
      guard button.isEnabled else { throw disabled(id) }
      return nil
    }
    for section in screen.sections {
      for cell in section.cells {
        if cell.identifier == id {
          guard cell.content.isEnabled else { throw disabled(id) }
          return cell.content
        }
        if cell.cellType == .horizontal, let inner = cell.content.cells?.first(where: { $0.id == id }) {
          guard inner.isEnabled else { throw disabled(id) }
          return inner
        }
      }
    }
    throw MinervaError("screen.no_such_row", "\"\(screen.title)\" has no row \"\(id)\"; \(rows(of: screen))")
  }

  /// What stands there instead, the first few by name.
  private static func rows(of screen: Screen) -> String {
    let ids = screen.sections.lazy.flatMap(\.cells).map(\.identifier)
    let named = ids.prefix(8)
    if named.isEmpty { return "it has none" }
    return "it has \(named.joined(separator: ", "))\(ids.count > named.count ? " and \(ids.count - named.count) more" : "")"
  }

  private static func check(_ value: String, for cell: CellContent?, _ field: String) throws {
    guard let cell, cell.type.takesValue else {
      throw MinervaError("screen.no_such_row", "\"\(field)\" is no field; tap it instead")
    }
    let options = cell.type == .toggle ? ["true", "false"] : cell.options ?? []
    guard options.isEmpty || options.contains(value) else {
      let found = cell.secret == true ? "another value" : "\"\(value)\""
      throw MinervaError(.inputInvalid, "\(field): expected one of \(options.joined(separator: ", ")), found \(found)")
    }
  }

  private static func disabled(_ id: String) -> MinervaError {
    MinervaError("screen.disabled", "\(id) cannot be used now")
  }
}
