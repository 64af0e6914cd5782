import CommandKit
import Testing

@Suite("Terminal (D06)")
struct TerminalTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("\u{F6}", 1), ("o\u{308}", 1), ("日本語", 6), ("👨‍👩‍👧‍👦", 2), ("שלום", 4), ("🇩🇪", 2), ("❤️", 2), ("❤", 1),
    ("ｱ", 1), ("Ａ", 2), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("e\u{301}\u{302}\u{303}", 1), ("a\u{AD}", 1),
  ])
  func `width is counted in cells`(text: String, cells: Int) {
    #expect(DisplayWidth.of(text) == cells)
  }

  @Test func `control bytes in data are shown, never sent`() {
    #expect(Escaping.visible("a\u{1B}[31mb") == "a\\x1b[31mb")
    #expect(Escaping.visible("l1\nl2\r\tx\u{7F}\u{9B}") == "l1\\nl2\\r\\tx\\x7f\\x9b")
    #expect(Escaping.visible("\u{202E}evil") == "\\u{202e}evil")
    #expect(Escaping.visible("plain ö 日本 שלום 👨‍👩‍👧‍👦") == "plain ö 日本 שלום 👨‍👩‍👧‍👦")
  }

  @Test func `columns line up by cells`() {
    var table = TableText(["name", "n"], rightAligned: [1])
    for (name, count) in [("o\u{308}", "1"), ("日本語", "22"), ("👨‍👩‍👧‍👦", "3"), ("\u{1B}[31m", "444")] { table.add([name, count]) }
    let lines = table.lines()
    #expect(lines == ["name        n", "o\u{308}           1", "日本語     22", "👨‍👩‍👧‍👦          3", "\\x1b[31m  444"])
    #expect(Set(lines.map(DisplayWidth.of)) == [13])
  }

  @Test func `clipping never splits a visible character`() {
    #expect(DisplayWidth.clipped("日本語", to: 5) == "日本…")
    #expect(DisplayWidth.clipped("日本語", to: 4) == "日…")
    #expect(DisplayWidth.clipped("👨‍👩‍👧‍👦x", to: 2) == "…")
    #expect(DisplayWidth.clipped("abc", to: 3) == "abc")
    #expect(DisplayWidth.clipped("abc", to: 0) == "")
  }

  @Test func `colour needs a terminal and no refusal`() {
    func colour(_ terminal: Bool, _ environment: [String: String]) -> Bool {
      TerminalFacts.usesColour(isTerminal: terminal, environment: environment)
    }
    #expect(colour(true, [:]))
    #expect(colour(true, ["NO_COLOR": ""]))
    #expect(!colour(true, ["NO_COLOR": "0"]))
    #expect(!colour(true, ["NO_COLOR": "1"]))
    #expect(!colour(true, ["TERM": "dumb"]))
    #expect(!colour(false, [:]))
    #expect(Paint(false)(.red, "x") == "x")
    #expect(Paint(true)(.red, "x") == "\u{1B}[31mx\u{1B}[0m")
  }
}
