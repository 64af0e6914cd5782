import MinervaWire
import ShellKit
import Testing

@Suite("Lines and their words")
struct LexerTests {
  private func texts(_ line: String) throws -> [[String]] {
    try Lexer.items(of: line).map { $0.tokens.map(\.text) }
  }

  private func fault(_ line: String) -> ParseError? {
    do throws(ParseError) {
      _ = try Lexer.items(of: line)
      return nil
    } catch {
      return error
    }
  }

  @Test func `separators and comments count only outside of quotes and brackets`() throws {
    #expect(try texts("back; back 2 ;; tree # and a note") == [["back"], ["back", "2"], ["tree"]])
    #expect(try texts("note \"a; b & c # d\"") == [["note", "a; b & c # d"]])
    #expect(try texts("send @s {\"a\":\"; & # }\"} ; tree") == [["send", "@s", "{\"a\":\"; & # }\"}"], ["tree"]])
    #expect(try texts("goto #12") == [["goto", "#12"]])
    #expect(try texts("# only a comment") == [])
    #expect(try texts("#") == [])
    #expect(try texts("deeplink app://x?a=1&b=2#c") == [["deeplink", "app://x?a=1&b=2#c"]])
    #expect(try texts("stack modal[1]/detail") == [["stack", "modal[1]/detail"]])
  }

  @Test func `an ampersand alone sends to the background`() throws {
    let items = try Lexer.items(of: "open A &; open B & ; tree")
    #expect(items.map(\.isBackground) == [true, true, false])
    #expect(fault("&")?.code == .unexpected)
    #expect(fault("open A & tree")?.position.column == 10)
  }

  @Test func `a payload is carried byte for byte (D05)`() throws {
    let payload = #"{"a":"b c","q":"\"x\"","n":"\\n","e":"",  "z" : [1, {"}": "]"}]}"#
    #expect(try texts("open m \(payload)") == [["open", "m", payload]])
    #expect(try texts("open m '\(payload)'") == [["open", "m", payload]])
    let spanning = "{\"a\":\n  1}"
    #expect(try texts("send top \(spanning)") == [["send", "top", spanning]])
    #expect(Token.argument(payload, 2) == Token(.bracket, payload, at: SourcePosition(word: 3)))
  }

  @Test func `quotes resolve escapes, single quotes none`() throws {
    #expect(try texts(#"enter top a "x\n\t\"\\\u00e9\ud83d\ude00""#) == [["enter", "top", "a", "x\n\t\"\\é😀"]])
    #expect(try texts(#"enter top a 'x\n"'"#) == [["enter", "top", "a", #"x\n""#]])
    #expect(try texts(#"open Alert text="two words" n={"a": 1}"#) == [["open", "Alert", "text=two words", #"n={"a": 1}"#]])
    #expect(try texts("enter top name O'Brien") == [["enter", "top", "name", "O'Brien"]])
    #expect(try texts("enter top name \"\"") == [["enter", "top", "name", ""]])
  }

  @Test(arguments: [
    (#"open m {"a":1"#, ParseError.Code.unterminated, 8), (#"note "abc"#, .unterminated, 6), ("note 'abc", .unterminated, 6),
    (#"open m {"a":[1}"#, .payload, 15), (#"note "a"b"#, .unexpected, 9), (#"note "\q""#, .unexpected, 7),
    (#"note "\ud800x""#, .unexpected, 7),
    (#"note "\u12g4""#, .unexpected, 7), (#"send top {"a":"b}"#, .unterminated, 15), ("open m }", .unexpected, 0),
  ])
  func `faults have a column`(line: String, code: ParseError.Code, column: Int) {
    guard column > 0 else { return #expect(fault(line) == nil) }
    #expect(fault(line)?.code == code)
    #expect(fault(line)?.position.column == column)
  }

  @Test func `a prompt asks for more after an open bracket or quote only`() {
    #expect(Lexer.isIncomplete("open m {\"a\":"))
    #expect(Lexer.isIncomplete("note \"abc"))
    #expect(!Lexer.isIncomplete("open m {\"a\":1}"))
    #expect(!Lexer.isIncomplete("open m {\"a\":[1}"))
  }

  @Test func `a line over the limit is refused, not read`() {
    #expect(fault("note \"" + String(repeating: "x", count: Lexer.limit) + "\"")?.code == .payload)
  }

  @Test func `random bytes never trap`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    let alphabet = Array(" \t\"'{}[]\\;&#=,:@s1aé\u{1F600}\n-")
    for _ in 0..<3_000 {
      let line = String((0..<Int.random(in: 0..<24, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? " " })
      _ = fault(line)
      do throws(ParseError) {
        _ = try Statement.parse("expect " + line)
      } catch {
        #expect(!error.message.isEmpty && error.position.column >= 1, "seed \(seed)")
      }
    }
  }
}
