import CommandKit
import Glibc
import Minerva
package import MinervaInterfaces
package import MinervaNavigation
import MinervaWire

/// Offers what may be typed next, from the verbs' own data and from what was last seen; never asks anybody.
package struct Completer: Sendable {
  /// What is known, refreshed after each command.
  package var look: SceneLook?
  /// The names given by `as`, and whose they are.
  package var aliases: [String: ScreenID]
  package var modules: [ModuleListing]
  package var processes: [String]
  package var routes: RouteListing?
  package var scenes: [String]

  package init(
    look: SceneLook? = nil, aliases: [String: ScreenID] = [:], modules: [ModuleListing] = [], processes: [String] = [],
    routes: RouteListing? = nil, scenes: [String] = []
  ) {
    self.scenes = scenes
    self.routes = routes
    self.look = look
    self.aliases = aliases
    self.modules = modules
    self.processes = processes
  }

  /// Completes the last word of a text.
  package func complete(_ text: String) -> Completion {
    let (words, typed) = Self.split(text)
    if let json = OpenJSON(in: text) {
      if json.isList, verbTakesElements(words) { return completion(json.typed, elements, suffix: "") }
      return members(of: json, words)
    }
    guard let name = words.first else { return completion(typed, Verb.all.map(\.name)) }
    guard let verb = Verb.named(name) else { return Completion(typed: typed, candidates: []) }
    if name == "help", words.count == 1 { return completion(typed, ["all", "catalog", "errors"] + Verb.all.map(\.name)) }
    if let previous = words.last, previous.hasPrefix("--"), let option = verb.options.first(where: { "--\($0.name)" == previous }),
      let kind = option.value
    {
      return values(of: kind, typed)
    }
    if typed.hasPrefix("--") { return completion(typed, verb.options.map { "--\($0.name)" }) }
    if words.count > 1, let clause = verb.forms.flatMap(\.clauses).first(where: { $0.keyword == words.last }) {
      return candidates(clause.syllable, typed, words)
    }
    return positional(verb, Array(words.dropFirst()), typed)
  }

  /// Cuts a text into the finished words of its last command and the word being typed.
  private static func split(_ text: String) -> (words: [String], typed: String) {
    var command = text[...]
    var depth = 0
    var isQuoted = false
    for index in text.indices {
      switch text[index] {
      case "\"" where index == text.startIndex || text[text.index(before: index)] != "\\": isQuoted.toggle()
      case "{", "[": depth += isQuoted ? 0 : 1
      case "}", "]": depth -= isQuoted ? 0 : 1
      case ";" where depth <= 0 && !isQuoted: command = text[text.index(after: index)...]
      default: break
      }
    }
    let words = command.split(whereSeparator: \.isWhitespace).map(String.init)
    if command.last?.isWhitespace ?? true { return (words, "") }
    return (Array(words.dropLast()), words.last ?? "")
  }

  private func completion(_ typed: String, _ words: [String], suffix: String = " ") -> Completion {
    var seen: Set<String> = []
    return Completion(typed: typed, candidates: words.filter { $0.hasPrefix(typed) && seen.insert($0).inserted }, suffix: suffix)
  }

  /// Gathers what every form that fits so far allows at this place.
  private func positional(_ verb: Verb, _ given: [String], _ typed: String) -> Completion {
    var all: [String] = []
    var suffix = " "
    for form in verb.forms {
      guard let (syllables, literals) = next(form, given) else { continue }
      all += literals
      for syllable in syllables {
        let found = candidates(syllable, typed, [verb.name] + given)
        all += found.candidates
        if found.suffix != " " { suffix = found.suffix }
      }
      if !given.isEmpty || form.positional.isEmpty { all += form.clauses.map(\.keyword).filter { !given.contains($0) } }
    }
    return completion(typed, all, suffix: suffix)
  }

  /// Walks a form past the words given; what may come next, or nil when they do not fit.
  private func next(_ form: Form, _ given: [String]) -> (syllables: [Syllable], literals: [String])? {
    var left = given[...]
    // Clauses and options may stand anywhere; they are stepped over with their word.
    while let index = left.firstIndex(where: { word in form.clauses.contains { $0.keyword == word } }) {
      left = left[..<index] + left[index...].dropFirst(2)
    }
    var options: [Syllable] = []
    for part in form.positional {
      guard let word = left.first else {
        switch part {
        case .word(let word): return (options, options.isEmpty ? [word] : [word])
        case .one(_, let syllable): return (options + [syllable], [])
        case .maybe(_, let syllable), .many(_, let syllable, _):
          options.append(syllable)
          continue
        case .clause: continue
        }
      }
      let token = Token.argument(word, 0)
      switch part {
      case .word(let expected):
        guard word == expected else { return nil }
        left = left.dropFirst()
      case .one(_, let syllable):
        guard syllable.complaint(about: token) == nil else { return nil }
        left = left.dropFirst()
      case .maybe(_, let syllable):
        if syllable.complaint(about: token) == nil { left = left.dropFirst() }
      case .many(_, let syllable, _):
        while let next = left.first, syllable.complaint(about: Token.argument(next, 0)) == nil { left = left.dropFirst() }
        if left.isEmpty { options.append(syllable) }
      case .clause: continue
      }
    }
    return left.isEmpty ? (options, []) : nil
  }

  private func candidates(_ syllable: Syllable, _ typed: String, _ words: [String]) -> Completion {
    switch syllable {
    case .module: return completion(typed, modules.map(\.module.name).sorted())
    case .reference: return completion(typed, references)
    case .alias: return completion(typed, aliases.keys.sorted().map { "@\($0)" })
    case .place: return completion(typed, (look?.tree.places ?? []).map(\.path.description))
    case .presentation:
      let tabs = (look?.tree.tabBars ?? []).flatMap(\.tabs).map { "tab:\($0.name)" }
      return completion(
        typed, ["push", "modal", "replace", "root", "detail"] + ["sheet", "full", "popover", "alert"].map { "modal:\($0)" } + tabs)
    case .keyword(let keywords): return completion(typed, keywords)
    case .assignment(let keys): return completion(typed, keys.map { "\($0)=" }, suffix: "")
    case .payload:
      // JSON is a payload by itself: nothing is added behind it.
      if words.dropFirst().contains(where: { $0.hasSuffix("}") }) { return Completion(typed: typed, candidates: []) }
      return keys(typed, words)
    case .code: return completion(typed, ErrorCatalogue.entries.map(\.code.rawValue))
    case .event: return completion(typed, EventText.names)
    case .topic: return completion(typed, EventText.topics + EventText.names)
    case .url: return completion(typed, links, suffix: "")
    case .file: return Self.files(typed)
    case .name(let name): return completion(typed, names(name, words))
    default: return Completion(typed: typed, candidates: [])
    }
  }

  private var references: [String] {
    let screens = look?.tree.screens ?? []
    let counts = Dictionary(screens.map { ($0.module.lowercased(), 1) }, uniquingKeysWith: +)
    let unique = counts.filter { $0.value == 1 }.map { "@\($0.key)" }.sorted()
    return aliases.keys.map { "@\($0)" }.sorted() + unique + ["top", "root"] + screens.map(\.id.description)
  }

  /// Rows, fields, actions, tabs, commands, processes: by the verb and the screen named before.
  private func names(_ name: String, _ words: [String]) -> [String] {
    let rendering = words.dropFirst().first(where: { Reference($0) != nil }).flatMap(rendering(of:))
    let rows = rendering?.sections.flatMap(\.rows) ?? []
    switch name {
    case "ROW":
      let buttons = (rendering?.buttons ?? []).map(\.id) + (rendering?.alert?.answers ?? []).map(\.id)
      return buttons + rows.filter(\.isEnabled).map(\.id)
    case "FIELD": return rows.filter { $0.type.takesValue }.map(\.id)
    case "ACTION": return rows.first { $0.id == words.last }?.actions ?? []
    case "COMMAND": return (rendering?.commands ?? []).map(\.name)
    case "PROCESS": return processes
    case "NAME" where words.first == "tab": return (look?.tree.tabBars.last?.tabs ?? []).map(\.name)
    case "NAME" where words.first == "modules": return modules.map(\.module.name)
    case "NAME" where words.first == "scene": return scenes
    default: return []
    }
  }

  private func rendering(of word: String) -> ScreenRendering? { screen(word).flatMap { look?.renderings[$0.id] } }

  /// The screen that a word names.
  private func screen(_ word: String) -> SceneTree.Screen? {
    guard let look, let reference = Reference(word) else { return nil }
    switch reference {
    case .ref(let ref): return look.tree.resolve(ref)
    case .alias(let name):
      if let given = aliases[name] { return look.tree.screens.first { $0.id == given } }
      let named = look.tree.screens.filter { $0.module.lowercased() == name }
      return named.count == 1 ? named[0] : nil
    }
  }

  /// The schema of the payload behind these words: of the module that is opened, or whose screen is sent something.
  private func schema(for words: [String]) -> PayloadSchema? {
    guard words.count > 1 else { return nil }
    let name: String
    switch words[0] {
    case "open": name = String(words[1].prefix { $0 != "@" })
    case "send": name = screen(words[1])?.module ?? ""
    default: return nil
    }
    return modules.first { $0.module.name == name }?.module.schema.flatMap(SchemaTypes.schema)
  }

  /// Whether a list behind these words has the elements of a stack.
  private func verbTakesElements(_ words: [String]) -> Bool { words.contains("set") || words.contains("==") }

  /// What an element of a stack may be: a screen by its id, or a module.
  private var elements: [String] {
    modules.map(\.module.name).sorted() + (look?.tree.screens ?? []).map(\.id.description)
  }

  /// The keys of the module's input, and the values of an enumerated one.
  private func keys(_ typed: String, _ words: [String]) -> Completion {
    guard let schema = schema(for: words) else { return Completion(typed: typed, candidates: []) }
    if let equals = typed.firstIndex(of: "=") {
      let field = schema.fields.first { $0.name == typed[..<equals] }
      return completion(typed, (field.map { Self.choices($0.shape) } ?? []).map { "\(typed[...equals])\($0)" })
    }
    return completion(typed, schema.fields.map { "\($0.name)=" }, suffix: "")
  }

  /// What an open object of a module's input may go on with: its keys, and the values of an enumerated one.
  private func members(of json: OpenJSON, _ words: [String]) -> Completion {
    guard json.depth == 1, let schema = schema(for: words) else { return Completion(typed: json.typed, candidates: []) }
    guard let key = json.key else {
      let left = schema.fields.map(\.name).filter { !json.keys.contains($0) }
      return completion(json.typed, left.map { "\"\($0)\":" }, suffix: "")
    }
    guard let shape = schema.fields.first(where: { $0.name == key })?.shape else { return Completion(typed: json.typed, candidates: []) }
    return completion(json.typed, Self.written(shape), suffix: "")
  }

  /// The values of an enumerated shape as JSON.
  private static func written(_ shape: PayloadShape) -> [String] {
    switch shape {
    case .boolean: ["true", "false"]
    case .optional(let inner): written(inner)
    case .oneOf(let values): values.map(\.text)
    default: []
    }
  }

  /// The links that the app's routes make, up to what must be filled in.
  private var links: [String] {
    guard let routes else { return [] }
    let begins = routes.scope.schemes.flatMap { scheme in routes.scope.hosts.map { "\(scheme)://\($0)/" } }
    let paths = routes.routes.filter { $0.from == routes.scope.root }.map { route in
      route.pattern.description.prefix { $0 != ":" && $0 != "*" }.drop { $0 == "/" }
    }
    return begins + begins.flatMap { begin in paths.filter { !$0.isEmpty }.map { begin + $0 } }
  }

  private static func choices(_ shape: PayloadShape) -> [String] {
    switch shape {
    case .boolean: ["true", "false"]
    case .optional(let inner): choices(inner)
    case .oneOf(let values): values.map { if case .string(let text) = $0 { text } else { $0.text } }
    default: []
    }
  }

  private func values(of kind: ValueKind, _ typed: String) -> Completion {
    switch kind {
    case .choice(let values): completion(typed, values)
    case .file, .directory: Self.files(typed)
    default: completion(typed, references)
    }
  }

  private static func files(_ typed: String) -> Completion {
    let directory = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    guard let stream = opendir(directory.isEmpty ? "." : directory) else { return Completion(typed: typed, candidates: []) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream), names.count < 1_000 {
      let isDirectory = entry.pointee.d_type == UInt8(DT_DIR)
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard !name.hasPrefix("."), (directory + name).hasPrefix(typed) else { continue }
      names.append(directory + name + (isDirectory ? "/" : ""))
    }
    let isOne = names.count == 1 && names[0].hasSuffix("/")
    return Completion(typed: typed, candidates: names.sorted(), suffix: isOne ? "" : " ")
  }
}
