extension ScreenRendering {
  /// Draws the screen's own content in character cells: title bar, headers, rows, footers.
  ///
  /// Frames of modal layers, tabs and splits belong to the tree and are drawn around these lines by whoever shows it.
  /// - Parameter width: The number of columns available.
  public func lines(width: Int) -> [String] {
    if let alert { return alertLines(alert, width: width) }
    var lines = [titleBar(width: width)]
    for section in sections {
      if let header = section.header { lines += TextMeasure.wrapped(header, width: width).map { "▸ \($0)" } }
      for row in section.rows {
        let actions = row.actions.map { "  ‹\($0.joined(separator: "|"))›" } ?? ""
        let body = row.lines(width: max(1, width - 2 - TextMeasure.width(actions)))
        for (index, line) in body.enumerated() { lines.append("  " + line + (index == 0 ? actions : "")) }
      }
      if let beyond = section.beyond { lines.append("  … and \(beyond) more") }
      if let footer = section.footer { lines += TextMeasure.wrapped(footer, width: max(1, width - 2)).map { "  \($0)" } }
    }
    return lines
  }

  private func titleBar(width: Int) -> String {
    func drawn(_ side: BarButton.Side) -> String {
      (buttons ?? []).filter { $0.side == side }.map { $0.isEnabled ? "[\($0.title)]" : "(\($0.title))" }.joined(separator: " ")
    }
    let (left, right) = (drawn(.left), drawn(.right))
    let middle = left.isEmpty ? title : "\(left) \(title)"
    let gap = width - TextMeasure.width(middle) - TextMeasure.width(right)
    return right.isEmpty ? middle : middle + String(repeating: " ", count: max(1, gap)) + right
  }

  private func alertLines(_ alert: AlertForm, width: Int) -> [String] {
    var lines = TextMeasure.wrapped(alert.title, width: width)
    if !alert.message.isEmpty { lines += TextMeasure.wrapped(alert.message, width: width) }
    return lines + [alert.answers.map { "[ \($0.title) ]" }.joined(separator: " ")]
  }
}
