import Minerva
import MinervaInterfaces
import MinervaNavigation
import ShellKit
import TestSupport
import Testing

@Suite("Lists in the shell")
struct ListLookTests {
  private func run(_ line: String, _ session: Session, _ told: Told) async throws {
    for statement in try Statement.parse(line) { _ = await session.execute(statement) { await told.add($0) } }
  }

  @Test func `list draws rows with what the last change set did, and watch lists tells each as it happens`() async throws {
    let (heard, told) = (Told(), Told())
    let session = Session(target: SceneDouble()) { await heard.add($0) }
    try await session.start()
    try await run("open Item via root", session, told)
    try await run("watch lists &", session, told)
    for line in [
      "list top", "tap top add", "list top", "tap top add", "tap top add", "tap top turn", "list top", "list top --json", "tap top drop",
      "list top",
    ] {
      await told.add(["> \(line)"])
      try await run(line, session, told)
    }
    var watched: [String] = []
    try await until("every change set is told") {
      watched += await heard.take()
      return watched.count >= 5
    }
    let lines = await told.take() + ["> watch lists"] + watched
    #expect(snapshotMismatch(lines.joined(separator: "\n") + "\n", "lists.txt") == nil)
    await session.close()
  }

  @Test func `a change set reads in one line`() {
    func line(
      _ from: UInt64, _ to: UInt64, _ counts: ChangeCounts, _ changes: [UInt8] = [1], by: String = "diff-1", isAnimated: Bool? = nil,
      of name: String = "s5 workouts"
    ) -> String {
      ChangeText.line(
        ListEvent(screen: ScreenID(5), from: from, to: to, counts: counts, computedBy: by, changes: changes, isAnimated: isAnimated),
        of: name)
    }
    #expect(
      line(6, 7, ChangeCounts(inserts: 2, deletes: 1, moves: 1, updates: 3)) == "v6 → v7 s5 workouts +2 -1 ~3 ↔1 by diff-1")
    #expect(line(6, 7, ChangeCounts(inserts: 1, sectionInserts: 2, sectionDeletes: 3)) == "v6 → v7 s5 workouts +1 +2§ -3§ by diff-1")
    #expect(line(6, 7, ChangeCounts(), by: "in process", of: "") == "v6 → v7 nothing changed, in process")
    #expect(line(6, 7, ChangeCounts(), []) == "v6 → v7 s5 workouts reloaded by diff-1")
    #expect(line(6, 7, ChangeCounts(moves: 20_000), []) == "v6 → v7 s5 workouts reloaded (↔20000) by diff-1")
    #expect(line(0, 1, ChangeCounts(sectionInserts: 1)) == "v1 s5 workouts +1§ (0 rows) by diff-1")
    #expect(line(0, 7, ChangeCounts(), []) == "v7 s5 workouts as a whole by diff-1")
    #expect(line(6, 7, ChangeCounts(updates: 1), isAnimated: false) == "v6 → v7 s5 workouts ~1 at once by diff-1")
  }

  @Test func `a row shows all that can be done with it`() async throws {
    let screen = Screen("Form") {
      ListSection("all") {
        Label("a", "first").swipeable("delete").reorderable()
        Label("b", "read me").selectable(false)
        Label("c", "one of two").chosen(true)
        Picker("role", "Role", value: "user", options: ["user", "admin"])
        TextInput("pin", "Pin", value: "1234", isSecret: true)
        Horizontal("pair") {
          Button("x", "X"); Button("y", "Y", isEnabled: false)
        }
        Separator()
      }
    }
    let target = SceneDouble()
    let session = Session(target: target)
    try await session.start()
    try await run("open Form via root", session, Told())
    let tree = try #require(try await target.look(at: nil).tree.screens.first)
    #expect(
      ListText.lines(ScreenRendering(screen), of: tree, ListStamp(version: 4), width: 80) == [
        "s1 Form  \"Form\"  7 rows  v4", "all  (7)", "  a          first  ‹delete›  ↕", "  b          read me  (takes no tap)",
        "  c          one of two  (chosen)", "  role       <picker>  Role  = user  of user|admin", "  pin        <text>  Pin  = •••",
        "  pair       <horizontal>  x: <button>  X, y: <button>  Y  (disabled)", "  separator  <separator>",
      ])
  }
}
