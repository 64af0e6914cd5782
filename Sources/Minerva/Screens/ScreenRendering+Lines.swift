extension ScreenRendering {
  /// The height in lines that a screen is laid out in where nothing else is known: cells of relative size share it.
  public static let standardLines = 24

  /// Draws the screen's own content in character cells: title bar, headers, rows, footers, each where ``ScreenLayout`` puts it.
  ///
  /// Frames of modal layers, tabs and splits belong to the tree and are drawn around these lines by whoever shows it.
  /// - Parameter width: The number of columns available.
  public func lines(width: Int) -> [String] {
    if let alert { return alertLines(alert, width: width) }
    return [titleBar(width: width)] + ScreenLayout(self, columns: width, lines: Self.standardLines).lines
  }

  /// Draws as many lines as fit, from where the list was scrolled to.
  ///
  /// - Parameters:
  ///   - width: How many columns there are.
  ///   - height: How many lines there are, the title bar among them.
  ///   - titleWidth: The width of the title bar, when something stands beside it.
  /// - Returns: The lines, the title bar first, and how many of the list are above and below them.
  public func window(width: Int, height: Int, titleWidth: Int? = nil) -> (lines: [String], above: Int, below: Int) {
    if let alert { return (alertLines(alert, width: width), 0, 0) }
    let layout = ScreenLayout(self, columns: width, lines: Self.standardLines)
    let room = max(1, height - 1)
    let first = layout.firstLine(anchor: anchor, lines: room)
    let lines = layout.lines
    let shown = lines.dropFirst(first).prefix(room)
    return ([titleBar(width: titleWidth ?? width)] + shown, first, lines.count - first - shown.count)
  }

  private func titleBar(width: Int) -> String {
    func drawn(_ side: BarButton.Side) -> String {
      (buttons ?? []).filter { $0.side == side }.map { button in
        let title = line(button.title)
        return button.isEnabled ? "[\(title)]" : "(\(title))"
      }.joined(separator: " ")
    }
    let (left, right) = (drawn(.left), drawn(.right))
    let middle = left.isEmpty ? line(title) : "\(left) \(line(title))"
    let gap = width - TextMeasure.width(middle) - TextMeasure.width(right)
    return right.isEmpty ? middle : middle + String(repeating: " ", count: max(1, gap)) + right
  }

  private func alertLines(_ alert: AlertForm, width: Int) -> [String] {
    var lines = TextMeasure.wrapped(TextMeasure.printable(alert.title), width: width)
    if !alert.message.isEmpty { lines += TextMeasure.wrapped(TextMeasure.printable(alert.message), width: width) }
    return lines + TextMeasure.wrapped(alert.answers.map { "[ \(line($0.title)) ]" }.joined(separator: " "), width: width)
  }

  private func line(_ text: String) -> String { TextMeasure.printable(text).split(separator: "\n").joined(separator: " ") }
}
