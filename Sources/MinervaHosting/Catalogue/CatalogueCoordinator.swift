import Minerva
import MinervaNavigation
import MinervaWire

/// The coordinator of a catalogue's module: it follows the script of the module.
actor CatalogueCoordinator: CoordinatorRunning {
  private let module: CatalogueModule
  private let link: any CoordinatorLink
  private var input: JSONValue
  private var values: JSONObject

  /// Says in the state that `load` has run: a coordinator that is resumed has opened its children already.
  private static let loaded = "$loaded"

  init(_ module: CatalogueModule, input: [UInt8], link: any CoordinatorLink) throws {
    self.module = module
    self.link = link
    self.input = try Self.value(input)
    values = module.state
  }

  private static func value(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    bytes.isEmpty ? .object(JSONObject()) : try JSONValue(parsing: bytes)
  }

  nonisolated var actor: any Actor { self }

  // MARK: What it is told

  func restore(_ state: [UInt8]) throws {
    guard case .object(let object) = try JSONValue(parsing: state) else { return }
    values = object
  }

  func load() throws {
    guard module.scripts["load"] != nil, values[Self.loaded] == nil else { return }
    try run("load", .null)
    values[Self.loaded] = true
  }

  func configure(_ input: [UInt8]) throws {
    self.input = try Self.value(input)
    try run("input", self.input)
  }

  func handle(_ action: Action) throws {
    switch action {
    case .tap(let row): try run("tap \(row)", .string(row), otherwise: "tap *")
    case .swipe(let row, let name): try run("swipe \(row)", .string(name), otherwise: "swipe *")
    case .enter(let field, let text):
      values[field] = .string(text)
      try run("enter \(field)", .string(text), otherwise: "enter *")
    case .move, .execute: break
    }
  }

  func child(_ event: ChildEvent) throws {
    let value = try Self.value(event.payload ?? [])
    switch event.kind {
    case .output: try run("output \(event.module)", value)
    case .ended:
      if event.payload != nil { try run("result \(event.module)", value) }
      try run("end \(event.module)", .null)
    }
  }

  func answer(_ question: String, _ argument: [UInt8]) throws -> [UInt8] {
    throw MinervaError(.moduleNoAnswer, "\(module.name) does not answer \"\(question)\"")
  }

  func refused(_ refusal: Refusal) {}
  func timer(_ name: String) throws { try run("timer \(name)", .string(name)) }
  func lifecycle(_ moment: Lifecycle) {}
  func display(_ row: ListDisplay) {}
  func unload() {}

  // MARK: What it is

  func container() -> ContainerSpec { module.container }
  func transitions() -> [NamedTransition] { module.transitions }
  func state() -> [UInt8]? { values.isEmpty ? nil : JSONValue.object(values).bytes }

  func screen() -> Screen {
    var tabs: [TabItem] = []
    if case .tabs(let specs, _) = module.container { tabs = specs.map { TabItem($0.name, $0.name) } }
    guard !module.rows.isEmpty else { return Screen(filled(module.title, .null), tabs: tabs) }
    let cells = module.rows.map { row -> any ListCellModel in
      let text = filled(row.text, .null)
      switch row.kind {
      case .label:
        var label = Label(row.id, text, detail: row.detail.map { filled($0, .null) })
        if !row.swipe.isEmpty { label.content.actions = row.swipe }
        return label
      case .button: return Button(row.id, text)
      case .field: return TextInput(row.id, text, value: Self.text(values[row.id] ?? .string("")))
      case .toggle: return Switch(row.id, text, isOn: Self.text(values[row.id] ?? .bool(false)) == "true")
      }
    }
    return Screen(filled(module.title, .null), tabs: tabs, sections: [ListSection("rows", cells: cells)])
  }

  // MARK: Scripts

  private func run(_ event: String, _ value: JSONValue, otherwise: String? = nil) throws {
    for step in module.scripts[event] ?? otherwise.flatMap({ module.scripts[$0] }) ?? [] {
      switch step {
      case .open(let target, let input, let via):
        let opening = Command.Opening(ModuleAddress(name: target), input: filled(input, value).bytes, via: via)
        _ = try link.request(.open(opening), policy: .queue, gate: nil)
      case .output(let output):
        let output = filled(output, value)
        if let shape = module.output { try PayloadSchema(name: module.name, shape: shape).validate(output, code: .outputInvalid) }
        try link.tell(output.bytes)
      case .finish(let result): try link.end(.finish(filled(result, value).bytes))
      case .cancel: try link.end(.cancel)
      case .set(let members): for member in members.members { values[member.key] = filled(member.value, value) }
      case .fail(let text): throw MinervaError(.appFailed, filled(text, value))
      case .wake(let milliseconds, let name): try link.wake(name, after: milliseconds)
      case .veto(let vetoes): try link.veto(vetoes)
      }
    }
  }

  /// Puts values in place of names in braces: a text that is one name becomes that value, others are put together.
  private func filled(_ template: JSONValue, _ value: JSONValue) -> JSONValue {
    switch template {
    case .string(let text):
      if text.hasPrefix("{"), text.hasSuffix("}"), !text.dropFirst().dropLast().contains(where: { "{}".contains($0) }),
        let found = self.found(text.dropFirst().dropLast(), value)
      {
        return found
      }
      return .string(filled(text, value))
    case .array(let items): return .array(items.map { filled($0, value) })
    case .object(let object): return .object(JSONObject(object.members.map { ($0.key, filled($0.value, value)) }))
    default: return template
    }
  }

  private func filled(_ text: String, _ value: JSONValue) -> String {
    guard text.contains("{") else { return text }
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let end = rest[open...].firstIndex(of: "}") {
      result += rest[..<open]
      let name = rest[rest.index(after: open)..<end]
      result += found(name, value).map(Self.text) ?? String(rest[open...end])
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// What a name means: `value` and its members are the event's, others are of the state, then of the input.
  private func found(_ name: Substring, _ value: JSONValue) -> JSONValue? {
    let path = name.split(separator: ".").map(String.init)
    guard let first = path.first else { return nil }
    let root: JSONValue? = first == "value" ? value : first == "input" ? input : values[first] ?? input[first]
    return path.dropFirst().reduce(root) { found, key in found?[key] }
  }

  private static func text(_ value: JSONValue) -> String { if case .string(let text) = value { text } else { value.text } }
}
