extension CellContent {
  /// Draws the row in character cells, its swipe actions behind the first line.
  ///
  /// The terminal shows these very lines, and the layout measures by them, so both are one computation. Control characters are written out.
  /// - Parameter width: The number of columns available; anything below 4 counts as 4, so that a wide character fits behind a margin.
  /// - Returns: The lines, none wider than `width`.
  public func lines(width: Int) -> [String] {
    let width = max(4, width)
    let suffix = self.suffix
    // Where there is no room for both, the actions take a line of their own.
    guard !suffix.isEmpty, width - TextMeasure.width(suffix) >= 8 else {
      let actions = suffix.isEmpty ? [] : TextMeasure.wrapped(String(suffix.drop { $0 == " " }), width: width)
      return body(width: width) + actions
    }
    var lines = body(width: width - TextMeasure.width(suffix))
    lines[0] += suffix
    return lines
  }

  /// Draws the row in so many lines, whatever it needs.
  func lines(width: Int, height: Int) -> [String] {
    let height = min(max(0, height), 1000)
    return padded(Array(lines(width: width).prefix(height)).map { TextMeasure.clipped($0, to: max(0, width)) }, to: height, with: "")
  }

  /// The number of lines the row takes at a width.
  public func measure(width: Int) -> Int {
    lines(width: width).count
  }

  private func body(width: Int) -> [String] {
    let drawn: [String]
    switch type {
    case .separator: return [String(repeating: "─", count: width)]
    case .margin: return Array(repeating: "", count: min(max(0, height ?? 1), 1000))
    case .image: drawn = ["(\(printable(text)))"]
    case .button: drawn = [isEnabled ? "[ \(printable(text)) ]" : "( \(printable(text)) )"]
    case .detail: return paired(mark + printable(text), printable(detail ?? ""), width: width)
    case .textInput, .datePicker: drawn = ["\(caption)\(shownValue)"]
    case .textArea:
      let body = TextMeasure.wrapped(shownValue, width: max(1, width - 2)).map { "│ \($0)" }
      return TextMeasure.wrapped(printable(text), width: width) + padded(body, to: height ?? 1, with: "│ ")
    case .toggle: return paired(mark + printable(text), value == "true" ? "(on)" : "(off)", width: width)
    case .picker: drawn = ["\(caption)‹ \(shownValue) ›"]
    case .segmented:
      drawn = [(options ?? []).map { $0 == value ? "[\(printable($0))]" : " \(printable($0)) " }.joined(separator: " ")]
    case .horizontal: drawn = [(cells ?? []).map { $0.lines(width: width).joined(separator: " ") }.joined(separator: "  ")]
    default: return paired(mark + printable(text), printable(detail ?? ""), width: width)
    }
    return padded(drawn.flatMap { TextMeasure.wrapped($0, width: width) }, to: height ?? 1, with: "")
  }

  private var suffix: String {
    guard let actions, !actions.isEmpty else { return "" }
    return "  ‹\(actions.map { printable($0) }.joined(separator: "|"))›"
  }

  /// What stands before the text of a row that is one of a choice, or stands out.
  private var mark: String {
    let choice = traits?.contains(.choice) == true ? (traits?.contains(.chosen) == true ? "◉ " : "○ ") : ""
    return choice + (marked == true ? "● " : "")
  }

  private var caption: String { text.isEmpty ? "" : "\(printable(text)): " }

  private var shownValue: String {
    guard let value, !value.isEmpty else { return placeholder.map { "<\(printable($0))>" } ?? "" }
    return secret == true ? String(repeating: "•", count: value.count) : printable(value)
  }

  private func printable(_ text: String) -> String { TextMeasure.printable(text) }

  /// The main text at the left end and the detail at the right, on one line when they fit.
  private func paired(_ left: String, _ right: String, width: Int) -> [String] {
    guard !right.isEmpty else { return padded(TextMeasure.wrapped(left, width: width), to: height ?? 1, with: "") }
    let gap = width - TextMeasure.width(left) - TextMeasure.width(right)
    if gap >= 1, !left.contains("\n"), !right.contains("\n") {
      return padded([left + String(repeating: " ", count: gap) + right], to: height ?? 1, with: "")
    }
    return padded(TextMeasure.wrapped(left, width: width) + TextMeasure.wrapped("  \(right)", width: width), to: height ?? 1, with: "")
  }

  private func padded(_ lines: [String], to count: Int, with filler: String) -> [String] {
    lines + Array(repeating: filler, count: max(0, min(count, 1000) - lines.count))
  }
}
