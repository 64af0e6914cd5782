import MinervaNavigation
import MinervaWire

/// Reads a catalogue strictly: what it does not know it refuses, with the path.
struct CatalogueReader {
  let file: String

  private func fail(_ path: String, _ text: String) -> MinervaError {
    MinervaError(.catalogInvalid, "\(file): \(path.isEmpty ? text : "\(path): \(text)")")
  }

  func catalogue(_ value: JSONValue) throws(MinervaError) -> CatalogueFile {
    let root = try object(value, "", ["app", "start", "links", "modules"])
    let app = try text(root["app"], "app")
    guard let listed = root["modules"] else { throw fail("modules", "missing; it names the app's modules") }
    guard case .object(let members) = listed, !members.isEmpty else {
      throw fail("modules", "expected an object of modules, found \(listed.summary)")
    }
    var modules: [CatalogueModule] = []
    for member in members.members { modules.append(try module(member.key, member.value)) }
    let names = Set(modules.map(\.name))
    let start = try text(root["start"], "start")
    try known(start, names, "start")
    for module in modules { try check(module, names) }
    return CatalogueFile(app: app, start: start, links: try links(root["links"], start, names), modules: modules)
  }

  // MARK: Modules

  private static let moduleKeys = [
    "summary", "input", "output", "container", "slots", "routes", "transitions", "state", "title", "rows", "on",
  ]

  private func module(_ name: String, _ value: JSONValue) throws(MinervaError) -> CatalogueModule {
    let path = "modules.\(name)"
    guard let address = ModuleAddress(name), address.app == nil, address.host == nil, name.first?.isLetter == true else {
      throw fail(path, "a module's name is a word that begins with a letter")
    }
    let object = try object(value, path, Self.moduleKeys)
    var module = CatalogueModule(name: name)
    module.summary = try optionalText(object["summary"], "\(path).summary") ?? ""
    if let input = object["input"] { module.input = try shape(input, "\(path).input", name: name) }
    if let output = object["output"] { module.output = try shape(output, "\(path).output", name: name) }
    if let container = object["container"] { module.container = try self.container(container, "\(path).container") }
    module.slots = try texts(object["slots"], "\(path).slots")
    for route in try members(object["routes"], "\(path).routes") { module.routes.append(try self.route(route, "\(path).routes")) }
    for transition in try members(object["transitions"], "\(path).transitions") {
      let opening = try self.opening(transition.value, "\(path).transitions.\(transition.key)")
      module.transitions.append(
        NamedTransition(
          name: transition.key, opening: Command.Opening(ModuleAddress(name: opening.module), input: opening.input.bytes, via: opening.via))
      )
    }
    module.state = JSONObject(try members(object["state"], "\(path).state").map { ($0.key, $0.value) })
    module.title = try optionalText(object["title"], "\(path).title") ?? name
    for (index, row) in try items(object["rows"], "\(path).rows").enumerated() {
      module.rows.append(try self.row(row, "\(path).rows[\(index)]"))
    }
    for event in try members(object["on"], "\(path).on") {
      let place = "\(path).on[\"\(event.key)\"]"
      guard Self.isEvent(event.key) else {
        throw fail(
          place,
          "no such event; there are load, input, tap ROW, swipe ROW, enter FIELD, output MODULE, result MODULE, end MODULE, timer NAME")
      }
      var steps: [CatalogueStep] = []
      for (index, step) in try items(event.value, place).enumerated() { steps.append(try self.step(step, "\(place)[\(index)]")) }
      module.scripts[event.key] = steps
    }
    return module
  }

  private static func isEvent(_ key: String) -> Bool {
    let words = key.split(separator: " ")
    switch words.first {
    case "load", "input": return words.count == 1
    case "tap", "swipe", "enter", "output", "result", "end", "timer": return words.count == 2
    default: return false
    }
  }

  private func container(_ value: JSONValue, _ path: String) throws(MinervaError) -> ContainerSpec {
    let object = try object(value, path, ["tabs", "selected", "primary", "detail"])
    if let primary = object["primary"] {
      guard object["tabs"] == nil else { throw fail(path, "tabs or a split, not both") }
      let detail: ModuleStart? = if let detail = object["detail"] { try start(detail, "\(path).detail") } else { nil }
      return .split(primary: try start(primary, "\(path).primary"), detail: detail, collapsed: false)
    }
    var tabs: [TabSpec] = []
    for tab in try members(object["tabs"], "\(path).tabs") {
      tabs.append(TabSpec(name: tab.key, start: try start(tab.value, "\(path).tabs.\(tab.key)")))
    }
    guard !tabs.isEmpty else { throw fail(path, "expected tabs with their modules, or primary of a split") }
    guard let selected = try optionalText(object["selected"], "\(path).selected") else { return .tabs(tabs, selected: 0) }
    guard let index = tabs.firstIndex(where: { $0.name == selected }) else { throw fail("\(path).selected", "no tab \"\(selected)\"") }
    return .tabs(tabs, selected: index)
  }

  private func start(_ value: JSONValue, _ path: String) throws(MinervaError) -> ModuleStart {
    ModuleStart(ModuleAddress(name: try text(value, path)))
  }

  private func route(_ member: JSONObject.Member, _ path: String) throws(MinervaError) -> CatalogueRoute {
    let place = "\(path)[\"\(member.key)\"]"
    guard RoutePattern(member.key) != nil else {
      throw fail(place, "write literals, :names, :optional? and a last *rest between slashes")
    }
    if case .string(let target) = member.value { return CatalogueRoute(path: member.key, target: target) }
    let object = try object(member.value, place, ["to", "via", "query", "redirect"])
    if let redirect = try optionalText(object["redirect"], "\(place).redirect") {
      return CatalogueRoute(path: member.key, redirect: redirect)
    }
    return CatalogueRoute(
      path: member.key, target: try text(object["to"], "\(place).to"), via: try presentation(object["via"], "\(place).via"),
      query: try texts(object["query"], "\(place).query"))
  }

  private func links(_ value: JSONValue?, _ start: String, _ names: Set<String>) throws(MinervaError) -> DeepLinkScope? {
    guard let value else { return nil }
    let object = try object(value, "links", ["schemes", "hosts", "root"])
    let root = try optionalText(object["root"], "links.root") ?? start
    try known(root, names, "links.root")
    return DeepLinkScope(
      root: root, schemes: try texts(object["schemes"], "links.schemes"), hosts: try texts(object["hosts"], "links.hosts"))
  }

  // MARK: Screens and scripts

  private func row(_ value: JSONValue, _ path: String) throws(MinervaError) -> CatalogueRow {
    let object = try object(value, path, ["id", "text", "detail", "kind", "swipe"])
    let id = try text(object["id"], "\(path).id")
    var row = CatalogueRow(id: id, text: try optionalText(object["text"], "\(path).text") ?? id)
    row.detail = try optionalText(object["detail"], "\(path).detail")
    row.swipe = try texts(object["swipe"], "\(path).swipe")
    if let kind = try optionalText(object["kind"], "\(path).kind") {
      guard let kind = CatalogueRow.Kind(rawValue: kind) else {
        let kinds = CatalogueRow.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw fail("\(path).kind", "no kind \"\(kind)\"; there are \(kinds)")
      }
      row.kind = kind
    }
    return row
  }

  private static let steps = ["open", "output", "finish", "cancel", "set", "fail", "veto", "wake"]

  private func step(_ value: JSONValue, _ path: String) throws(MinervaError) -> CatalogueStep {
    let object = try object(value, path, Self.steps + ["input", "via", "as"])
    let verbs = object.keys.filter(Self.steps.contains)
    guard verbs.count == 1, let verb = verbs.first, let operand = object[verb] else {
      throw fail(
        path, "expected one of \(Self.steps.joined(separator: ", ")), found \(verbs.isEmpty ? "none" : verbs.joined(separator: ", "))")
    }
    guard verb == "open" || (object["input"] == nil && object["via"] == nil) else { throw fail(path, "input and via belong to open") }
    guard verb == "wake" || object["as"] == nil else { throw fail(path, "as belongs to wake") }
    switch verb {
    case "open":
      return .open(
        module: try text(operand, "\(path).open"), input: object["input"] ?? .object(JSONObject()),
        via: try presentation(object["via"], "\(path).via"))
    case "output": return .output(operand)
    case "finish": return .finish(operand)
    case "cancel": return .cancel
    case "wake":
      guard case .integer(let milliseconds) = operand, milliseconds > 0 else {
        throw fail("\(path).wake", "expected milliseconds, found \(operand.summary)")
      }
      return .wake(UInt64(milliseconds), name: try optionalText(object["as"], "\(path).as") ?? "timer")
    case "fail": return .fail(try text(operand, "\(path).fail"))
    case "veto":
      var vetoes: Vetoes = []
      for gesture in try texts(operand, "\(path).veto") {
        switch gesture {
        case "back": vetoes.insert(.back)
        case "dismiss": vetoes.insert(.dismiss)
        default: throw fail("\(path).veto", "no gesture \"\(gesture)\"; there are back, dismiss")
        }
      }
      return .veto(vetoes)
    default: return .set(JSONObject(try members(operand, "\(path).set").map { ($0.key, $0.value) }))
    }
  }

  private func opening(_ value: JSONValue, _ path: String) throws(MinervaError) -> (module: String, input: JSONValue, via: Presentation) {
    if case .string(let module) = value { return (module, .object(JSONObject()), .push) }
    let object = try object(value, path, ["to", "input", "via"])
    return (
      try text(object["to"], "\(path).to"), object["input"] ?? .object(JSONObject()), try presentation(object["via"], "\(path).via")
    )
  }

  private func presentation(_ value: JSONValue?, _ path: String) throws(MinervaError) -> Presentation {
    guard let word = try optionalText(value, path) else { return .push }
    guard let presentation = Presentation(word) else {
      throw fail(path, "no way \"\(word)\"; there are push, replace, root, modal, modal:STYLE, tab:NAME, detail, embed:SLOT, custom:NAME")
    }
    return presentation
  }

  // MARK: Schemas

  /// `"integer"`, `"string?"`, `"light|dark"`, `"secret string"`, `["string"]`, `{"id": "integer"}`.
  private func shape(_ value: JSONValue, _ path: String, name: String) throws(MinervaError) -> PayloadShape {
    switch value {
    case .object(let object):
      var fields: [PayloadShape.Field] = []
      for member in object.members {
        fields.append(PayloadShape.Field(member.key, try shape(member.value, "\(path).\(member.key)", name: "\(name).\(member.key)")))
      }
      return .object(name: name, fields)
    case .array(let items):
      guard items.count == 1, let item = items.first else { throw fail(path, "an array has one type, as [\"string\"]") }
      return .array(try shape(item, "\(path)[0]", name: name))
    case .string(let word): return try shape(word[...], path)
    default: throw fail(path, "expected a type such as \"integer\" or \"string?\", found \(value.summary)")
    }
  }

  private func shape(_ word: Substring, _ path: String) throws(MinervaError) -> PayloadShape {
    if word.hasSuffix("?") { return .optional(try shape(word.dropLast(), path)) }
    if word.hasPrefix("secret ") { return .secret(try shape(word.dropFirst(7), path)) }
    if word.contains("|") { return .oneOf(word.split(separator: "|").map { .string(String($0)) }) }
    switch word {
    case "string": return .string
    case "integer": return .integer(min: .min, max: UInt64(Int64.max))
    case "number": return .number
    case "boolean": return .boolean
    case "any": return .any
    default: throw fail(path, "no type \"\(word)\"; there are string, integer, number, boolean, any, a|b, each with ? or after secret")
    }
  }

  // MARK: What is named

  private func check(_ module: CatalogueModule, _ names: Set<String>) throws(MinervaError) {
    let path = "modules.\(module.name)"
    switch module.container {
    case .none: break
    case .tabs(let tabs, _): for tab in tabs { try known(tab.start.module.name, names, "\(path).container.tabs.\(tab.name)") }
    case .split(let primary, let detail, _):
      try known(primary.module.name, names, "\(path).container.primary")
      if let detail { try known(detail.module.name, names, "\(path).container.detail") }
    }
    for route in module.routes { if let target = route.target { try known(target, names, "\(path).routes[\"\(route.path)\"]") } }
    for transition in module.transitions { try known(transition.opening.module.name, names, "\(path).transitions.\(transition.name)") }
    for (event, steps) in module.scripts.sorted(by: { $0.key < $1.key }) {
      for (index, step) in steps.enumerated() {
        if case .open(let target, _, _) = step { try known(target, names, "\(path).on[\"\(event)\"][\(index)].open") }
      }
    }
  }

  private func known(_ name: String, _ names: Set<String>, _ path: String) throws(MinervaError) {
    guard !names.contains(name) else { return }
    throw fail(path, "no module \"\(name)\"; there are \(names.sorted().joined(separator: ", "))")
  }

  // MARK: Values

  private func object(_ value: JSONValue, _ path: String, _ keys: [String]) throws(MinervaError) -> JSONObject {
    guard case .object(let object) = value else { throw fail(path, "expected an object, found \(value.summary)") }
    for key in object.keys where !keys.contains(key) {
      throw fail(path, "no key \"\(key)\" here; there are \(keys.joined(separator: ", "))")
    }
    return object
  }

  private func members(_ value: JSONValue?, _ path: String) throws(MinervaError) -> [JSONObject.Member] {
    guard let value else { return [] }
    guard case .object(let object) = value else { throw fail(path, "expected an object, found \(value.summary)") }
    return object.members
  }

  private func items(_ value: JSONValue?, _ path: String) throws(MinervaError) -> [JSONValue] {
    guard let value else { return [] }
    guard case .array(let items) = value else { throw fail(path, "expected an array, found \(value.summary)") }
    return items
  }

  private func text(_ value: JSONValue?, _ path: String) throws(MinervaError) -> String {
    guard let text = try optionalText(value, path), !text.isEmpty else { throw fail(path, "expected a text, found nothing") }
    return text
  }

  private func optionalText(_ value: JSONValue?, _ path: String) throws(MinervaError) -> String? {
    guard let value else { return nil }
    guard case .string(let text) = value else { throw fail(path, "expected a text, found \(value.summary)") }
    return text
  }

  private func texts(_ value: JSONValue?, _ path: String) throws(MinervaError) -> [String] {
    var texts: [String] = []
    for (index, item) in try items(value, path).enumerated() { texts.append(try text(item, "\(path)[\(index)]")) }
    return texts
  }
}
