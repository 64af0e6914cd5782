import CommandKit
import Glibc
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import ShellKit
import Synchronization
import Testing

/// Feeds lines to a shell; nil stands for Ctrl-C.
private final class ScriptedReader: LineReader {
  private struct State {
    var inputs: [LineInput]
    var prompts: [String] = []
    var remembered: [String] = []
    var kept: [String] = []
    var notices: [String] = []
  }

  private let state: Mutex<State>
  let isInteractive: Bool
  var source: String? { isInteractive ? nil : "standard input" }

  init(_ inputs: [String?], isInteractive: Bool = true) {
    state = Mutex(State(inputs: inputs.map { $0.map { .line($0) } ?? .interrupted }))
    self.isInteractive = isInteractive
  }

  func read(prompt: String) async throws(ParseError) -> LineInput {
    state.withLock { state in
      state.prompts.append(prompt)
      return state.inputs.isEmpty ? .end : state.inputs.removeFirst()
    }
  }

  func interrupt() {}
  func remember(_ line: String, in memory: LineMemory) {
    state.withLock { state in
      if memory > .none { state.remembered.append(line) }
      if memory == .file { state.kept.append(line) }
    }
  }
  func notice(_ lines: [String]) { state.withLock { $0.notices += lines } }
  func close() {}

  var prompts: [String] { state.withLock(\.prompts) }
  var remembered: [String] { state.withLock(\.remembered) }
  /// What goes into the history file.
  var kept: [String] { state.withLock(\.kept) }
  var notices: [String] { state.withLock(\.notices) }
}

/// The two ends of a pipe as a console, and what was written to it.
private struct CapturedConsole {
  let console: Console
  private let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    (readEnd, writeEnd) = (ends[0], ends[1])
    // Room for more than a test writes, so that writing never waits for reading.
    let setPipeSize: Int32 = 1031
    _ = fcntl(writeEnd, setPipeSize, 1 << 20)
    console = Console(
      out: Output(descriptor: writeEnd), notices: Output(descriptor: writeEnd, limit: 0), terminal: .plain, environment: [:])
  }

  func text() -> [String] {
    try? console.out.flush()
    close(writeEnd)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(readEnd, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    close(readEnd)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

@Suite("The prompt")
struct PromptTests {
  private func run(_ reader: ScriptedReader, keepsGoing: Bool = false) async throws -> (ExitCode, [String]) {
    let captured = CapturedConsole()
    let session = Session(target: SceneDouble())
    try await session.start()
    let code = try await Shell(session: session, console: captured.console, keepsGoing: keepsGoing).run(reader)
    await session.close()
    return (code, captured.text())
  }

  @Test func `prompts say where one is, and open brackets ask for more (D02)`() async throws {
    let reader = ScriptedReader(["open Tabs via root", "open Item {", "\"id\":1}", "open Item {\"a\":", nil, "tab orders", "back", "quit"])
    let (code, lines) = try await run(reader)
    #expect(code == .done)
    #expect(
      reader.prompts == [
        "main:main> ", "main:main/home> ", "... ", "main:main/home> ", "... ", "main:main/home> ", "main:main/orders> ",
        "main:main/orders> ",
      ])
    #expect(lines.contains { $0.contains("s3 Item{id:1} presented in main/home") })
    #expect(reader.remembered.contains("open Item {\n\"id\":1}"))
  }

  @Test func `a mistake at the prompt ends nothing`() async throws {
    let reader = ScriptedReader(["opne Home", "back", "open Home via root"])
    let (code, lines) = try await run(reader)
    #expect(code == .done)
    #expect(reader.notices.first?.hasPrefix("error parse.unknown_verb: no verb \"opne\"; did you mean open?") == true)
    #expect(lines.last == "ok     #1 s1 Home presented in main" || lines.last?.contains("s1 Home presented") == true)
  }

  @Test func `a mistake in a pipe is told with its line, one at the prompt without`() async throws {
    let lines = ["open Home via root", "", "# a note", "open Detail {", "\"id\":1}", "opne", "stack"]
    let piped = try await run(ScriptedReader(lines, isInteractive: false))
    #expect(piped.0 == .usage)
    #expect(piped.1.contains { $0.hasSuffix("did you mean open? (standard input:6:1)") }, "\(piped.1)")
    let inside = try await run(ScriptedReader(["stack", "open Detail {", "\"id\":01}"], isInteractive: false)).1
    #expect(inside.contains { $0.hasPrefix("error parse.payload") && $0.contains("(standard input:3:") }, "\(inside)")
    // A line that is understood and refused is named too: once, and only when nobody expects its error.
    let refused = try await run(ScriptedReader(["open Home via root", "", "back", "stack"], isInteractive: false))
    #expect(refused.0 == .refused && refused.1.last == "  at line 3 of standard input", "\(refused.1)")
    let kept = try await run(
      ScriptedReader(["open Home via root", "back", "tree", "expect modal X; tree", "opne"], isInteractive: false), keepsGoing: true)
    #expect(kept.1.filter { $0.hasPrefix("  at line") } == [2, 4].map { "  at line \($0) of standard input" }, "\(kept.1)")
    let expected = try await run(
      ScriptedReader(["open Home via root", "back", "expect error nav.root_protected"], isInteractive: false))
    #expect(expected.0 == .done && !expected.1.contains { $0.contains("at line") }, "\(expected.1)")
    let last = try await run(ScriptedReader(["open Home via root", "back"], isInteractive: false))
    #expect(last.0 == .refused && last.1.last == "  at line 2 of standard input", "\(last.1)")
    let typed = ScriptedReader(["stack", "opne"])
    _ = try await run(typed)
    #expect(typed.notices.first?.hasSuffix("did you mean open? (column 1)") == true)
  }

  @Test func `a pipe stops at the first failing line unless told otherwise (D01)`() async throws {
    let lines = ["open Home via root", "back", "open Item"]
    let stopped = try await run(ScriptedReader(lines, isInteractive: false))
    #expect(stopped.0 == .refused)
    #expect(!stopped.1.contains { $0.contains("Item") })
    let kept = try await run(ScriptedReader(lines, isInteractive: false), keepsGoing: true)
    #expect(kept.0 == .refused)
    #expect(kept.1.contains { $0.contains("Item") })
    #expect(try await run(ScriptedReader(["opne"], isInteractive: false)).0 == .usage)
    #expect(try await run(ScriptedReader(["open Item {\"a\":"], isInteractive: false)).0 == .usage)
  }

  @Test func `an error in a pipe fails nothing when the next line expects it`() async throws {
    func code(_ lines: [String], keepsGoing: Bool = false) async throws -> ExitCode {
      try await run(ScriptedReader(["open Home via root"] + lines, isInteractive: false), keepsGoing: keepsGoing).0
    }
    #expect(try await code(["back", "# a word", "", "expect error nav.root_protected", "tree"]) == .done)
    #expect(try await code(["back; expect error nav.root_protected"]) == .done)
    #expect(try await code(["back", "expect error nav.busy"]) == .refused)
    #expect(try await code(["back"]) == .refused, "the input ends before anybody expects it")
    #expect(try await code(["back", "tree"], keepsGoing: true) == .refused)
    #expect(try await code(["expect modal Login", "expect error expect.failed"]) == .refused, "an expectation's own error is none")
  }

  @Test func `lines of a pipe follow the rules of scripts (D04)`() async throws {
    func read(_ bytes: [UInt8]) async -> [String] {
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0)
      _ = bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
      close(ends[1])
      defer { close(ends[0]) }
      let reader = PipeLineReader(.standard(environment: [:]), descriptor: ends[0], name: "stdin")
      var lines: [String] = []
      while true {
        do throws(ParseError) {
          switch try await reader.read(prompt: "") {
          case .line(let line): lines.append(line)
          case .end, .interrupted: return lines
          }
        } catch {
          return lines + [error.statement]
        }
      }
    }
    #expect(await read(Array("a\nb".utf8)) == ["a", "b"])
    #expect(await read([0xEF, 0xBB, 0xBF] + Array("a\r\nb\r\n".utf8)) == ["a", "b"])
    #expect(await read(Array("a\nb\rc\n".utf8)) == ["a", "a line ends with CR alone; save it with LF or CRLF (stdin:2:1)"])
    #expect(await read([0xFF, 0xFE, 0x61, 0x00]) == ["this is UTF-16; save it as UTF-8 (stdin:1:1)"])
    #expect(await read([]) == [])
  }

  @Test func `a pipe that cannot be read further says so and runs no half line`() async throws {
    let directory = open("/", O_RDONLY | O_CLOEXEC)
    defer { close(directory) }
    let reader = PipeLineReader(.standard(environment: [:]), descriptor: directory, name: "stdin")
    await #expect(throws: ParseError(.file, "cannot read stdin: Is a directory", at: SourcePosition(file: "stdin"))) {
      try await reader.read(prompt: "")
    }
  }

  @Test func `no line with a secret, or of which that cannot be said, is written into the history file (P4)`() async throws {
    let secret = [
      "open Login {\"password\":\"x\"} as @l", "enter @l password x", "enter @l pasword x", "send @l {\"password\":\"x\"}",
      "repeat \"enter @l password x\" --rate 1 --for 1ms", "stack set main [s1, Login {\"password\":\"x\"}]", "enter @nobody password x",
      "open Detail id=1; open Login password=x",
      // Typed a screen too early: Home has no such field, and no secret one either.
      "enter s1 password x",
    ]
    let doubtful = [
      "enter @l password x oops", "open Logn password=x", "execute @l go {\"password\":\"x\"}", "go next password=x",
      "deeplink app://shop/login?password=x --dry-run", "open Login; send top {\"password\":\"x\"}",
    ]
    let plain = [
      "open Login", "enter @l r1 x", "open Detail id=1", "back", "execute @l go", "tap @l r1", "stack main", "expect modal none",
    ]
    let target = SceneDouble(hasSecrets: true)
    let session = Session(target: target)
    try await session.start()
    for statement in try Statement.parse("open Home via root; open Login as @l") { _ = await session.execute(statement) { _ in } }
    for line in secret { #expect(await session.memory(for: try Statement.parse(line)) == .none, "\(line)") }
    for line in plain { #expect(await session.memory(for: try Statement.parse(line)) == .file, "\(line)") }
    let reader = ScriptedReader(doubtful)
    let captured = CapturedConsole()
    _ = try await Shell(session: session, console: captured.console).run(reader)
    _ = captured.text()
    #expect(reader.remembered == doubtful && reader.kept.isEmpty, "\(reader.kept)")
    await target.setReachable(false)
    for line in ["open Detail id=1", "send s1 {\"a\":1}"] {
      #expect(await session.memory(for: try Statement.parse(line)) == .session, "\(line): nobody can be asked")
    }
    await session.close()
  }

  @Test func `history keeps what may be kept, for its owner alone`() throws {
    let path = "/tmp/minerva-history-\(UInt64.random(in: .min ... .max))"
    defer { unlink(path) }
    let history = HistoryFile(path: path)
    for line in ["open A {\n\"a\":\"\\\\n\"}", " secret", "", "   ", "back"] { history.append(line) }
    #expect(history.load() == ["open A {\n\"a\":\"\\\\n\"}", "back"])
    var facts = stat()
    #expect(stat(path, &facts) == 0)
    #expect(facts.st_mode & 0o777 == 0o600)
  }

  @Test func `completion offers what fits, from data and from what was seen`() async throws {
    let target = SceneDouble()
    let session = Session(target: target)
    try await session.start()
    for line in ["open Tabs via root", "open Item as @i"] {
      for statement in try Statement.parse(line) { _ = await session.execute(statement) { _ in } }
    }
    let completer = await session.completer()
    func offers(_ text: String) -> [String] { completer.complete(text).candidates }
    #expect(offers("op") == ["option", "open"].sorted { $0 > $1 } || Set(offers("op")) == ["open", "option"])
    #expect(offers("open De") == ["Detail"])
    #expect(offers("open Detail i") == ["id=", "in"])
    #expect(offers("open Detail via mod") == ["modal", "modal:sheet", "modal:full", "modal:popover", "modal:alert"])
    #expect(offers("open Detail via tab") == ["tab:home", "tab:orders"])
    #expect(offers("open Detail --pol") == ["--policy"])
    #expect(offers("open Detail --policy j") == ["join"])
    #expect(offers("tap @") == ["@i", "@feed", "@item", "@tabs"])
    #expect(offers("tap @item r") == ["r1"])
    #expect(offers("tab o") == ["orders"])
    #expect(offers("back t") == ["to"])
    #expect(offers("stack main/") == ["main/home", "main/orders"])
    #expect(offers("fault kill s") == ["shop-1"])
    #expect(offers("fault ") == ["kill", "stall", "drop"])
    #expect(offers("expect mo") == ["modal"])
    #expect(offers("gesture back ") == ["begin", "commit", "cancel"])
    #expect(offers("tree; clo") == ["close"])
    #expect(offers("help er") == ["errors"])
    #expect(offers("nonsense x") == [])
    #expect(offers("open Detail {\"") == ["\"id\":", "\"name\":"])
    #expect(offers("open Detail {\"id\": 3, \"n") == ["\"name\":"])
    #expect(offers("open Detail {\"id\": ") == [], "an integer has no list of values")
    #expect(offers("open Nothing {\"") == [] && offers("open Detail {\"id\":{\"") == [])
    #expect(offers("open Detail {\"id\":3} as @d; open De") == ["Detail"])
    #expect(completer.complete("op").shared == "op")
    // By a name of one's own, of whom is sent something, and where nothing more fits.
    #expect(offers("tap @i ") == ["r1"])
    #expect(offers("open Detail {\"id\":3} ").contains("via") && !offers("open Detail {\"id\":3} ").contains("id="))
    #expect(offers("stack set main [Ho") == ["Home"] && offers("expect stack main == [Home, De") == ["Detail"])
    #expect(Set(offers("stack set main [s")) == Set(offers("show s")))
    #expect(offers("scene ").contains("second") && offers("scene end s") == ["second"])
    #expect(offers("expect error nav.root") == ["nav.root_protected"])
    await session.close()
    let sender = Session(target: SceneDouble())
    try await sender.start()
    for statement in try Statement.parse("open Home via root; open Detail id=1 as @d") { _ = await sender.execute(statement) { _ in } }
    #expect(await sender.completer().complete("send @d {\"").candidates == ["\"id\":", "\"name\":"])
    #expect(await sender.completer().complete("send @detail n").candidates == ["name="])
    await sender.close()
  }

  @Test func `links are offered up to what must be filled in`() throws {
    let route = Route(
      from: "Home", try #require(RoutePattern("orders/:id")), module: "Order")
    let listing = RouteListing(app: "shop", scope: DeepLinkScope(root: "Home", schemes: ["app"], hosts: ["shop"]), routes: [route])
    let completer = Completer(routes: listing)
    #expect(completer.complete("deeplink app://shop/").candidates == ["app://shop/", "app://shop/orders/"])
    #expect(completer.complete("deeplink app://shop/or").candidates == ["app://shop/orders/"])
  }
}
