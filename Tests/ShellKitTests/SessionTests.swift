import CommandKit
import Glibc
import MinervaNavigation
import MinervaWire
import ShellKit
import TestSupport
import Testing

@Suite("Sessions: replies and looks")
struct SessionTests {
  /// Runs lines one after the other and returns all that was told, commands included.
  private func transcript(_ lines: [String], on target: SceneDouble = SceneDouble()) async throws -> [String] {
    let told = Told()
    let session = Session(target: target) { await told.add($0) }
    try await session.start()
    for line in lines {
      await told.add([await session.prompt + line])
      for statement in try Statement.parse(line) { _ = await session.execute(statement) { await told.add($0) } }
    }
    await session.close()
    return await told.take()
  }

  @Test func `replies read as the manual has them`() async throws {
    let lines = try await transcript([
      "open Home via root", "open Settings {\"section\":\"privacy\"} via push as @s", "output @s {\"theme\":\"dark\"}", "back",
      "open Login via modal", "open Bad", "back 9", "dismiss", "send @login {\"retry\":true}", "open Detail id=42 name=42", "tab orders",
      "gesture back begin; gesture back cancel", "back root", "back root", "open Tabs via root", "tab orders", "tab orders", "tap top out",
      "tap top nope", "tap top open", "close @detail", "close @nothing", "stack set main/orders [Orders, Item {\"id\":4}]",
    ])
    #expect(snapshotMismatch(lines.joined(separator: "\n") + "\n", "session.txt") == nil)
  }

  @Test func `looks read as the manual has them`() async throws {
    let lines = try await transcript([
      "open Tabs via root", "tab orders", "open Item id=3", "open Login via modal:alert", "tree", "stack", "stack main/orders",
      "stack main/x",
      "tab", "show top", "list top", "screen", "screen @item", "commands top", "modules", "modules Detail", "modules Dtail", "status",
      "leaks", "leaks --all", "leaks --all --json",
      "tree --json", "list top --json", "status --json", "routes", "option", "option timings maybe", "help tab",
    ])
    #expect(snapshotMismatch(lines.joined(separator: "\n") + "\n", "looks.txt") == nil)
  }

  @Test func `a key typed as a word is one of the module's, JSON may hold more`() async throws {
    let lines = try await transcript([
      "open Home via root", "open Detail iid=7", "open Detail id=7 nmae=x", "open Detail zz=1", "send @detail id=7",
      "open Detail {\"iid\":7} as @d",
      "send @d idd=7", "open Home colour=red",
    ])
    let errors = lines.filter { $0.hasPrefix("error") }
    #expect(
      errors == [
        "error input.invalid: Detail has no input \"iid\"; did you mean id?",
        "error input.invalid: Detail has no input \"nmae\"; did you mean name?",
        "error input.invalid: Detail has no input \"zz\"; it has id, name", "error nav.unknown_ref: nothing open is called @detail",
        "error input.invalid: Detail has no input \"idd\"; did you mean id?",
      ])
    // A module without a schema takes what it is given.
    #expect(lines.contains { $0.contains("Detail{iid:7} presented") } && lines.contains { $0.contains("Home{colour:\"red\"} presented") })
  }

  @Test func `scene end removes every screen with its one ending, and no scene is begun by it`() async throws {
    let lines = try await transcript([
      "open Home via root", "open Detail id=1 as @d", "scene end nothing", "scene end main", "expect event scene.ended",
    ])
    #expect(lines.contains { $0.hasPrefix("error scene.unknown: there is no scene \"nothing\"") })
    #expect(lines.contains("ok     scene main ended, 2 modules removed"), "\(lines)")
    #expect(
      lines.filter { $0.hasSuffix("reason=sceneClosed") } == ["s2 Detail", "s1 Home"].map { "       removed \($0) reason=sceneClosed" })
  }

  @Test func `results and outputs are any JSON, and expected as typed`() async throws {
    let lines = try await transcript([
      "open Home via root", "open Detail id=1 as @a", "output @a 1.50", "expect output @a 1.5", "finish @a 42", "expect result @a 42",
      "expect result @a \"42\" --timeout 1ms", "open Detail id=2 as @b", "finish @b \"two words\"", "expect result @b \"two words\"",
      "open Detail id=3 as @c", "finish @c null", "expect result @c null", "expect result @c {} --timeout 1ms",
    ])
    #expect(lines.count { $0 == "ok" } == 4, "\(lines)")
    #expect(lines.filter { $0.hasPrefix("error") } == ["error expect.failed: s2 ended with 42", "error expect.failed: s4 ended with null"])
  }

  @Test func `an expectation that is interrupted says so, and decides nothing`() async throws {
    let session = Session(target: SceneDouble())
    try await session.start()
    let statement = try Statement.parse("expect event screen.removed --timeout 1m")[0]
    let told = Told()
    let task = Task { await session.execute(statement) { await told.add($0) } }
    task.cancel()
    let error = await task.value.error
    #expect(error?.code == .cancelled && error?.message == "interrupted")
    #expect(await told.take().first == "error bus.cancelled: interrupted")
    await session.close()
  }

  @Test func `save overwrites no file unless told to`() async throws {
    let path = "/tmp/minerva-save-\(UInt64.random(in: .min ... .max)).mrec"
    defer { unlink(path) }
    let lines = try await transcript(["open Home via root", "save \(path)", "open Detail id=1", "save \(path)", "save \(path) --force"])
    let answers = lines.filter { $0.contains(path) && !$0.contains(">") }
    try #require(answers.count == 3, "\(lines)")
    #expect(answers[0].hasPrefix("ok     \(path): main as it is at #"))
    #expect(answers[1] == "error file.exists: \(path) exists already; save --force writes over it")
    #expect(answers[2].hasPrefix("ok     \(path): main as it is at #") && answers[2] != answers[0])
  }

  @Test func `jobs are told when admitted and when they end`() async throws {
    let lines = try await transcript(["open Home via root", "open Detail id=7 &", "wait job 1", "wait job 2", "open Bad &", "wait job 2"])
    #expect(lines.contains("[1] ok #3 s2 Detail{id:7} presented in main (depth 2, host shop-1)"))
    #expect(lines.contains { $0.hasPrefix("error session.no_job") })
    #expect(lines.contains("[2] error input.invalid: Bad.id: expected integer, found nothing"))
  }

  @Test func `every verb answers as JSON, errors too`() async throws {
    for verb in Verb.all { #expect(verb.options.contains { $0.name == "json" }, "\(verb.name)") }
    let lines = try await transcript([
      "open Home via root --json", "open Login via modal --json", "back 9 --json", "wait settled --json", "tap top out --json",
      "dismiss --json", "expect modal none --json", "option --json", "open Detail --json &", "wait job 1",
    ])
    var told: [JSONValue] = []
    for line in lines where line.hasPrefix("{") { told.append(try JSONValue(parsing: line)) }
    #expect(told[0]["ok"] == .string("open") && told[0]["presented"]?[0]?["module"] == .string("Home"))
    #expect(told[0]["record"] != nil && told[0]["changed"] == .bool(true))
    #expect(told[2]["error"]?["code"] == .string("nav.not_modal") || told[2]["error"]?["code"] != nil)
    #expect(told[3] == .object(["ok": .string("wait"), "lines": .array([.string("settled")])]))
    #expect(told[4]["output"]?["payload"] == .string("{\"theme\":\"dark\"}") || told[4]["ok"] == .string("tap"))
    #expect(told[5]["removed"]?[0]?["reason"] == .string("dismissed"))
    #expect(told.contains { $0["job"] == .integer(1) && $0["ok"] == .string("open") }, "\(lines)")
  }

  @Test func `a sourced file may expect errors`() async throws {
    let path = "/tmp/minerva-source-\(UInt64.random(in: .min ... .max)).flow"
    defer { unlink(path) }
    try FileBytes.write("back\nexpect error nav.root_protected\nopen Item\n", to: path)
    let lines = try await transcript(["open Home via root", "source \(path)"])
    #expect(lines.last?.contains("Item presented") == true, "\(lines)")
    try FileBytes.write("back\ntree\nexpect error nav.root_protected\n", to: path)
    #expect(try await transcript(["open Home via root", "source \(path)"]).last?.hasPrefix("error nav.root_protected: \(path):1:") == true)
  }

  @Test func `options, timeouts and help that mean nothing are refused`() async throws {
    for line in ["option nope", "option echo", "option echo on"] {
      #expect(throws: ParseError.self, "\(line)") { try Statement.parse(line) }
    }
    let lines = try await transcript(["help nonsense", "help errors zzz", "open Home --timeout 0s"])
    #expect(lines.contains { $0.hasPrefix("error parse.unexpected: no help on") })
    #expect(lines.contains { $0.hasPrefix("error parse.unexpected: no code begins") })
    #expect(lines.contains { $0.hasPrefix("error parse.option: --timeout must be longer than 0") })
  }

  @Test func `events of a request name it, and JSON has numbers and flags as such`() async throws {
    let heard = Told()
    let target = SceneDouble()
    let session = Session(target: target) { await heard.add($0) }
    try await session.start()
    for line in ["watch --json &", "open Home via root", "open Item", "tap top out"] {
      for statement in try Statement.parse(line) { _ = await session.execute(statement) { _ in } }
    }
    var told: [String] = []
    try await until("the requests are told") {
      told += await heard.take()
      return told.count { $0.contains("request.settled") } >= 2
    }
    let settled = try told.filter { $0.contains("request.settled") }.map { try JSONValue(parsing: $0) }
    #expect(settled[0]["request"] == .integer(1) && settled[0]["changed"] == .bool(true), "\(told)")
    #expect(settled[0]["txn"] == .string("t1") && settled[0]["job"] == .integer(1))
    // The strict reader refuses a key that is there twice.
    for line in told { _ = try JSONValue(parsing: line) }
    await session.close()
  }

  @Test func `a request that nobody hears holds up no prompt, and the end counts it (C01)`() async throws {
    for (isSent, words) in [(true, "1 request unanswered ([1])"), (false, "1 request undelivered ([1])")] {
      let (told, late) = (Told(), Told())
      let session = Session(target: DeafScene(.cancelled(isSent: isSent))) { await late.add($0) }
      try await session.start()
      let execution = await session.execute(try Statement.parse("open Home &")[0]) { await told.add($0) }
      #expect(execution.error == nil)
      #expect(await told.take() == ["[1] waits, not heard of yet"])
      let unfinished = await session.close()
      #expect(unfinished.error?.code == .closed && unfinished.error?.message.contains(words) == true, "\(unfinished)")
      // What is counted is not told as well.
      #expect(await late.take() == [])
    }
    #expect(await Session(target: SceneDouble()).close().error == nil)
  }

  @Test func `an answer that comes while the conversation ends is told, and not counted as none (C01)`() async throws {
    for (end, words) in [(DeafScene.End.answered, "[1] ok #9"), (.refused, "[1] error nav.busy")] {
      let late = Told()
      let session = Session(target: DeafScene(end)) { await late.add($0) }
      try await session.start()
      _ = await session.execute(try Statement.parse("open Home &")[0]) { _ in }
      #expect(await session.close().error == nil)
      #expect(await late.take().first?.hasPrefix(words) == true)
    }
  }

  @Test func `where a request stands is told before its answer, however late`() async throws {
    let (words, word) = AsyncStream.makeStream(of: Void.self)
    let (told, late) = (Told(), Told())
    let session = Session(target: DeafScene(.answered, words: words)) { await late.add($0) }
    try await session.start()
    _ = await session.execute(try Statement.parse("open Home &")[0]) { await told.add($0) }
    #expect(await told.take() == ["[1] waits, not heard of yet"])
    word.yield()
    try await session.finish(job: 1, within: .seconds(30))
    let lines = await late.take()
    #expect(lines.first == "[1] queued #9 behind #8 (opening Tabs)" && lines.dropFirst().first?.hasPrefix("[1] ok #9") == true, "\(lines)")
    await session.close()
  }

  @Test func `a link goes on in the background, and what is done at once takes no &`() async throws {
    let lines = try await transcript(["open Home via root", "deeplink app://shop/home &", "wait job 1"])
    #expect(lines.contains { $0.hasPrefix("[1] error bus.unsupported") }, "\(lines)")
    for line in ["expect modal none &", "scene other &", "source a.flow &", "tree &", "quit &", "repeat \"back\" &"] {
      #expect(throws: ParseError.self, "\(line)") { try Statement.parse(line) }
    }
    _ = try Statement.parse("watch &; wait settled &; deeplink app://shop/home &; back &")
  }

  @Test func `what waits in the background leaves the prompt free`() async throws {
    let (heard, replies) = (Told(), Told())
    let session = Session(target: SceneDouble()) { await heard.add($0) }
    try await session.start()
    for line in ["watch screen &", "wait event screen.removed &", "open Home via root", "open Detail id=7", "back"] {
      for statement in try Statement.parse(line) { _ = await session.execute(statement) { await replies.add($0) } }
    }
    let answers = await replies.take()
    #expect(answers.prefix(2) == ["[1] in the background until the shell ends", "[2] in the background until it happens"])
    #expect(answers.count { $0.hasPrefix("ok") } == 3)
    // Its own patience is longer than the suite's busiest minutes.
    try await session.finish(job: 2, within: .seconds(300))
    var told: [String] = []
    try await until("the watch tells of the removal") {
      told += await heard.take()
      return told.contains { $0.hasPrefix("[1]") && $0.contains("screen.removed s2") }
    }
    #expect(told.contains { $0.hasPrefix("[2] ok") })
    await session.close()
  }

  @Test func `an alias that is not clear is refused with the choice`() async throws {
    let lines = try await transcript(["open Home via root", "open Item", "open Item", "close @item", "close @itme"])
    #expect(lines.contains("error nav.ambiguous_ref: @item could be s2, s3; open it with as @NAME, or say which"))
    #expect(lines.contains("error nav.unknown_ref: nothing open is called @itme; did you mean @item?"))
  }

  @Test func `values are typed by the schema, quoted ones are not`() async throws {
    let target = SceneDouble()
    _ = try await transcript(["open Detail id=42 name=42", "open Detail id=\"42\"", "open Other id=42"], on: target)
    let inputs = try await target.look(at: nil).tree.screens.map { String(decoding: $0.input, as: UTF8.self) }
    #expect(inputs == [#"{"id":42,"name":"42"}"#, #"{"id":"42"}"#, #"{"id":"42"}"#])
  }

  @Test func `a payload of a file loses one newline at its end, no other byte (D04, D05)`() async throws {
    let target = SceneDouble()
    let session = Session(target: target)
    let path = "/tmp/minerva-payload-\(UInt64.random(in: .min ... .max)).json"
    try FileBytes.write("{\"a\": 1}\n\n", to: path)
    defer { unlink(path) }
    #expect(try await session.bytes(.file(path), schemaOf: nil) == Array("{\"a\": 1}\n".utf8))
    await #expect(throws: ParseError.self) { try await session.bytes(.file("/nowhere/at/all"), schemaOf: nil) }
    try FileBytes.write("{\"a\":1,\"a\":2}", to: path)
    await #expect(throws: ParseError.self) { try await session.bytes(.file(path), schemaOf: nil) }
  }

  @Test(arguments: [
    (#"open A {userId:"x"}"#, 9), (#"open A {"a":1,"a":2}"#, 8), (#"open A {"a":1,}"#, 8), (#"open A {"a":1e400}"#, 8),
    (#"open A {"n":9223372036854775808}"#, 8), (#"send top '{"a":01}'"#, 10), (#"open A x={"a":nul}"#, 9),
  ])
  func `payloads that are not strict JSON are refused with a column (D05, E01, E02)`(line: String, from: Int) throws {
    do throws(ParseError) {
      _ = try Statement.parse(line)
      Issue.record("accepted \(line)")
    } catch {
      #expect(error.code == .payload)
      #expect(error.position.column >= from)
      #expect(error.position.column <= line.count + 1)
    }
  }
}
