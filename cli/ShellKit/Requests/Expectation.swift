package import MinervaNavigation

/// What an `expect` line claims.
package enum Expectation: Sendable, Hashable {
  case stack(NavPath, [StackElement])
  case tab(String)
  /// `none`, or the module on top of the topmost modal layer.
  case modal(String)
  case output(Reference, String)
  case result(Reference, String)
  /// The command before was refused with this code; `*` stands for any part.
  case error(String)
  case removed(Reference, reason: String?, once: Bool)
  case rowCount(Reference, Int)
  case rowsContain(Reference, String)
  case row(Reference, String, String)
  case changes(Reference, [ChangeCount])
  case screenShows(Reference, String)
  case enabled(Reference, String)
  case event(EventPattern)
  case noLeaks
  case exhaustive

  /// Whether a settled scene decides it: an event may still come, and memory is given back when it is.
  var isOnState: Bool {
    switch self {
    case .event, .noLeaks: false
    default: true
    }
  }

  /// `insert=1` of `expect changes`.
  package struct ChangeCount: Sendable, Hashable {
    package var kind: String
    package var count: Int

    package init(kind: String, count: Int) {
      self.kind = kind
      self.count = count
    }

    /// The kinds in the order in which they are shown.
    package static let kinds = ["insert", "delete", "move", "update", "sectionInsert", "sectionDelete"]
  }
}

/// One place of a stack as typed: `s1`, `@login`, `Home`, `Item {"id":4}`.
package enum StackElement: Sendable, Hashable, CustomStringConvertible {
  case screen(Reference)
  case module(ModuleAddress, input: String?)

  /// Reads the elements between the brackets of a list; throws with the place of the faulty one.
  package static func parse(_ token: Token) throws(ParseError) -> [StackElement] {
    var elements: [StackElement] = []
    var position = token.position
    position.column += 1
    for part in split(token.text.dropFirst().dropLast()) {
      let leading = part.prefix(while: \.isWhitespace).count
      var place = position
      place.column += leading
      position.column += part.count + 1
      let text = String(part).trimmingBlanks()
      if text.isEmpty {
        if elements.isEmpty, token.text.dropFirst().dropLast().allSatisfy(\.isWhitespace) { return [] }
        throw ParseError(.unexpected, "an element of the stack is empty", at: place)
      }
      elements.append(try element(text, at: place))
    }
    return elements
  }

  private static func element(_ text: String, at position: SourcePosition) throws(ParseError) -> StackElement {
    let head = text.prefix { !$0.isWhitespace && $0 != "{" }
    let input = String(text.dropFirst(head.count)).trimmingBlanks()
    let name = String(head)
    if input.isEmpty, let reference = Reference(name) { return .screen(reference) }
    guard let module = ModuleAddress(name), name.first?.isLetter == true else {
      throw ParseError(.unexpected, "expected a screen or a module, found \"\(name)\"", at: position)
    }
    guard !input.isEmpty else { return .module(module, input: nil) }
    if let complaint = PayloadCheck.complaint(about: input) {
      var place = position
      place.column += text.count - input.count + complaint.column - 1
      throw ParseError(.payload, complaint.message, at: place)
    }
    return .module(module, input: input)
  }

  /// Cuts at commas that stand in no bracket and no string.
  private static func split(_ text: Substring) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var depth = 0
    var isInString = false
    var isEscaped = false
    for index in text.indices {
      let character = text[index]
      if isInString {
        if isEscaped { isEscaped = false } else if character == "\\" { isEscaped = true } else if character == "\"" { isInString = false }
        continue
      }
      switch character {
      case "\"": isInString = true
      case "{", "[": depth += 1
      case "}", "]": depth -= 1
      case "," where depth == 0:
        parts.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
    }
    return parts + [text[start...]]
  }

  package var description: String {
    switch self {
    case .screen(let reference): reference.description
    case .module(let module, let input): input.map { "\(module) \($0)" } ?? module.description
    }
  }
}
