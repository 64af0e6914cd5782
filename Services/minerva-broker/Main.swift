import CommandKit
import Glibc
import MinervaActors
import MinervaBroker
import MinervaInterfaces
import MinervaJournal
import MinervaSupervision
import MinervaTransport
import MinervaWire
import ServiceKit

@main
enum BrokerMain {
  static let definition = CommandDefinition(
    "minerva-broker",
    "Owns scenes: admits requests, runs the navigation core, journals, answers, publishes events",
    discussion:
      "Listens on broker.sock in the runtime directory and publishes on events.sock there. tcp needs keys: the broker's own in keys/broker.key, the clients it lets in in keys/authorized; minerva keys makes both. SIGHUP reads the list again.",
    options: ServiceOptions.place(name: "broker") + [
      .value(
        "data", .directory, "the directory of the journal; without it the runtime directory", placeholder: "DIR",
        environment: "MINERVA_DATA"),
      .value(
        "listen", .endpoint, "one more endpoint, tcp://HOST:PORT; its events are published on the next port", repeats: true),
      .value(
        "keys", .directory, "the directory of broker.key and authorized; without it keys in the runtime directory", placeholder: "DIR"),
      .flag("insecure", "tcp without keys, on loopback alone"),
      .value("clock", .choice(["real", "virtual"]), "a virtual one stands still until a client lets it go on", fallback: "real"),
    ])

  static func main() async {
    await Program.main(definition, version: ProductVersion.text) { command, console in
      let process = try ServiceProcess(command, name: "broker", console: console)
      defer { process.end() }
      let listening = try BrokerListening(command, process: process)
      let path = (command.text("data") ?? process.runtime.path) + "/journal.sqlite"
      let journal = try await SQLiteJournal.open(path)
      let interfaces = try await FixedInterfaces.learn()
      var settings = BrokerSettings(
        endpoints: listening.endpoints, events: listening.events, version: ProductVersion.text,
        bus: process.bus(kind: "broker", interfaces: interfaces, security: listening.security), log: { process.log($0) })
      settings.hasVirtualClock = command.text("clock") == "virtual"
      let broker: Broker
      do {
        broker = try await Broker.start(
          settings, journal: journal, ownership: LocalOwnership { journal.epoch }, epoch: journal.epoch, interfaces: interfaces)
      } catch {
        await journal.close()
        throw error
      }
      if listening.security.allowsInsecureLoopback {
        process.log("warning: --insecure: whoever reaches the loopback port commands this broker")
      }
      process.log("serves \(listening.endpoints.map(\.description).joined(separator: " ")), epoch \(journal.epoch)")
      // One after the other: the last list that was read is the one that holds.
      let (lists, read) = AsyncStream.makeStream(of: AuthorizedKeys.self)
      let authorizing = Task { for await keys in lists { await broker.authorize(keys) } }
      defer { authorizing.cancel() }
      process.onHangUp {
        do throws(MinervaError) {
          let keys = try BrokerListening.authorized(in: listening.keys)
          read.yield(keys)
          process.log("read \(listening.keys)/authorized again: \(keys.entries.count) keys")
        } catch {
          process.log("kept the list of keys: \(error.message)")
        }
      }
      let reason = await process.untilAskedToEnd()
      let report = await broker.close()
      process.log("ends (\(reason)); \(report.undelivered) messages undelivered, \(report.unanswered) calls unanswered")
      return .done
    }
  }
}
