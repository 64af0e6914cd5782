import CommandKit
import Foundation
import MinervaNavigation
import ShellKit
import Testing

/// Resolves aliases to themselves by number, and types nothing.
struct PlainContext: InvocationContext {
  var types: [String: PayloadText.ValueType] = [:]

  func screen(_ reference: Reference) async throws -> ScreenRef {
    switch reference {
    case .alias: .id(ScreenID(99))
    case .ref(let ref): ref
    }
  }

  func bytes(_ payload: PayloadText, schemaOf module: String?) async throws -> [UInt8] {
    switch payload {
    case .json(let text): Array(text.utf8)
    case .pairs(let pairs): Array(PayloadText.object(of: pairs) { types[$0] }.utf8)
    case .file(let path): Array("file:\(path)".utf8)
    }
  }

  func module(of reference: Reference) async -> String? { nil }
}

@Suite("The grammar of the shell")
struct GrammarTests {
  private func action(_ line: String, types: [String: PayloadText.ValueType] = [:]) async throws -> Command.Action? {
    let statements = try Statement.parse(line)
    #expect(statements.count == 1)
    guard case .action(let make) = statements[0].request else { return nil }
    return try await make(PlainContext(types: types))
  }

  private func complaint(_ line: String) -> String {
    do throws(ParseError) {
      _ = try Statement.parse(line)
      return "fine"
    } catch {
      return "\(error.position.column) \(error.code.rawValue) \(error.message)"
    }
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `open in all its forms`() async throws {
    #expect(try await action("open Home") == .open(Command.Opening(ModuleAddress(name: "Home"))))
    #expect(
      try await action("open shop/Settings@shop-1 {\"section\":\"privacy\"} via push as @s in main/orders --pop-to s3 --inclusive")
        == .open(
          Command.Opening(
            ModuleAddress(app: "shop", name: "Settings", host: "shop-1"), input: bytes("{\"section\":\"privacy\"}"), via: .push,
            into: NavPath("main/orders"), popTo: .id(ScreenID(3)), inclusive: true)))
    #expect(
      try await action("open Profile userID=42 name=42 note=\"42\" tags=[1,2] via modal:alert", types: ["userID": .integer])
        == .open(
          Command.Opening(
            ModuleAddress(name: "Profile"), input: bytes(#"{"userID":42,"name":"42","note":"42","tags":[1,2]}"#), via: .modal(.alert))))
    #expect(
      try await action("open A --input-file a.json via tab:orders")
        == .open(Command.Opening(ModuleAddress(name: "A"), input: bytes("file:a.json"), via: .tab("orders"))))
  }

  @Test func `the other moves`() async throws {
    #expect(try await action("back") == .back(count: 1, in: nil))
    #expect(try await action("back 9") == .back(count: 9, in: nil))
    #expect(try await action("back to @list") == .backTo(.id(ScreenID(99))))
    #expect(try await action("back root") == .backRoot(in: nil))
    #expect(try await action("close s4 top") == .close([.id(ScreenID(4)), .top]))
    #expect(try await action("dismiss") == .dismiss(nil))
    #expect(try await action("dismiss all") == .dismissAll)
    #expect(try await action("dismiss @login") == .dismiss(.id(ScreenID(99))))
    #expect(try await action("tab orders --reset") == .selectTab(name: "orders", of: nil, reset: true))
    #expect(try await action("collapse") == .collapse(nil))
    #expect(try await action("go details id=7 from @l") == .go(name: "details", from: .id(ScreenID(99)), input: bytes(#"{"id":"7"}"#)))
    #expect(
      try await action("stack set main [s1, Item {\"id\":4, \"x\":[1,2]},Home]")
        == .setStack(
          .main,
          [
            .screen(.id(ScreenID(1))), .module(ModuleAddress(name: "Item"), input: bytes("{\"id\":4, \"x\":[1,2]}")),
            .module(ModuleAddress(name: "Home"), input: []),
          ]))
    #expect(try await action("gesture back begin") == .gesture(.back, .begin))
  }

  @Test func `acts and speech`() async throws {
    #expect(try await action("tap top u3") == .act(.top, .tap(row: "u3", action: nil)))
    #expect(try await action("tap s2 u3 delete") == .act(.id(ScreenID(2)), .tap(row: "u3", action: "delete")))
    #expect(try await action("enter top text \"two words\"") == .act(.top, .enter(field: "text", value: "two words")))
    #expect(try await action("enter top text ''") == .act(.top, .enter(field: "text", value: "")))
    #expect(try await action("enter top text via") == .act(.top, .enter(field: "text", value: "via")))
    #expect(try await action("move top a before b") == .act(.top, .move(row: "a", before: true, other: "b")))
    #expect(try await action("execute top show {\"a\":1}") == .act(.top, .execute(command: "show", input: bytes("{\"a\":1}"))))
    #expect(try await action("send top {\"retry\":true}") == .send(.top, bytes("{\"retry\":true}")))
    #expect(try await action("finish root") == .finish(.root, nil))
    let modal = try #require(Presentation("modal"))
    for value in ["42", "-1.5e3", "true", "null", "[1,2]", "[]", "{}"] {
      #expect(try await action("finish root \(value)") == .finish(.root, bytes(value)))
      #expect(try await action("output top \(value)") == .output(.top, bytes(value)))
      let opening = Command.Opening(ModuleAddress(name: "A"), input: bytes(value), via: modal)
      #expect(try await action("open A \(value) via modal") == .open(opening))
    }
    // A text stands in quotes, JSON may.
    #expect(try await action(#"finish root "two \"words\" 😀""#) == .finish(.root, bytes(#""two \"words\" 😀""#)))
    #expect(try await action(#"finish root 'it said "no"'"#) == .finish(.root, bytes(#""it said \"no\"""#)))
    #expect(try await action(#"finish root '"text"'"#) == .finish(.root, bytes(#""text""#)))
    #expect(try await action(#"finish root "7""#) == .finish(.root, bytes(#""7""#)))
    #expect(try await action(#"finish root """#) == .finish(.root, bytes(#""""#)))
    for value in ["42", "true", #""two words""#, #""""#, "[1]"] {
      guard case .action(let make) = try Statement.parse(arguments: ["finish", "root", value]).request else { continue }
      #expect(try await make(PlainContext()) == .finish(.root, bytes(value)), "\(value) as an argument")
    }
    #expect(try await action("cancel modal[1]") == .cancel(.path(NavPath(layer: 1))))
  }

  @Test func `faults say what is expected, and where`() {
    #expect(complaint("opne Home") == "1 parse.unknown_verb no verb \"opne\"; did you mean open?")
    #expect(complaint("xyzzy") == "1 parse.unknown_verb no verb \"xyzzy\"; help lists them")
    #expect(complaint("open") == "5 parse.missing expected MODULE: open MODULE [JSON | KEY=VALUE …] [via KIND] [in PLACE] [as @NAME]")
    #expect(complaint("open 7up").hasPrefix("6 parse.unexpected expected a module such as Login"))
    #expect(complaint("open A via pusch").hasSuffix("found \"pusch\"; did you mean push?"))
    #expect(complaint("open A via").hasPrefix("11 parse.missing via needs KIND"))
    #expect(complaint("open A via push via root").contains("via is given twice"))
    #expect(complaint("open A --polcy join") == "8 parse.option open has no option --polcy; did you mean --policy?")
    #expect(complaint("open A --policy jion").contains("did you mean join?"))
    #expect(complaint("open A --timeout 5") == "18 parse.option --timeout: expected a duration such as 250ms, 3s or 1m30s, found \"5\"")
    #expect(complaint("open A --instant=1") == "8 parse.option --instant takes no value")
    #expect(complaint("back to") == "8 parse.missing expected REF: back to REF")
    #expect(complaint("back 0") == "6 parse.unexpected back takes a number from 1")
    #expect(complaint("tap top") == "8 parse.missing expected ROW: tap REF ROW [ACTION]")
    #expect(complaint("tap s01 x").hasPrefix("5 parse.unexpected expected a screen (s12"))
    #expect(complaint("back to Home").hasSuffix("found \"Home\"; a module's screen is @home"))
    #expect(complaint("enter top text two words").contains("unexpected \"words\"; text with spaces needs quotes"))
    #expect(complaint("stack set main [s1,,s2]") == "20 parse.unexpected an element of the stack is empty")
    #expect(complaint("stack set main [s1, 7]") == "21 parse.unexpected expected a screen or a module, found \"7\"")
    #expect(complaint("gesture back beginn").contains("did you mean begin?"))
    #expect(complaint("goto twelve").contains("expected the number of a record such as 12"))
    #expect(complaint("finish top seven") == "12 parse.unexpected expected JSON or key=value, found \"seven\"; a text stands in quotes")
    #expect(complaint("finish top 7 8").contains("unexpected \"8\""))
    for bad in ["01", "+7", "1.", "1e999", "True", "nul", "NaN"] {
      #expect(complaint("finish top \(bad)").hasPrefix("12 parse.unexpected"))
    }
    #expect(complaint("expect removed top reason=poped").contains("did you mean popped?"))
    #expect(complaint("expect rows top count=3").hasPrefix("17 parse.unexpected"))
    #expect(complaint("repeat \"opne A\"").contains("did you mean open?"))
    #expect(complaint("open A as login") == "11 parse.unexpected expected a name such as @login, found \"login\"")
    #expect(complaint("expect error \"nav\"").contains("expected a code such as nav.busy"))
    #expect(complaint("tree extra") == "6 parse.unexpected unexpected \"extra\": tree")
    #expect(complaint("note two words").contains("text with spaces needs quotes"))
    #expect(complaint("stack foo").hasPrefix("7 parse.unexpected expected a place such as main"))
    #expect(complaint("option bogus") == "8 parse.unexpected expected timings, width, found \"bogus\"")
    #expect(complaint("scene end").hasPrefix("7 parse.missing scene end takes the name"))
  }

  @Test func `names of events are those that there are, in every place`() throws {
    #expect(
      complaint("wait event screen.presentd")
        == "12 parse.unexpected no event is called \"screen.presentd\"; did you mean screen.presented?")
    #expect(complaint("expect event screen") == "14 parse.unexpected no event is called \"screen\"; did you mean screen.*?")
    #expect(complaint("expect event lists").hasSuffix("did you mean list.*?"))
    #expect(complaint("watch listz") == "7 parse.unexpected no event is called \"listz\"; did you mean lists?")
    #expect(complaint("watch xyzzy").hasSuffix("help watch lists them"))
    #expect(complaint("watch screen.*.x").contains("no event is called"))
    #expect(complaint("fault drop scren.* 3").contains("no event is called"))
    for topic in EventText.topics + EventText.names + ["*", "screen.*", "*.changed"] {
      #expect(complaint("watch \(topic)") == "fine")
      #expect(complaint("fault drop \(topic) 1") == "fine")
    }
    for name in EventText.names + ["*", "*.changed", "renderer.*"] {
      #expect(complaint("wait event \(name)") == "fine")
      #expect(complaint("expect event \(name) module=Home") == "fine")
    }
  }

  @Test func `a record is said by its number, with or without #, and a wrong one is complained about where it stands`() throws {
    for line in [
      "goto 12", "goto #12", "fork 12", "fork #12", "ack 12", "tree --at 12", "tree --at #12", "watch --from 12", "record f --to #12",
    ] {
      #expect(throws: Never.self, "\(line)") { try Statement.parse(line) }
      #expect(throws: Never.self, "\(line)") { try Statement.parse(arguments: line.split(separator: " ").map(String.init)) }
    }
    #expect(complaint("watch --from x").hasPrefix("14 parse.unexpected --from takes the number of a record such as 12, not \"x\""))
    #expect(complaint("record f --to -1").hasPrefix("15 parse.unexpected --to takes the number of a record"))
    do throws(ParseError) {
      _ = try Statement.parse(arguments: ["watch", "lists", "--from", "-1"])
      Issue.record("taken")
    } catch {
      #expect(error.statement.hasSuffix("(word 4)"), "\(error.statement)")
    }
  }

  @Test func `the names of events are all that the sources speak`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    func text(_ path: String) throws -> String { try String(contentsOf: root.appending(path: path), encoding: .utf8) }
    let core = try text("Sources/MinervaNavigation/Outcome/Event.swift")
    let start = try #require(core.range(of: "var name: String"))
    var spoken = core[start.upperBound...].prefix { $0 != "@" }.matches(of: /case \.[^"\n]*: "([a-z_.]+)"/).map { String($0.1) }
    #expect(spoken.count > 20)
    let feed = try text("Sources/MinervaInterfaces/Scenes/SceneEvent.swift")
    let changes = try #require(feed.firstMatch(of: /enum Change: String[^{]*\{\s*case ([a-z, ]+)/))
    spoken += changes.1.split(separator: ", ").map { "process.\($0)" }
    let shown = try text("cli/ShellKit/Rendering/EventText.swift")
    spoken += shown.matches(of: #/\("([a-z_]+\.[a-z_]+)", /#).map { String($0.1) }
    #expect(Set(spoken) == Set(EventText.names), "\(Set(spoken).symmetricDifference(EventText.names))")
  }

  @Test func `a command alone refuses what ends with its session, and says what does it`() throws {
    func refusal(_ words: String) throws -> String? {
      try Statement.parse(arguments: words.split(separator: " ").map(String.init)).refusalAlone?.message
    }
    for words in [
      "goto #12", "goto now", "render hold", "render off", "ack", "fault drop screen.* 3", "option width 30", "quit",
      "record a.flow --as-script", "wait job 1", "expect error nav.busy", "expect exhaustive",
    ] {
      #expect(try refusal(words) != nil, "\(words)")
    }
    #expect(try refusal("goto 12")?.contains("--at 12") == true)
    for words in [
      "option", "open A as @a", "fork 12", "scene x", "scene", "wait settled", "expect modal none", "fault kill diff-1", "record a.mrec",
      "tree --at 5",
      "restore a.mrec", "note x", "source a.flow", "advance 3s",
    ] {
      #expect(try refusal(words) == nil, "\(words)")
    }
    #expect(try Statement.parse(arguments: ["open", "A", "as", "@a"]).endsWithCommand?.contains("@a ends with this command") == true)
    #expect(try Statement.parse(arguments: ["fork", "#12"]).endsWithCommand?.contains("--scene NAME") == true)
    #expect(try Statement.parse(arguments: ["open", "A"]).endsWithCommand == nil)
  }

  @Test func `a mistake in a command line is told with its word`() {
    func place(_ words: String...) -> String? {
      do throws(ParseError) {
        _ = try Statement.parse(arguments: words)
        return nil
      } catch {
        return error.position.description
      }
    }
    #expect(place("opne") == "word 1")
    #expect(place("open", "A", "via", "pusch") == "word 4")
    #expect(place("open", "A", #"{"a":1,}"#) == "word 3, column 8")
    #expect(place("open", "A", "via") == "word 3, column 4")
  }

  @Test func `expectations`() throws {
    func expectation(_ line: String) throws -> ShellKit.Expectation? {
      guard case .expect(let expectation) = try Statement.parse(line)[0].request else { return nil }
      return expectation
    }
    let users = Reference.alias("users")
    #expect(
      try expectation("expect stack main == [Home, s2]")
        == .stack(.main, [.module(ModuleAddress(name: "Home"), input: nil), .screen(.ref(.id(ScreenID(2))))]))
    #expect(try expectation("expect stack main == []") == .stack(.main, []))
    #expect(try expectation("expect rows @users count==22") == .rowCount(users, 22))
    #expect(try expectation("expect rows @users contains x@x.com") == .rowsContain(users, "x@x.com"))
    #expect(try expectation("expect row @users u3 u3@u.com") == .row(users, "u3", "u3@u.com"))
    #expect(
      try expectation("expect changes @users insert=1 delete=0")
        == .changes(users, [.init(kind: "insert", count: 1), .init(kind: "delete", count: 0)]))
    #expect(try expectation("expect removed @users reason=dismissed once") == .removed(users, reason: "dismissed", once: true))
    #expect(try expectation("expect removed @users once") == .removed(users, reason: nil, once: true))
    #expect(try expectation("expect error nav.*") == .error("nav.*"))
    #expect(try expectation("expect output @users {\"a\":1}") == .output(users, "{\"a\":1}"))
    #expect(try expectation("expect result @users 42") == .result(users, "42"))
    #expect(try expectation("expect result @users \"42\"") == .result(users, "\"42\""))
    #expect(try expectation("expect output @users null") == .output(users, "null"))
    #expect(try expectation("expect screen top ~ \"No users\"") == .screenShows(.ref(.top), "No users"))
    #expect(try expectation("expect event screen.resumed module=Orders") == .event(EventPattern("screen.resumed", [("module", "Orders")])))
    #expect(try expectation("expect no leaks") == .noLeaks)
    #expect(try expectation("expect modal none") == .modal("none"))
  }

  @Test func `the system's shell and ours read the same words (D05)`() async throws {
    let payload = #"{"a":"b c","q":"\"x\"","n":"\\n","e":""}"#
    let typed = try Statement.parse("open m \(payload) via modal")[0]
    let argued = try Statement.parse(arguments: ["open", "m", payload, "via", "modal"])
    for statement in [typed, argued] {
      guard case .action(let make) = statement.request, case .open(let opening) = try await make(PlainContext()) else {
        Issue.record("no opening")
        continue
      }
      #expect(opening.input == bytes(payload))
      #expect(opening.via == .modal(.sheet))
    }
    let entered = try Statement.parse(arguments: ["enter", "top", "text", "two words; & # \"q\""])
    #expect(entered.call.text("value") == "two words; & # \"q\"")
  }

  @Test func `event patterns match part by part`() {
    #expect(EventPattern.matches("screen.*", "screen.removed"))
    #expect(EventPattern.matches("*", "screen.removed"))
    #expect(EventPattern.matches("*.removed", "screen.removed"))
    #expect(!EventPattern.matches("screen", "screen.removed"))
    #expect(!EventPattern.matches("screen.*", "screen"))
    #expect(EventPattern("screen.removed", [("reason", "popped")]).matches(name: "screen.removed", fields: ["reason": "popped", "x": "y"]))
    #expect(!EventPattern("screen.removed", [("reason", "popped")]).matches(name: "screen.removed", fields: [:]))
  }

  @Test func `every example of every verb is understood, and every verb is found`() throws {
    #expect(Set(Verb.all.map(\.name)).count == Verb.all.count)
    for verb in Verb.all {
      #expect(!verb.examples.isEmpty && !verb.forms.isEmpty && !verb.summary.hasSuffix("."), "\(verb.name)")
      for example in verb.examples {
        let statements = try Statement.parse(example.line)
        #expect(statements.first?.verb.name == verb.name, "\(example.line)")
      }
    }
  }
}
