import CommandKit
@testable import MinervaHosting
import MinervaWire
import ServiceKit
import Testing

@Suite("The command line of a host")
struct HostCommandTests {
  private func read(_ words: [String], _ environment: [String: String] = [:]) throws -> ParsedCommand {
    try CommandParser(HostCommand.definition(of: "shop"), environment: environment).parse(words)
  }

  @Test("Options go before the environment, the environment before defaults")
  func order() throws {
    #expect(try read([]).text("name") == "shop-1" && read([]).text("connect") == nil)
    let environment = ["MINERVA_CONNECT": "ipc:///a", "MINERVA_KEY": "k"]
    #expect(try read([], environment).text("connect") == "ipc:///a" && read([], environment).text("key") == "k")
    let given = try read(["--connect", "ipc:///b", "--name=x", "--runtime", "/r", "--server-key", "s", "--insecure"], environment)
    #expect(given.text("connect") == "ipc:///b" && given.text("name") == "x" && given.text("runtime") == "/r")
    #expect(given.text("server-key") == "s" && given.flag("insecure"))
  }

  @Test("What is not understood is said by name, and ends with 2", arguments: [["--nmae", "x"], ["--name"], ["extra"]])
  func refused(words: [String]) {
    #expect { _ = try read(words) } throws: { ErrorWords.exitCode(for: $0) == .usage && "\($0)".contains(words[0]) }
  }

  @Test("A name that no process may have is refused before anything is opened", arguments: ["a/b", "", "a b"])
  func badName(name: String) {
    #expect {
      let command = try read(["--name", name, "--runtime", "/nowhere/at/all"])
      _ = try ServiceProcess(command, name: "shop-1", console: .standard(environment: [:]))
    } throws: {
      ErrorWords.exitCode(for: $0) == .usage
    }
  }
}
