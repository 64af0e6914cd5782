import ShellKit
import Testing

@Suite("Scripts")
struct ScriptTests {
  private func decoded(_ bytes: [UInt8]) -> String {
    do throws(ParseError) {
      return try ScriptText.decode(bytes, file: "a.flow")
    } catch {
      return error.statement
    }
  }

  private func lines(_ text: String) throws -> [String] {
    try FlowScript.parse(text, file: "a.flow").steps.map { "\($0.line) \($0.source)" }
  }

  private func faults(_ text: String) -> [String] {
    do throws(FlowScript.Faults) {
      _ = try FlowScript.parse(text, file: "a.flow")
      return []
    } catch {
      return error.errors.map { "\($0.position) \($0.message)" }
    }
  }

  @Test func `LF, CRLF, a mark and a missing end are the same (D04)`() throws {
    let lf = "open A\n\nback\ntree"
    let variants: [[UInt8]] = [
      Array(lf.utf8), Array((lf + "\n").utf8), Array("open A\r\n\r\nback\r\ntree\r\n".utf8), [0xEF, 0xBB, 0xBF] + Array(lf.utf8),
      Array((lf + "\n\n\n").utf8), Array("open A\r\n\r\nback\ntree".utf8),
    ]
    for variant in variants { #expect(try lines(decoded(variant)) == ["1 open A", "3 back", "4 tree"]) }
  }

  @Test func `anything else is one clear error (D04)`() {
    #expect(decoded([0xFF, 0xFE, 0x6F, 0x00]) == "this is UTF-16; save it as UTF-8 (a.flow:1:1)")
    #expect(decoded(Array("a\nb\rc\n".utf8)) == "a line ends with CR alone; save it with LF or CRLF (a.flow:2:1)")
    #expect(decoded(Array("a\r".utf8)) == "a line ends with CR alone; save it with LF or CRLF (a.flow:1:1)")
    #expect(decoded([0x61, 0x0A, 0x00]) == "a NUL byte; this is no UTF-8 text (a.flow:2:1)")
    #expect(decoded([0x61, 0x0A, 0xC3, 0x28]) == "not UTF-8 (a.flow:2:1)")
    #expect(decoded([0x6F, 0x00, 0x70, 0x00]) == "a NUL byte; this is no UTF-8 text (a.flow:1:1)")
  }

  @Test func `the header names the set`() throws {
    let script = try FlowScript.parse(
      """
      # a comment first
      flow "Sign in"
      app workouts
      host ./myhost
      clock virtual
      seed 18446744073709551615

      open A; back
      """, file: "dir/a.flow")
    #expect(script.title == "Sign in")
    #expect(script.header.apps == ["workouts"])
    #expect(script.header.hosts == ["./myhost"])
    #expect(script.header.clock == .virtual)
    #expect(script.header.seed == .max)
    #expect(script.steps.map(\.line) == [8])
    #expect(script.steps[0].statements.map(\.source) == ["open A", "back"])
    #expect(try FlowScript.parse("tree", file: "dir/a.flow").title == "a.flow")
  }

  @Test func `all faults of a file are told, with line and column`() {
    #expect(
      faults("app x\nopne A\nback 0\nflow \"late\"\nclock sideways\nopen A \"x\ntree")
        == [
          "a.flow:2:1 no verb \"opne\"; did you mean open?", "a.flow:3:6 back takes a number from 1",
          "a.flow:4:1 flow belongs to the header, before the first command",
          "a.flow:5:1 clock belongs to the header, before the first command", "a.flow:6:8 the quote \" is never closed",
        ])
    #expect(faults("clock virtaul") == ["a.flow:1:7 no clock \"virtaul\"; did you mean virtual?"])
    #expect(faults("seed -1") == ["a.flow:1:6 seed takes a number from 0 to 18446744073709551615"])
    #expect(faults("flow a b") == ["a.flow:1:1 flow takes one word: flow \"title\""])
    #expect(faults("flow a\nflow b") == ["a.flow:2:1 flow is given twice"])
  }

  @Test func `an open bracket goes on in the next line, an open quote does not (D05)`() throws {
    #expect(try lines("open A {\n  \"a\": 1\n}\nback") == ["1 open A {\n  \"a\": 1\n}", "4 back"])
    #expect(
      faults("open A {\"a\":\nback\ntre") == ["a.flow:1:8 the bracket { is never closed", "a.flow:3:1 no verb \"tre\"; did you mean tree?"])
    #expect(faults("note \"a\nb\"").first == "a.flow:1:6 the quote \" is never closed")
  }
}
