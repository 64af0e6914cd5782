import CommandKit
import MinervaWire
import Testing

@Suite("Command lines")
struct CommandParserTests {
  @Test func `what is wrong is said in one line, with the nearest right word`() {
    #expect(Sample.complaint() == "which command? sample --help lists them")
    #expect(Sample.complaint("rnu") == "no command \"rnu\"; did you mean run?")
    #expect(Sample.complaint("run", "a", "--keep-gonig") == "no option --keep-gonig; did you mean --keep-going?")
    #expect(Sample.complaint("run") == "FILE is missing: sample run [options] FILE…")
    #expect(Sample.complaint("run", "a", "--jobs", "x") == "--jobs: expected a whole number, found \"x\"")
    #expect(Sample.complaint("run", "a", "-j", "0") == "--jobs: must be between 1 and 64, found 0")
    #expect(Sample.complaint("run", "a", "--for", "3 s") == "--for: expected a duration such as 250ms, 3s or 1m30s, found \"3 s\"")
    #expect(Sample.complaint("run", "a", "--for") == "--for needs a value: --for DURATION")
    #expect(Sample.complaint("run", "a", "--json=yes") == "--json takes no value")
    #expect(Sample.complaint("run", "a", "-j", "1", "-j", "2") == "--jobs is given twice")
    #expect(Sample.complaint("run", "a", "--clock", "virtaul")?.hasSuffix("did you mean virtual?") == true)
    #expect(Sample.complaint("keys", "new", "a", "b") == "unexpected \"b\": sample keys new NAME")
    #expect(Sample.complaint("run", "") == "FILE: must not be empty")
  }

  @Test func `options stand anywhere and have two spellings`() throws {
    let one = try Sample.parse("--json", "run", "a.flow", "--jobs=3", "b.flow", "--host", "x", "--host=y")
    let two = try Sample.parse("run", "-j3", "a.flow", "b.flow", "--host", "x", "--json", "--host", "y")
    #expect(one == two)
    #expect(one.path == ["sample", "run"])
    #expect(one.integer("jobs") == 3)
    #expect(one.texts("host") == ["x", "y"])
    #expect(one.arguments("FILE") == ["a.flow", "b.flow"])
    #expect(one.flag("json") && !one.flag("keep-going"))
  }

  @Test func `a double dash ends options, a negative number is none`() throws {
    #expect(try Sample.parse("run", "--", "--json").arguments("FILE") == ["--json"])
    #expect(try Sample.parse("keys", "new", "-3").argument("NAME") == "-3")
  }

  @Test func `a word of a key's length is the key, also with a dash in front, unless it is an option`() throws {
    let allow = CommandDefinition(
      "allow", "Lets a key in", options: [.value("name", .text, "its name"), .value("role", .text, "its role")],
      arguments: [ArgumentDefinition("KEY", "its text", dashedLength: 9)])
    for key in ["-C{a$!b#<", "--h=5=>=]", "-----ab-="] {
      let parsed = try CommandParser(allow).parse([key, "--role", "admin"])
      #expect(parsed.argument("KEY") == key && parsed.text("role") == "admin")
      #expect(try CommandParser(allow).parse(["--role", "admin", key]).argument("KEY") == key)
    }
    #expect(try CommandParser(allow).parse(["--name=ab", "key"]).text("name") == "ab")
    #expect(throws: UsageError.self) { try CommandParser(allow).parse(["-C{a$!b#"]) }
  }

  @Test func `option before environment before default`() throws {
    let environment = ["SAMPLE_RUNTIME": "/env"]
    #expect(try Sample.parse("run", "a", "--runtime", "/o", environment: environment).text("runtime") == "/o")
    #expect(try Sample.parse("run", "a", environment: environment).text("runtime") == "/env")
    #expect(try Sample.parse("run", "a", environment: ["SAMPLE_RUNTIME": ""]).text("runtime") == nil)
    #expect(try Sample.parse("run", "a").integer("jobs") == 1)
  }

  @Test func `words of a verbatim command arrive as typed (D05)`() throws {
    let payload = #"{"a":"b c","q":"\"x\"","n":"\\n","e":""}"#
    let command = try Sample.parse("open", "m", payload, "--instant", "--json", "--runtime", "/r", "--", "--x")
    #expect(command.rest == ["m", payload, "--instant", "--", "--x"])
    #expect(command.flag("json"))
    #expect(command.text("runtime") == "/r")
  }

  @Test func `help and version are asked anywhere before the words of a verb`() throws {
    #expect(try Sample.parse("--version").request == .version)
    #expect(try Sample.parse("run", "--help").request == .help)
    #expect(try Sample.parse("help", "keys").path == ["sample", "keys"])
    #expect(try Sample.parse("open", "--help").request == .help)
    #expect(try Sample.parse("open", "m", "--help").rest == ["m", "--help"])
  }

  @Test(arguments: [
    ("250ms", 250_000_000), ("3s", 3_000_000_000), ("1m30s", 90_000_000_000), ("1.5s", 1_500_000_000), ("2h", 7_200_000_000_000),
    ("0s", 0),
  ])
  func `durations are read`(text: String, nanoseconds: Int64) {
    #expect(DurationText.parse(text) == .nanoseconds(nanoseconds))
  }

  @Test(arguments: [
    "", "3", "s", "-1s", "3 s", "1.s", ".5s", "9999999999999h", "1.5ns", "3S", "3s4", "1e3s", "9223372036.9s", "106751d24h",
  ])
  func `what is no duration is refused`(text: String) {
    #expect(DurationText.parse(text) == nil)
  }

  @Test func `durations are written in two units`() {
    #expect(DurationText.describe(.milliseconds(90_500)) == "1m30s")
    #expect(DurationText.describe(.milliseconds(250)) == "250ms")
    #expect(DurationText.describe(.zero) == "0s")
    #expect(DurationText.describe(.seconds(86_400 + 3_600)) == "1d1h")
    #expect(DurationText.describe(.milliseconds(2_500)) == "2.5s")
  }

  @Test func `suggestions are near or absent`() {
    #expect(Suggestion.nearest(to: "Settngs", among: ["Login", "Settings"]) == "Settings")
    #expect(Suggestion.nearest(to: "sett", among: ["Login", "Settings"]) == "Settings")
    #expect(Suggestion.nearest(to: "xyz", among: ["Login", "Settings"]) == nil)
    #expect(Suggestion.nearest(to: "tpa", among: ["top", "tap"]) == "tap")
    #expect(Suggestion.nearest(to: "", among: ["a"]) == nil)
  }
}
