/// An object of a line that is not closed yet: what completion needs to know of it.
struct OpenJSON {
  /// How many brackets are open.
  private(set) var depth = 0
  /// What is typed of the key or value at the end, with its opening quote.
  private(set) var typed = ""
  /// The key whose value is being typed; nil when a key is.
  private(set) var key: String?
  /// Whether the outermost bracket is that of a list.
  private(set) var isList = false
  /// The keys of the outermost object so far.
  private(set) var keys: [String] = []

  /// Reads a text up to the cursor; nil when no object is open there.
  init?(in text: String) {
    var isQuoted = false
    var isEscaped = false
    var string = ""
    for character in text {
      if isQuoted {
        typed.append(character)
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isQuoted = false
        } else {
          string.append(character)
        }
        continue
      }
      switch character {
      case "\"":
        isQuoted = true
        (string, typed) = ("", "\"")
      case "{", "[":
        depth += 1
        if depth == 1 { (keys, key, isList) = ([], nil, character == "[") }
        typed = ""
      case "}", "]":
        depth -= 1
        typed = ""
      case ":" where depth == 1:
        key = string
        keys.append(string)
        typed = ""
      case ",":
        if depth == 1 { key = nil }
        typed = ""
      case _ where character.isWhitespace: if depth > 0 { typed = "" }
      default: typed.append(character)
      }
    }
    guard depth > 0 else { return nil }
  }
}
