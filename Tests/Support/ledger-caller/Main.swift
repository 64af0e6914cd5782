import CommandKit
import Glibc
import LedgerLoad
import Minerva
import MinervaInterfaces
import MinervaSupervision
import MinervaTransport
import MinervaWire

/// A caller in a process of its own, for tests that kill it: it works in a scene of ledgers until SIGTERM, then waits for its answers.
@main
enum LedgerCallerMain {
  static let definition = CommandDefinition(
    "ledger-caller", "Asks things of a scene of ledgers and writes down each request and each answer",
    options: [
      .value("runtime", .directory, "the directory of the broker", placeholder: "DIR"),
      .value("name", .text, "the name of this process", placeholder: "NAME", fallback: "caller"),
      .value("scene", .text, "which scene", fallback: "main"),
      .value("lanes", .text, "how many requests are under way", fallback: "2"),
      .value("seed", .text, "what chance begins with", fallback: "1"),
      .value("file", .file, "where it writes down what it asks and hears", placeholder: "FILE"),
    ])

  static func main() async {
    await Program.main(definition, version: "0") { command, console in
      let name = command.text("name") ?? "caller"
      let path = command.text("file") ?? "ledger.log"
      let earlier = try LedgerFile.read(path)
      guard let file = LedgerFile(path) else { throw MinervaError(.runtimeFile, "cannot write \(path)") }
      let endpoint = try Endpoint("ipc://\(command.text("runtime") ?? ".")/broker.sock")
      let client = try await Client.connect(to: endpoint, name: name, patience: .seconds(10))
      let caller = LedgerCaller(
        client, scene: SceneAddress(name: command.text("scene") ?? "main", app: "ledgers"), file: file, name: name,
        seed: UInt64(command.text("seed") ?? "") ?? 1)
      let signals = try TerminationSignals([.terminate])
      signals.onSignal { signal in
        try? console.notices.line("ends (\(signal))")
        try? console.notices.flush()
        caller.end()
      }
      try await caller.run(after: earlier, lanes: Int(command.text("lanes") ?? "") ?? 2)
      try console.notices.line("has its answers")
      try console.notices.flush()
      await client.close()
      return .done
    }
  }
}
