import CommandKit

/// A payload in short, as replies and trees show it: `{section:"privacy"}`.
enum PayloadDigest {
  /// Writes JSON without quotes around plain keys and without blanks, clipped; nothing for an empty payload, `{}` or `null`.
  static func text(_ bytes: [UInt8], width: Int = 60) -> String {
    guard !bytes.isEmpty else { return "" }
    let source = String(decoding: bytes, as: UTF8.self)
    var result = ""
    var index = source.startIndex
    while index < source.endIndex, result.utf8.count < width * 4 {
      let character = source[index]
      if character == "\"" {
        let end = endOfString(source, index)
        let literal = source[index..<end]
        let after = source[end...].first { !$0.isWhitespace }
        let name = literal.dropFirst().dropLast()
        let isPlainKey = after == ":" && !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        result += isPlainKey ? name : literal
        index = end
      } else {
        if !character.isWhitespace { result.append(character) }
        index = source.index(after: index)
      }
    }
    if result == "{}" || result == "null" { return "" }
    let visible = DisplayWidth.clipped(Escaping.visible(result), to: width)
    return visible.hasPrefix("{") ? visible : "(\(visible))"
  }

  private static func endOfString(_ text: String, _ start: String.Index) -> String.Index {
    var index = text.index(after: start)
    while index < text.endIndex {
      if text[index] == "\\" {
        index = text.index(after: index)
        if index == text.endIndex { break }
      } else if text[index] == "\"" {
        return text.index(after: index)
      }
      index = text.index(after: index)
    }
    return text.endIndex
  }
}
