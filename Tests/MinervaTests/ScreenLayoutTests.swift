import Minerva
import Testing

@Suite("What a screen draws is what its layout says")
struct ScreenLayoutTests {
  private func rendering(_ sections: [ListSection]) -> ScreenRendering { ScreenRendering(Screen("T", sections: sections)) }

  private func constraints(
    _ distribution: ListSection.Distribution = .entireRow, inset: Int = 0, line: Int = 0, item: Int = 0,
    direction: ListSection.Direction = .vertical
  ) -> ListSection.Constraints {
    ListSection.Constraints(inset: inset, lineSpacing: line, itemSpacing: item, distribution: distribution, direction: direction)
  }

  @Test("Cells share rows, headers and footers stand around them, spacing and insets are blank")
  func distributions() {
    let buttons = ["a", "b", "c"].map { Button($0, $0) as any ListCellModel }
    let screen = rendering([
      ListSection("one", header: "Two in a row", footer: "end", constraints: constraints(.equally(2), item: 2), cells: buttons),
      ListSection("two", constraints: constraints(.proportionally, inset: 1, item: 1), cells: buttons),
      ListSection("three", constraints: constraints(line: 1), cells: Array(buttons.prefix(2))),
    ])
    #expect(
      screen.lines(width: 22).map { $0.trimmed() } == [
        "T", "▸ Two in a row", "  [ a ]      [ b ]", "  [ c ]", "  end", "", "   [ a ] [ b ] [ c ]", "", "  [ a ]", "", "  [ b ]",
      ])
  }

  @Test("A section that scrolls sideways is as high as its highest cell, and what does not fit is out of view")
  func sideways() {
    let cells = (1...6).map { ImagePlaceholder("\($0)", "im\($0)", lines: 2) as any ListCellModel }
    let screen = rendering([
      ListSection("images", constraints: constraints(item: 1, direction: .horizontal), cells: cells),
      ListSection("rest") { Label("x", "x") },
    ])
    #expect(screen.lines(width: 20).map { $0.trimmed() } == ["T", "  (im1) (im2) (im3)", "", "  x"])
  }

  @Test("Explicit sizes cut and fill, relative ones share what is left, pressed and scrolled rows are where they were")
  func sizes() {
    let screen = rendering([
      ListSection("a") {
        Label("long", "one two three").sized(.explicit(width: 7, height: 1))
        Label("gap", "").sized(.relative)
        Label("end", "end")
      }
    ])
    let lines = screen.lines(width: 30)
    #expect(lines.count == 1 + ScreenRendering.standardLines)
    #expect(lines[1] == "  one two" && lines.last == "  end")
    let layout = ScreenLayout(screen, columns: 30, lines: 10)
    #expect(layout.parts.map(\.frame.height) == [1, 8, 1] && layout.height == 10)
    var moved = rendering([ListSection("a", header: "h", cells: (1...30).map { Label("\($0)", "row \($0)") })])
    moved.anchor = ListAnchor(section: "a", row: "20")
    moved.highlighted = "21"
    let window = moved.window(width: 20, height: 4)
    #expect(window.lines == ["T", "  row 20", "▌ row 21", "  row 22"] && window.above == 20 && window.below == 8)
    moved.anchor?.position = .bottom
    #expect(moved.window(width: 20, height: 4).lines[3] == "  row 20")
    moved.anchor = ListAnchor(section: "a", row: "gone")
    #expect(moved.window(width: 20, height: 4).above == 0)
  }

  @Test("Control characters are written out before anything is measured, so no line is wider than it should be")
  func controls() {
    let bad = "a\u{1B}[31mb\tc\u{202E}d\u{7F}"
    let screen = rendering([
      ListSection(
        "s", header: bad, footer: bad, constraints: constraints(.equally(2), item: 1),
        cells: [
          Label("1", bad, detail: bad), TextInput("2", bad, value: bad), Button("3", bad), Picker("4", bad, value: bad, options: [bad]),
        ])
    ])
    for width in 10...60 {
      for line in screen.lines(width: width) {
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0.value == 0x202E }, "\(line)")
        #expect(TextMeasure.width(line) <= max(width, 1), "\(width): \(line)")
      }
    }
    #expect(screen.lines(width: 200)[1] == "▸ a\\x1b[31mb\\tc\\u{202e}d\\x7f")
  }

  @Test("Random screens: each row's lines stand in its frame, no line is wider than the screen, and no row covers another")
  func random() {
    let seed = UInt64.random(in: 1...UInt64.max)
    var state = seed
    func draw(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let words = ["x", "two words", "運動日誌 a b c", "e\u{301}💪🏽 x", "averyverylongwordwithoutaspace", ""]
    for round in 0..<200 {
      let sections = (0..<draw(4)).map { section in
        ListSection(
          "s\(section)", header: draw(2) == 0 ? nil : words[draw(6)], footer: draw(3) == 0 ? words[draw(6)] : nil,
          constraints: constraints(
            [.entireRow, .equally(draw(4)), .proportionally, .proportionallyWithLastCellFillingWidth(minimum: draw(20))][draw(4)],
            inset: draw(3), line: draw(3), item: draw(4), direction: draw(5) == 0 ? .horizontal : .vertical),
          cells: (0..<draw(6)).map { row in
            let text = words[draw(6)]
            let cells: [any ListCellModel] = [
              Label("\(section).\(row)", text, detail: words[draw(6)]), Button("\(section).\(row)", text).swipeable("delete"),
              TextArea("\(section).\(row)", text, value: words[draw(6)]),
              Label("\(section).\(row)", text).sized(draw(2) == 0 ? .relative : .explicit(width: 1 + draw(30), height: draw(4))),
            ]
            return cells[draw(4)]
          })
      }
      let width = 12 + draw(60)
      let layout = ScreenLayout(rendering(sections), columns: width, lines: 24)
      let lines = layout.lines
      #expect(lines.count == layout.height, "seed \(seed), round \(round)")
      for line in lines { #expect(TextMeasure.width(line) <= width, "seed \(seed), round \(round): \(line)") }
      for part in layout.parts where part.kind == .row && part.size == .measured && part.frame.width >= 4 {
        #expect(part.frame.height == part.content.measure(width: part.frame.width), "seed \(seed), round \(round)")
      }
    }
  }
}

extension String {
  fileprivate func trimmed() -> String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
