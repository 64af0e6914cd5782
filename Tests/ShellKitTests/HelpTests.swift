import CommandKit
import MinervaWire
import ShellKit
import TestSupport
import Testing

@Suite("Help is as stored")
struct HelpTests {
  @Test func `plain help has the everyday verbs on at most fifteen lines`() throws {
    let lines = try ShellHelp.lines([])
    #expect(lines.count <= 15)
    for verb in ["open", "back", "close", "dismiss", "tab", "tap", "enter", "screen", "stack", "tree", "list", "watch", "expect"] {
      #expect(lines.contains { $0.hasPrefix(verb + " ") }, "\(verb)")
    }
    #expect(snapshotMismatch(lines.joined(separator: "\n") + "\n", "help.txt") == nil)
  }

  @Test func `help all names every verb once`() throws {
    let lines = try ShellHelp.lines(["all"])
    for verb in Verb.all { #expect(lines.count { $0.hasPrefix("  \(verb.name) ") } == 1, "\(verb.name)") }
    #expect(snapshotMismatch(lines.joined(separator: "\n") + "\n", "help-all.txt") == nil)
  }

  @Test func `every verb has its page`() throws {
    let pages = try Verb.all.map { "== \($0.name)\n" + (try ShellHelp.lines([$0.name])).joined(separator: "\n") + "\n" }
    #expect(snapshotMismatch(pages.joined(separator: "\n"), "help-verbs.txt") == nil)
  }

  @Test func `error codes have cause and remedy`() throws {
    let lines = try ShellHelp.lines(["errors"])
    for entry in ErrorCatalogue.entries { #expect(lines.contains("\(entry.code): \(entry.cause)"), "\(entry.code)") }
    for code in ParseError.Code.allCases { #expect(ShellHelp.ownErrors.contains { $0.code == code.rawValue }, "\(code)") }
    let own = try ShellHelp.lines(["errors", "parse."]) + ShellHelp.lines(["errors", "script."]) + ShellHelp.lines(["errors", "expect."])
    #expect(snapshotMismatch(own.joined(separator: "\n") + "\n", "help-errors.txt") == nil)
    #expect(try ShellHelp.lines(["errors", "nav."]).allSatisfy { $0.hasPrefix("nav.") || $0.hasPrefix("  ") })
    for topic in [["opne"], ["errors", "zzz"]] {
      #expect(throws: MinervaError.self, "\(topic)") { try ShellHelp.lines(topic) }
    }
  }
}
