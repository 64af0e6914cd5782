extension CellContent {
  /// Draws the row in character cells.
  ///
  /// The terminal shows these very lines, and the layout measures by them, so both are one computation.
  /// - Parameter width: The number of columns available; anything below 4 counts as 4, so that a wide character fits behind a margin.
  /// - Returns: The lines, none wider than `width`.
  public func lines(width: Int) -> [String] {
    let width = max(4, width)
    let drawn: [String]
    switch type {
    case .separator: return [String(repeating: "─", count: width)]
    case .margin: return Array(repeating: "", count: min(max(0, height ?? 1), 1000))
    case .image: drawn = ["(\(text))"]
    case .button: drawn = [isEnabled ? "[ \(text) ]" : "( \(text) )"]
    case .detail: return paired(text, detail ?? "", width: width)
    case .textInput, .datePicker: drawn = ["\(caption)\(shownValue)"]
    case .textArea:
      let body = TextMeasure.wrapped(shownValue, width: max(1, width - 2)).map { "│ \($0)" }
      return TextMeasure.wrapped(text, width: width) + padded(body, to: height ?? 1, with: "│ ")
    case .toggle: return paired(text, value == "true" ? "(on)" : "(off)", width: width)
    case .picker: drawn = ["\(caption)‹ \(shownValue) ›"]
    case .segmented: drawn = [(options ?? []).map { $0 == value ? "[\($0)]" : " \($0) " }.joined(separator: " ")]
    case .horizontal: drawn = [(cells ?? []).map { $0.lines(width: width).joined(separator: " ") }.joined(separator: "  ")]
    default: return paired((marked == true ? "● " : "") + text, detail ?? "", width: width)
    }
    return padded(drawn.flatMap { TextMeasure.wrapped($0, width: width) }, to: height ?? 1, with: "")
  }

  /// The number of lines the row takes at a width.
  public func measure(width: Int) -> Int {
    lines(width: width).count
  }

  private var caption: String { text.isEmpty ? "" : "\(text): " }

  private var shownValue: String {
    guard let value, !value.isEmpty else { return placeholder.map { "<\($0)>" } ?? "" }
    return secret == true ? String(repeating: "•", count: value.count) : value
  }

  /// The main text at the left end and the detail at the right, on one line when they fit.
  private func paired(_ left: String, _ right: String, width: Int) -> [String] {
    guard !right.isEmpty else { return padded(TextMeasure.wrapped(left, width: width), to: height ?? 1, with: "") }
    let gap = width - TextMeasure.width(left) - TextMeasure.width(right)
    if gap >= 1 { return [left + String(repeating: " ", count: gap) + right] }
    return TextMeasure.wrapped(left, width: width) + TextMeasure.wrapped("  \(right)", width: width)
  }

  private func padded(_ lines: [String], to count: Int, with filler: String) -> [String] {
    lines + Array(repeating: filler, count: max(0, min(count, 1000) - lines.count))
  }
}
