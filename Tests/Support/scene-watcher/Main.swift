import CommandKit
import Glibc
import Minerva
import MinervaInterfaces
import MinervaTransport
import MinervaWire

/// A watcher of one scene in a process of its own, for tests that stop it: one line an update on standard output.
///
/// `snapshot EPOCH NUMBER DEPTH` or `event EPOCH NUMBER`; a test reads the numbers from its log.
@main
enum SceneWatcherMain {
  static let definition = CommandDefinition(
    "scene-watcher", "Watches a scene and writes down the numbers of what it sees",
    options: [
      .value("runtime", .directory, "the directory of the broker", placeholder: "DIR"),
      .value("name", .text, "the name of this process", placeholder: "NAME", fallback: "watcher"),
      .value("scene", .text, "which scene", fallback: "main"),
      .value("connect", .endpoint, "the broker's endpoint; without it the one in the directory"),
      .value("key", .file, "the file of the secret key, for tcp", placeholder: "FILE"),
      .value("server-key", .text, "the broker's public key, for tcp", placeholder: "KEY"),
    ])

  static func main() async {
    await Program.main(definition, version: "0") { command, console in
      let endpoint = try Endpoint(command.text("connect") ?? "ipc://\(command.text("runtime") ?? ".")/broker.sock")
      var security = BusSecurity(server: command.text("server-key"))
      if let file = command.text("key") { security.keys = try CurveKeyPair(file: file) }
      let client = try await Client.connect(
        to: endpoint, name: command.text("name") ?? "watcher", security: security, patience: .seconds(10))
      for await update in try await client.watch(SceneAddress(name: command.text("scene") ?? "main")) {
        switch update {
        case .snapshot(let snapshot):
          let depth = snapshot.tree.layers.reduce(0) { $0 + $1.stack.count }
          try console.out.line("snapshot \(snapshot.epoch) \(snapshot.event) \(depth)")
        case .event(let event): try console.out.line("event \(event.epoch) \(event.number)")
        }
        try console.out.flush()
      }
      await client.close()
      return .done
    }
  }
}
