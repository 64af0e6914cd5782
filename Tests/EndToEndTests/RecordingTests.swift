import Foundation
import Glibc
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaRecording
import MinervaTesting
import MinervaWire
import Testing

/// Recordings, replays, the past and forks through real processes (D1, D2).
@Suite("Real processes are recorded and replayed", .serialized, .oneAtATime)
struct RecordingTests {
  private func shop() async throws -> (ProcessSet, Person, ScreenID) {
    let set = try ProcessSet()
    try set.startAll(hosts: 2)
    let person = Person(client: try await set.client())
    #expect(await set.wait { (try? await person.client.modules().isEmpty) == false })
    return (set, person, try await person.waits(for: "Home", set: set))
  }

  private func minerva(_ set: ProcessSet, _ arguments: String...) throws -> ProcessSet.Once {
    try ProcessSet.Once.run("minerva", arguments + ["--runtime", set.directory])
  }

  private func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  @Test("Processes: a recording outlives the broker it is made from, replays without any process, and says where it was edited (D1, P1)")
  func recordKillReplay() async throws {
    let (set, person, _) = try await shop()
    defer { set.end() }
    let file = "\(set.directory)/bug.mrec"
    let started = try await person.client.snapshot().record
    try set.startCommand("recorder", "minerva", ["record", file, "--runtime", set.directory])
    #expect(await set.wait { text(file).hasPrefix(#"{"head""#) })
    let settings = try await person.opens("Settings", input: #"{"section":"privacy"}"#)
    #expect(await set.wait { text(file).contains("presented \(settings)") }, "the recording does not grow")
    set.kill("broker")
    try set.start("broker", "minerva-broker")
    _ = try await person.opens("Detail", input: #"{"id":7}"#)
    try await person.does(.back(count: 1, in: nil))
    #expect(await set.wait { text(file).contains("removed ") })
    let last = try await person.client.snapshot()
    set.signal("recorder", SIGINT)
    #expect(set.exit(of: "recorder") == 0, "\(set.log(of: "recorder"))")
    await person.client.close()
    for name in ["shop-1", "shop-2", "diff-1", "broker"] { set.kill(name) }

    let replayed = try ProcessSet.Once.run("minerva", ["replay", file, "--verify"])
    #expect(replayed.status == 0, "\(replayed.errors)")
    #expect(replayed.output.contains("Settings{section:\"privacy\"}"), "\(replayed.output)")
    #expect(replayed.output.contains("at #\(last.record)"), "\(replayed.output)")
    // By the pure core here as well: the tree is the broker's last.
    var replayer = Replayer(file: file, isVerifying: true) { _ in [] }
    for line in text(file).split(separator: "\n") { try replayer.take(Array(line.utf8)) }
    let report = try #require(try replayer.finish())
    #expect(report.tree == last.tree)
    #expect(report.head.after == started)

    var lines = text(file).split(separator: "\n").map(String.init)
    let whole = lines
    lines[3] = lines[3].replacingOccurrences(of: #""at":"#, with: #""at":1"#)
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let edited = try ProcessSet.Once.run("minerva", ["replay", file, "--verify"])
    #expect(edited.status == 1)
    #expect(edited.errors.contains("recording.damaged: \(file): line 4 "), "\(edited.errors)")
    try (whole.dropLast(2).joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let torn = try ProcessSet.Once.run("minerva", ["replay", file, "--verify"])
    #expect(torn.errors.contains("line \(whole.count - 1) is missing: the recording is cut off"), "\(torn.errors)")

    // What a faulty core would have recorded: the removal without its event.
    var sum: UInt64 = 0
    var values: [RecordingLine] = []
    for line in whole {
      let value = try RecordingLine(Array(line.utf8), after: sum)
      sum = value.text(after: sum).sum
      values.append(value)
    }
    for (index, value) in values.enumerated() {
      guard case .effects(var effects) = value, effects.items.contains(where: { $0.words.hasPrefix("removed ") }) else { continue }
      effects.items.removeAll { $0.words.hasPrefix("removed ") }
      values[index] = .effects(effects)
    }
    sum = 0
    let faulty = values.map { value -> String in
      let (text, next) = value.text(after: sum)
      sum = next
      return text
    }
    try faulty.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let diverged = try ProcessSet.Once.run("minerva", ["replay", file, "--verify"])
    #expect(diverged.status == 5, "\(diverged.errors)")
    #expect(diverged.errors.contains("error replay.diverged: #"), "\(diverged.errors)")
    #expect(diverged.errors.contains("not expected after back 1"), "\(diverged.errors)")
  }

  @Test("Processes: a secret is in no recording and no script (P4)")
  func secrets() async throws {
    let password = "correct-horse-battery"
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(app: "workouts", hosts: 1, workers: 1)
    let person = Person(client: try await set.client())
    #expect(await set.wait { ((try? await person.client.modules().isEmpty) ?? true) == false })
    _ = try await person.waits(for: "User", set: set)
    try await person.does(.selectTab(name: "Settings", of: nil, reset: false))
    try await person.taps("logout", on: try await person.waits(for: "Settings", set: set))
    try await person.taps("login", on: try await person.waits(for: "Welcome", set: set))
    let form = try await person.waits(for: "SignIn", set: set)
    #expect(await set.wait { (try? await person.rendering(form)) != nil })
    let (file, flow) = ("\(set.directory)/a.mrec", "\(set.directory)/a.flow")
    let shell = try ProcessSet.Once.run(
      "minerva-shell", ["--runtime", set.directory],
      input: """
        record \(file) --from #1
        record \(flow) --as-script
        enter @signin email nobody@example.com
        enter @signin password \(password)
        record stop

        """)
    #expect(shell.status == 0, "\(shell.errors) \(shell.output)")
    #expect(text(flow).contains("enter @signin email nobody@example.com"), "\(text(flow))")
    #expect(text(flow).contains("left out, since it may give a secret: enter"), "\(text(flow))")
    for path in [file, flow] { #expect(!text(path).contains(password), "\(path) holds the password") }
    var sum: UInt64 = 0
    var records = 0
    for line in text(file).split(separator: "\n") {
      let value = try RecordingLine(Array(line.utf8), after: sum)
      sum = value.text(after: sum).sum
      guard case .fed(let fed) = value else { continue }
      records += 1
      #expect(Data(fed.body).range(of: Data(password.utf8)) == nil, "#\(fed.seq) holds the password")
    }
    #expect(records > 10)
    await person.client.close()
  }

  @Test("Processes: the past is seen as it was, refuses to be changed, and a fork of it goes on by itself with the same screens (D2)")
  func timeTravel() async throws {
    let (set, person, _) = try await shop()
    defer { set.end() }
    let settings = try await person.opens("Settings", input: #"{"section":"privacy"}"#)
    let then = try await person.client.snapshot()
    try await person.does(.back(count: 1, in: nil))
    let detail = try await person.opens("Detail", input: #"{"id":7}"#)
    let past = try await person.client.past(at: then.record)
    #expect(past.tree == then.tree)
    #expect(past.coordinators.contains { $0.summary.screen == settings })
    let late = await failure { _ = try await person.client.past(at: 9_999) }
    #expect(late?.code == .timeOutOfRange)

    let fork = try await person.client.fork(at: then.record)
    #expect(fork.name == "main@\(then.record)")
    let other = Person(client: person.client, scene: SceneAddress(name: fork.name))
    // Hosts resume what they had: the same names and inputs, and it answers.
    #expect(try await other.waits(for: "Settings", set: set) == settings)
    let forked = try await person.client.snapshot(of: other.scene)
    #expect(forked.tree.hash64 == then.tree.hash64)
    #expect(await set.wait { (try? await other.rendering(settings)) != nil })
    let shown = try await other.rendering(settings)
    #expect(!shown.sections.isEmpty)
    try await other.does(.back(count: 1, in: nil))
    #expect(try await other.stack() == ["Home"])
    // Neither tells on the other.
    #expect(try await person.client.snapshot().tree.layers[0].stack.map(\.id).last == detail)
    let again = try await person.client.fork(at: then.record)
    #expect(again.name == "main@\(then.record)-2")
    let taken = await failure { _ = try await person.client.fork(at: then.record, as: "main") }
    #expect(taken?.code == .sceneExists)

    // A fork is journaled: it comes back with its broker, and its past begins with itself.
    let before = try await person.client.snapshot(of: other.scene)
    set.kill("broker")
    try set.start("broker", "minerva-broker")
    #expect(await set.wait { (try? await person.client.snapshot(of: other.scene).settled) == true })
    #expect(try await person.client.snapshot(of: other.scene).tree.hash64 == before.tree.hash64)
    let file = "\(set.directory)/fork.mrec"
    let recorded = try minerva(set, "record", file, "--from", "#1", "--to", "#\(before.record)", "--scene", fork.name)
    #expect(recorded.status == 0, "\(recorded.errors)")
    #expect(try ProcessSet.Once.run("minerva", ["replay", file, "--verify"]).status == 0)

    let shell = try ProcessSet.Once.run(
      "minerva-shell", ["--runtime", set.directory, "--keep-going"],
      input: "goto #\(then.record)\nstack\nback\nexpect error time.read_only\nfork\nstack\nback\nstack\n")
    #expect(shell.output.contains("ok     at #\(then.record) of main, read-only"), "\(shell.output) \(shell.errors)")
    #expect(
      shell.output.contains("ok     scene main@\(then.record)-3 begun as main was after #\(then.record)"), "\(shell.output) \(shell.errors)"
    )
    #expect(shell.output.contains("removed \(settings) Settings reason=popped"), "\(shell.output)")
    let at = try minerva(set, "stack", "--at", "#\(then.record)")
    #expect(at.output.contains("\(settings) Settings"), "\(at.output) \(at.errors)")
    await person.client.close()
  }

  @Test("Processes: a saved scene is restored beside the old one and on another broker; a file that no scene can be is refused (D2)")
  func savedScene() async throws {
    let (set, person, _) = try await shop()
    defer { set.end() }
    _ = try await person.opens("Settings", input: #"{"section":"privacy"}"#)
    let then = try await person.client.snapshot()
    let file = "\(set.directory)/a.mrec"
    let saved = try ProcessSet.Once.run("minerva-shell", ["--runtime", set.directory], input: "save \(file)\n")
    #expect(saved.status == 0 && saved.output.contains("main as it is at #\(then.record)"), "\(saved.output) \(saved.errors)")
    let beside = try ProcessSet.Once.run(
      "minerva-shell", ["--runtime", set.directory], input: "restore \(file)\nexpect stack main == [Home, Settings]\nback\n")
    #expect(beside.status == 0, "\(beside.output) \(beside.errors)")
    #expect(beside.output.contains("scene main@\(then.record) begun as main was at #\(then.record)"), "\(beside.output)")
    #expect(try await person.client.snapshot().tree.hash64 == then.tree.hash64, "the old scene moved")

    let other = try ProcessSet()
    defer { other.end() }
    try other.startAll(hosts: 1)
    let client = try await other.client()
    #expect(await other.wait { (try? await client.modules().isEmpty) == false })
    let elsewhere = try ProcessSet.Once.run(
      "minerva-shell", ["--runtime", other.directory, "--scene", "desk"],
      input: "restore \(file)\nexpect stack main == [Home, Settings]\nscreen\n")
    #expect(elsewhere.status == 0, "\(elsewhere.output) \(elsewhere.errors)")
    #expect(elsewhere.output.contains("scene main begun as main was at #\(then.record)"), "\(elsewhere.output)")
    #expect(try await client.snapshot(of: SceneAddress(name: "main")).tree.hash64 == then.tree.hash64)

    let damaged = await failure { _ = try await client.restore(Array("no state".utf8)) }
    #expect(damaged?.code == .recordingDamaged)
    let text = try ProcessSet.Once.run("minerva-shell", ["--runtime", other.directory], input: "restore /dev/null\n")
    #expect(text.status != 0 && text.output.contains("recording.damaged"), "\(text.output)")
    await client.close()
    await person.client.close()
  }

  @Test("Processes: what is typed about time works in a script unchanged (D1, D2)")
  func flow() throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (flow, file) = ("\(set.directory)/time.flow", "\(set.directory)/time.mrec")
    try """
    flow "recorded, replayed, looked back at and forked"
    app shop
    wait settled
    record \(file) --from #1
    open Settings {"section":"privacy"} as @s
    back
    expect removed @s reason=popped once
    open Detail id=7
    record stop
    replay \(file) --verify
    replay \(file).none --verify
    expect error file.unreadable
    goto #1
    open Detail id=9
    expect error time.read_only
    list top
    expect error time.not_kept
    goto now
    expect stack main == [Home, Detail]
    fork --name elsewhere
    expect stack main == [Home, Detail]
    back
    expect stack main == [Home]
    goto #999
    expect error time.out_of_range
    fork #1 --name elsewhere
    expect error scene.exists

    """.write(toFile: flow, atomically: true, encoding: .utf8)
    let run = try ProcessSet.Once.run("minerva", ["run", flow], within: .seconds(40))
    #expect(run.status == 0, "\(run.output) \(run.errors)")
  }

  @Test("Processes: a script that fails leaves its tree, its events and a recording that replays")
  func artifacts() throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (flow, kept) = ("\(set.directory)/a.flow", "\(set.directory)/kept")
    try "flow \"a\"\napp shop\nopen Settings {\"section\":\"privacy\"}\nexpect stack main == [Home]\n".write(
      toFile: flow, atomically: true, encoding: .utf8)
    let run = try ProcessSet.Once.run("minerva", ["run", flow, "--artifacts", kept], within: .seconds(40))
    #expect(run.status == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: kept).sorted()
    #expect(names.map { String($0.drop { $0 != "." }) }.count == 4, "\(names)")
    let tree = try #require(names.first { $0.hasSuffix(".tree.txt") })
    #expect(text("\(kept)/\(tree)").contains("Settings{section:\"privacy\"}"))
    let recording = try #require(names.first { $0.hasSuffix(".mrec") })
    let replayed = try ProcessSet.Once.run("minerva", ["replay", "\(kept)/\(recording)", "--verify"])
    #expect(replayed.status == 0, "\(replayed.errors)")
  }
}
