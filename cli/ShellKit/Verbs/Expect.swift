import CommandKit
import MinervaNavigation
import MinervaWire

extension Verb {
  static let expect = Verb(
    "expect", .expect, "Fails the script unless this holds", isEveryday: true,
    discussion: """
      Waits until it holds with the scene settled, at most 5 s, and decides once nothing moves any more; with --timeout it waits to the end. \
      Events, outputs and changes count since the last command; expect error is about the command before.
      """,
    forms: [
      Form(.word("stack"), .one("place", .place), .word("=="), .one("elements", .elements)),
      Form(.word("tab"), .one("name", .name("NAME"))),
      Form(.word("modal"), .one("name", .name("none|MODULE"))),
      Form(.word("output"), .one("screen", .reference), .many("payload", .payload, atLeast: 1)),
      Form(.word("result"), .one("screen", .reference), .many("payload", .payload, atLeast: 1)),
      Form(.word("error"), .one("code", .code)),
      Form(.word("removed"), .one("screen", .reference), .maybe("reason", .assignment(["reason"])), .maybe("once", .keyword(["once"]))),
      Form(.word("rows"), .one("screen", .reference), .one("count", .equation("count"))),
      Form(.word("rows"), .one("screen", .reference), .word("contains"), .one("text", .text)),
      Form(.word("row"), .one("screen", .reference), .one("row", .name("ROW")), .one("text", .text)),
      Form(.word("changes"), .one("screen", .reference), .many("counts", .assignment(Expectation.ChangeCount.kinds), atLeast: 1)),
      Form(.word("screen"), .one("screen", .reference), .word("~"), .one("text", .text)),
      Form(.word("enabled"), .one("screen", .reference), .one("command", .name("COMMAND"))),
      Form(.word("event"), .one("event", .event), .many("fields", .assignment([]), atLeast: 0)),
      Form(.word("no"), .word("leaks")),
      Form(.word("exhaustive")),
    ],
    options: [.value("timeout", .duration, "wait at most", fallback: "5s")],
    examples: [
      .init("expect stack main == [Home, Settings]", "exactly these, from the bottom"),
      .init("expect error nav.root_protected", "the command before was refused so"),
      .init("expect rows @users count==22", "as many rows"), .init("expect changes @users insert=1", "one row came, nothing else changed"),
      .init("expect removed @login reason=dismissed once", "its one ending"), .init("expect result @counter 42", "what it ended with"),
    ],
    errors: ["expect.failed"],
    request: { call throws(ParseError) in .expect(try call.expectation()) })
}

extension Invocation {
  fileprivate func expectation() throws(ParseError) -> Expectation {
    switch form {
    case 0:
      guard let token = token("elements"), let place = place("place") else { throw ParseError(.missing, "which stack?", at: position) }
      return .stack(place, try StackElement.parse(token))
    case 1: return .tab(text("name") ?? "")
    case 2: return .modal(text("name") ?? "")
    case 3: return .output(try required("screen"), try json("payload"))
    case 4: return .result(try required("screen"), try json("payload"))
    case 5: return .error(text("code") ?? "")
    case 6:
      let reason = assigned("reason", in: "reason")
      if let reason, RemovalReason(rawValue: reason) == nil {
        let known = RemovalReason.allCases.map(\.rawValue)
        let hint = Suggestion.nearest(to: reason, among: known).map { "; did you mean \($0)?" } ?? ""
        throw ParseError(.unexpected, "no reason \"\(Escaping.visible(reason))\"\(hint)", at: token("reason")?.position ?? position)
      }
      return .removed(try required("screen"), reason: reason, once: has("once"))
    case 7: return .rowCount(try required("screen"), text("count").flatMap { Int($0.dropFirst("count==".count)) } ?? 0)
    case 8: return .rowsContain(try required("screen"), text("text") ?? "")
    case 9: return .row(try required("screen"), text("row") ?? "", text("text") ?? "")
    case 10: return .changes(try required("screen"), try changeCounts())
    case 11: return .screenShows(try required("screen"), text("text") ?? "")
    case 12: return .enabled(try required("screen"), text("command") ?? "")
    case 13: return .event(EventPattern(text("event") ?? "", tokens: tokens("fields")))
    case 14: return .noLeaks
    default: return .exhaustive
    }
  }

  private func json(_ name: String) throws(ParseError) -> String {
    switch payload(name) {
    case .json(let text): return text
    case .pairs(let pairs): return PayloadText.object(of: pairs)
    default: throw ParseError(.missing, "expected JSON", at: position)
    }
  }

  private func changeCounts() throws(ParseError) -> [Expectation.ChangeCount] {
    var counts: [Expectation.ChangeCount] = []
    for token in tokens("counts") {
      guard let pair = token.pair, let count = Int(pair.value), count >= 0 else {
        throw ParseError(.unexpected, "expected a number, found \"\(Escaping.visible(token.text))\"", at: token.position)
      }
      guard !counts.contains(where: { $0.kind == pair.key }) else {
        throw ParseError(.unexpected, "\(pair.key) is given twice", at: token.position)
      }
      counts.append(Expectation.ChangeCount(kind: pair.key, count: count))
    }
    return counts
  }
}
