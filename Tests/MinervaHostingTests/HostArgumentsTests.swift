@testable import MinervaHosting
import MinervaWire
import Testing

@Suite("The command line of a host")
struct HostArgumentsTests {
  private func read(_ words: [String], _ environment: [String: String] = [:]) throws -> HostArguments {
    try HostArguments(words, app: "shop", environment: { environment[$0] })
  }

  @Test("Options go before the environment, the environment before defaults")
  func order() throws {
    #expect(try read([]).name == "shop-1" && read([]).connect == nil)
    let environment = ["MINERVA_CONNECT": "ipc:///a", "MINERVA_KEY": "k"]
    #expect(try read([], environment).connect == "ipc:///a" && read([], environment).key == "k")
    let given = try read(["--connect", "ipc:///b", "--name=x", "--runtime", "/r", "--server-key", "s", "--insecure"], environment)
    #expect(given.connect == "ipc:///b" && given.name == "x" && given.runtime == "/r" && given.serverKey == "s" && given.isInsecure)
  }

  @Test("What is not understood is said by name", arguments: [["--nmae", "x"], ["--name"], ["extra"], ["--name", "a/b"], ["--name="]])
  func refused(words: [String]) {
    #expect { _ = try read(words) } throws: { ($0 as? MinervaError)?.code == "usage" }
  }
}
