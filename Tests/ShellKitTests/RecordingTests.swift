import CommandKit
import Foundation
import MinervaNavigation
import MinervaRecording
import MinervaWire
import ShellKit
import TestSupport
import Testing

@Suite("Sessions: recordings, scripts and the past")
struct RecordingTests {
  /// A directory of its own, gone with the test.
  private final class Place {
    let path = NSTemporaryDirectory() + "recordings-\(UInt64.random(in: .min ... .max))"
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    subscript(name: String) -> String { "\(path)/\(name)" }
    func text(_ name: String) throws -> String { try String(contentsOfFile: self[name], encoding: .utf8) }
  }

  private func run(_ lines: [String], on target: SceneDouble = SceneDouble()) async throws -> (told: [String], session: Session) {
    let told = Told()
    let session = Session(target: target) { await told.add($0) }
    try await session.start()
    for line in lines {
      for statement in try Statement.parse(line) { _ = await session.execute(statement) { await told.add($0) } }
    }
    return (await told.take(), session)
  }

  @Test("D1: a recording from the middle replays, and what its sums do not fit says which line")
  func recording() async throws {
    let place = try Place()
    let file = place["bug.mrec"]
    let (told, session) = try await run([
      "open Home via root", "record \(file)", "record \(file)", "open Tabs via root", "tab orders", "open Item id=3", "tap top out", "back",
      "record stop", "record stop", "open Detail id=1", "replay \(file) --verify", "replay \(file)",
    ])
    await session.close()
    #expect(told.contains("ok     recording into \(file); record stop, or leaving, ends it"))
    #expect(told.contains("error recording.running: a recording is running; record stop ends it"))
    #expect(try await run(["open Home via root", "record \(file)"]).0.last == "error file.exists: \(file) exists already")
    #expect(told.contains("error recording.none: nothing is being recorded; record FILE begins"))
    let ended = try #require(told.first { $0.hasPrefix("ok     \(file): ") })
    #expect(ended.contains(" records of main, #3 to #"), "\(ended)")
    let verified = try #require(told.first { $0.contains(" replayed, ") })
    #expect(verified.contains(" of main (shop) replayed, "), "\(verified)")
    #expect(told.suffix(6).contains { $0.contains(" fed, at #") }, "\(told.suffix(6))")
    var lines = try place.text("bug.mrec").split(separator: "\n").map(String.init)
    #expect(lines.count == 2 + 2 * (lines.count { $0.hasPrefix(#"{"cmd""#) || $0.hasPrefix(#"{"ext""#) }))
    lines[4] = lines[4].replacingOccurrences(of: #""seq":"#, with: #""seq": "#)
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    #expect(
      throws: MinervaError(
        .recordingDamaged, "\(file): line 5 is not as it was written, or a line before it is missing; the record before it holds")
    ) {
      try Session.replay(file, verify: true)
    }
    #expect(throws: MinervaError(.fileUnreadable, "cannot read \(place["none"]): No such file or directory")) {
      try Session.replay(place["none"], verify: true)
    }
  }

  @Test("D1: whoever leaves without stopping leaves a whole recording; from the beginning it holds everything")
  func leaving() async throws {
    let place = try Place()
    let (_, session) = try await run(["open Home via root", "record \(place["a"]) --from #1", "open Detail id=7"])
    await session.close()
    let lines = try Session.replay(place["a"], verify: true)
    #expect(lines.last == "       main [s1 Home, s2 Detail{id:7}]", "\(lines)")
    let (told, other) = try await run([
      "open Home via root", "open Detail id=7", "record \(place["b"]) --from #1 --to #2", "record \(place["c"]) --to #9",
    ])
    await other.close()
    #expect(told.contains { $0.hasPrefix("ok     \(place["b"]): 2 records of main, #1 to #2") }, "\(told)")
    #expect(told.contains { $0.hasPrefix("error time.out_of_range") })
    #expect(throws: ParseError.self) { try Statement.parse("record a --from x") }
    #expect(try Session.replay(place["b"], verify: true).first?.contains("2 records") == true)
  }

  @Test("C01: whoever leaves a broker that says nothing waits a moment for it; the recording is whole, and what it lacks is said")
  func leavingTheSilent() async throws {
    for isSilent in [true, false] {
      let (place, target) = (try Place(), SceneDouble())
      let (_, session) = try await run(["open Home via root", "record \(place["a"]) --from #1"], on: target)
      try await until("the first record is written") { try place.text("a").contains("presented s1") }
      if isSilent { await target.fallSilent() } else { await target.setReachable(false) }
      let error = await session.close().error
      #expect(error?.code == .closed)
      let words = "ended with a recording cut short, \(place["a"]) ends at #"
      #expect(
        error?.message.hasPrefix(words) == true && error?.message.contains("could not be asked for the rest") == true,
        "\(String(describing: error))")
      let whole = try place.text("a")
      #expect(try Session.replay(place["a"], verify: true).last == "       main [s1 Home]")
      // Nothing that comes late stands behind the end.
      await target.speak()
      for _ in 0..<200 { await Task.yield() }
      #expect(try place.text("a") == whole)
    }
  }

  @Test("C01: record stop with a broker that is away ends the file all the same, and says where")
  func stoppingTheSilent() async throws {
    let (place, target) = (try Place(), SceneDouble())
    let (_, session) = try await run(["open Home via root", "record \(place["a"]) --from #1"], on: target)
    try await until("the first record is written") { try place.text("a").contains("presented s1") }
    await target.setReachable(false)
    let end = await session.execute(try Statement.parse("record stop")[0]) { _ in }
    #expect(end.error?.code == .unreachable && end.error?.message.contains("a ends at #") == true, "\(end)")
    #expect(try Session.replay(place["a"], verify: true).last == "       main [s1 Home]")
    #expect(await session.close().error == nil)
  }

  @Test("D2: the past is looked at, refuses what would change it, and leads back")
  func past() async throws {
    let (told, session) = try await run([
      "open Home via root", "open Detail id=7", "open Detail id=8", "goto #2", "tree", "open Detail id=9", "back", "tap top done",
      "render hold",
      "show top", "list top", "expect stack main == [Home]", "stack --at #3", "stack --at 3x", "goto #99", "goto now", "stack",
      "status --at #1",
    ])
    #expect(told.contains("ok     at #2 of main, read-only; goto now leads back"))
    #expect(told.count { $0.hasPrefix("error time.read_only: you look at #2") } == 4, "\(told)")
    #expect(told.contains { $0.hasPrefix("error time.not_kept: what screens showed") })
    #expect(told.contains { $0.hasPrefix("error time.not_kept: status is of now alone") })
    #expect(told.contains { $0.hasPrefix("error time.out_of_range: main is at #") })
    #expect(told.contains { $0.hasPrefix("error parse.unexpected: ") && $0.contains("3x") }, "\(told)")
    #expect(told.contains("main [s1 Home]  <-"))
    #expect(told.contains { $0.hasPrefix("ok     now, at #") })
    await session.close()
    let (_, other) = try await run(["open Home via root", "open Detail id=7", "goto #2"])
    #expect(await other.prompt == "main@#2:main> ")
    await other.close()
  }

  @Test("A script of the session runs, with what was refused as expectations")
  func script() async throws {
    let place = try Place()
    let (_, session) = try await run([
      "record \(place["a.flow"]) --as-script", "open Home via root", "open Detail id=7 as @d; open Detail {\"name\":\"a b\"}", "back 9",
      "tree", "tap top out",
      "expect stack main == [Home]", "close @d", "record stop",
    ])
    await session.close()
    let text = try place.text("a.flow")
    #expect(text.hasPrefix("flow \"recorded in main\"\napp shop\n"), "\(text)")
    #expect(text.contains("back 9\nexpect error nav.root_protected\n"), "\(text)")
    #expect(!text.contains("tree\n") && !text.contains("expect stack main == [Home]\n"), "\(text)")
    let script = try FlowScript.read(place["a.flow"])
    let result = await FlowRun(script, on: SceneDouble(), reporter: Silent()).run().result
    #expect(result.failures.isEmpty, "\(result.failures.map(\.lines)) in\n\(text)")
  }

  /// The manual's transcript: a gesture that was committed, and a core that kept the screen.
  @Test("D1: the first divergence is a difference of trees with its cause")
  func diverged() async throws {
    let place = try Place()
    let describe: Recorder.Describe = TreeText.stacks
    var state = SceneState(scene: "main", app: "shop")
    var bodies: [[UInt8]] = []
    func feed(_ record: Record) throws {
      if state.apply(record, at: .zero).seq != nil { bodies.append(try SceneRecord(at: .zero, record: record).encoded()) }
    }
    func open(_ txn: String, _ module: String, _ input: String, via: Presentation = .push) throws {
      var opening = Command.Opening(ModuleAddress(name: module), input: Array(input.utf8), via: via)
      opening.unhosted = true
      try feed(.command(Command(txn: txn, caller: "me", action: .open(opening))))
    }
    try open("a", "Feed", "", via: .root)
    try open("b", "Post", #"{"id":3}"#)
    try feed(.command(Command(txn: "c", caller: "me", action: .gesture(.back, .begin))))
    try feed(.command(Command(txn: "d", caller: "me", action: .gesture(.back, .commit))))
    let image = try CBOR.encode(SceneImage(at: 0, state: SceneState(scene: "main", app: "shop")))
    let begun = try Recorder.begin(image: image, version: "1", incarnation: 1, describe: describe)
    var (recorder, lines) = (begun.recorder, [begun.line])
    for body in bodies { lines += try recorder.add(body) }
    lines.append(recorder.end())
    // As the core that recorded would have done it with a fault: the commit is fed as a cancel.
    var sum: UInt64 = 0
    var values: [RecordingLine] = []
    for line in lines {
      let value = try RecordingLine(Array(line.utf8), after: sum)
      sum = value.text(after: sum).sum
      values.append(value)
    }
    for (index, value) in values.enumerated() {
      guard case .fed(var fed) = value, fed.seq == 4 else { continue }
      fed.body = try SceneRecord(at: .zero, record: .command(Command(txn: "d", caller: "me", action: .gesture(.back, .cancel)))).encoded()
      values[index] = .fed(fed)
    }
    sum = 0
    let written = values.map { value -> String in
      let (text, next) = value.text(after: sum)
      sum = next
      return text
    }
    try (written.joined(separator: "\n") + "\n").write(toFile: place["bug.mrec"], atomically: true, encoding: .utf8)
    let (told, session) = try await run(["replay \(place["bug.mrec"]) --verify", "expect error replay.diverged"])
    await session.close()
    #expect(told.count == 4, "\(told)")
    #expect(told[0].hasPrefix("error replay.diverged: #4 expected tree "), "\(told)")
    #expect(told[1] == "       - main [s1 Feed]", "\(told)")
    #expect(told[2] == "       + main [s1 Feed, s2 Post{id:3}]    cause: removed s2 missing after gesture back cancel", "\(told)")
    #expect(told[3] == "ok")
  }
}

/// A reporter that says nothing.
private struct Silent: FlowReporter {}
