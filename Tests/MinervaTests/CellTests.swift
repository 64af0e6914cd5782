import Minerva
import Testing

@Suite("Ready cells")
struct CellTests {
  @Test("Each ready cell draws itself")
  func drawing() {
    #expect(Label("a", "Hello").render(width: 20) == ["Hello"])
    #expect(Label("a", "Hello", detail: "3", marked: true).render(width: 12) == ["● Hello    3"])
    #expect(DetailLabel("a", "Name", detail: "u1@u.com").render(width: 20) == ["Name        u1@u.com"])
    #expect(Button("a", "Save").render(width: 20) == ["[ Save ]"])
    #expect(Button("a", "Save", isEnabled: false).render(width: 20) == ["( Save )"])
    #expect(TextInput("a", "Email", value: "x@x.com").render(width: 30) == ["Email: x@x.com"])
    #expect(TextInput("a", "Email", value: "", placeholder: "you").render(width: 30) == ["Email: <you>"])
    #expect(TextInput("a", "Password", value: "secret", isSecret: true).render(width: 30) == ["Password: ••••••"])
    #expect(TextArea("a", "Notes", value: "one", lines: 2).render(width: 30) == ["Notes", "│ one", "│ "])
    #expect(Switch("a", "Mail", isOn: true).render(width: 12) == ["Mail    (on)"])
    #expect(Picker("a", "Role", value: "user", options: ["user", "admin"]).render(width: 30) == ["Role: ‹ user ›"])
    #expect(DatePicker("a", "Start", value: "", to: "2026-01-31").render(width: 40) == ["Start (to 2026-01-31): <none>"])
    #expect(Segmented("a", value: "b", options: ["a", "b"]).render(width: 20) == [" a  [b]"])
    #expect(ImagePlaceholder("a", "logo", lines: 2).render(width: 20) == ["(logo)", ""])
    #expect(Separator().render(width: 4) == ["────"])
    #expect(Margin(lines: 2).render(width: 3) == ["", ""])
    #expect(
      Horizontal("a") {
        Button("x", "X"); Button("y", "Y")
      }.render(width: 20) == ["[ X ]  [ Y ]"])
  }

  @Test("No line of any cell is wider than asked for, at any width")
  func widths() {
    let long = "a very long text with 日本語 and an emoji 🏋️‍♀️ and averyveryverylongwordwithoutanyspace"
    let cells: [any ListCellModel] = [
      Label("a", long, detail: "1234567"), DetailLabel("a", long, detail: long), TextArea("a", long, value: long),
      TextInput("a", long, value: long), Switch("a", long, isOn: true), Picker("a", long, value: long, options: [long]), Separator(),
    ]
    for cell in cells {
      for width in 4...40 {
        for line in cell.render(width: width) { #expect(TextMeasure.width(line) <= width, "\(cell.cellType) at \(width): \(line)") }
      }
      #expect(!cell.render(width: 0).isEmpty && !cell.render(width: -3).isEmpty)
    }
  }

  @Test("Words break at spaces, long words where they must, and nothing is lost")
  func wrapping() {
    #expect(TextMeasure.wrapped("one two three", width: 8) == ["one two", "three"])
    #expect(TextMeasure.wrapped("abcdefgh", width: 3) == ["abc", "def", "gh"])
    #expect(TextMeasure.wrapped("a\n\nb", width: 3) == ["a", "", "b"])
    #expect(TextMeasure.wrapped("", width: 3) == [""])
    #expect(TextMeasure.wrapped("日本語", width: 4) == ["日本", "語"])
    #expect(TextMeasure.width("e\u{301}") == 1 && TextMeasure.width("日") == 2 && TextMeasure.width("❤️") == 2)
  }

  @Test("Identity and content: the same id with another type is another row, with another content an update")
  func identity() {
    #expect(Label("a", "x").identical(to: Label("a", "x")))
    #expect(!Label("a", "x").identical(to: Label("a", "y")))
    #expect(!Label("a", "x").identical(to: Button("a", "x")))
    #expect(Swipeable(Label("a", "x"), actions: ["delete"]).identical(to: Swipeable(Label("a", "x"), actions: ["delete"])))
    #expect(Swipeable(Label("a", "x"), actions: ["delete"]).identifier == "a")
    #expect(!Label("a", "x").identical(to: Label("a", "x").reorderable()))
  }

  @Test("What a cell can do beside being there is added to any of them, in any order")
  func traits() {
    let cell = Label("a", "x").reorderable().swipeable("delete", "pin").highlightable().displayable().chosen(true)
    #expect(cell.content.traits == [.reorderable, .highlightable, .displayable, .choice, .chosen])
    #expect(cell.content.actions == ["delete", "pin"] && cell.render(width: 40) == ["◉ x  ‹delete|pin›"])
    #expect(Label("a", "x").chosen(false).render(width: 10) == ["○ x"])
    #expect(Label("a", "x").selectable(false).selectable(true).content == Label("a", "x").content)
    #expect(!Label("a", "x").selectable(false).content.isSelectable && !Margin().content.isSelectable && !Separator().content.isSelectable)
    #expect(Button("b", "Go").swipeable("x").sized(.explicit(width: 4, height: 2)).render(width: 40) == ["[ Go", "]"])
    #expect(Button("b", "Go").measure(width: 40) == 1 && TextArea("t", "T", value: "", lines: 3).measure(width: 40) == 4)
    let own = Swipeable(Label("a", "x"), actions: ["delete"]).reorderable()
    #expect(own.content.actions == ["delete"] && own.content.traits == .reorderable)
    // Where there is no room behind the text, the actions stand below it.
    #expect(Label("a", "some words").swipeable("delete").render(width: 12) == ["some words", "‹delete›"])
  }

  @Test("Rows are moved before and after others, inside a section and across")
  func reordering() {
    var list = ["a", "b", "c"]
    #expect(list.move("c", .before, of: "a", id: \.self) && list == ["c", "a", "b"])
    #expect(list.move("c", .after, of: "b", id: \.self) && list == ["a", "b", "c"])
    #expect(list.move("b", .before, of: "b", id: \.self) && list == ["a", "b", "c"])
    #expect(!list.move("x", .before, of: "a", id: \.self) && !list.move("a", .before, of: "x", id: \.self) && list == ["a", "b", "c"])
    var sections = [ListSection("s", cells: ["1", "2"].map { Label($0, $0) }), ListSection("t", cells: [Label("3", "3")])]
    func ids() -> [[String]] { sections.map { $0.cells.map(\.identifier) } }
    #expect(sections.move("1", .after, of: "3") && ids() == [["2"], ["3", "1"]])
    #expect(sections.move("2", .before, of: "1") && ids() == [[], ["3", "2", "1"]])
    #expect(sections.move("2", .after, of: "1") && ids() == [[], ["3", "1", "2"]])
    #expect(!sections.move("9", .after, of: "1") && !sections.move("1", .after, of: "9") && ids() == [[], ["3", "1", "2"]])
  }

  @Test("A long list is carried in part and counted whole")
  func window() throws {
    let screen = Screen("Long") {
      ListSection("one", cells: (0..<1500).map { Label("\($0)", "x") })
      ListSection("two", cells: (0..<1500).map { Label("t\($0)", "x") })
      ListSection("three", cells: [])
    }
    let rendering = ScreenRendering(screen)
    #expect(rendering.count == 3000 && rendering.sections[1].rows.count == 500 && rendering.sections[1].beyond == 1000)
    #expect(rendering.sections[2].beyond == nil)
    #expect(rendering.lines(width: 40).last == "  … and 1000 more")
    #expect(try ScreenRendering(encoded: rendering.encoded()) == rendering)
    #expect(throws: (any Error).self) { _ = try ScreenRendering(encoded: [1, 2, 3]) }
  }

  @Test("A screen draws its title bar, headers, rows with their actions, and an alert as a form")
  func screens() {
    let screen = Screen("Users", buttons: [BarButton("close", "Close", side: .left), BarButton("add", "+")]) {
      ListSection("users", header: "All") { Swipeable(Label("1", "u1@u.com"), actions: ["delete"]) }
    }
    #expect(ScreenRendering(screen).lines(width: 24) == ["[Close] Users        [+]", "▸ All", "  u1@u.com  ‹delete›"])
    let alert = Screen(alert: AlertForm(title: "Notice", message: "No."))
    #expect(ScreenRendering(alert).lines(width: 20) == ["Notice", "No.", "[ OK ]"])
  }
}
