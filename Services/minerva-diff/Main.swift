import CommandKit
import DiffService
import MinervaActors
import MinervaSupervision
import MinervaTransport
import ServiceKit

@main
enum DiffMain {
  static let definition = CommandDefinition(
    "minerva-diff",
    "Computes the changes between lists for whoever holds a lease",
    discussion: """
      Joins the broker of the runtime directory, or the one that --connect names, and tells it how many jobs it wants. Callers send their \
      lists straight here: to a socket in the runtime directory, or over tcp to --listen, where the broker says whose keys are let in.
      """,
    options: ServiceOptions.place(name: "diff-1") + ServiceOptions.connection + ServiceOptions.listening + [
      .value("credit", .integer(1...1_024), "how many jobs it takes at the same time", fallback: "4"),
      .value("memory", .integer(1...65_536), "how many MiB all jobs and held lists may take", placeholder: "MIB", fallback: "512"),
      .value("lie", .integer(1...1_000_000_000), "answer one job in so many wrongly, to try those who check answers", placeholder: "N"),
    ])

  static func main() async {
    await Program.main(definition, version: ProductVersion.text) { command, console in
      ProcessMemory.keepForMessages()
      let process = try ServiceProcess(command, name: "diff-1", console: console)
      defer { process.end() }
      let connection = try ConnectionSettings(command, runtime: process.runtime)
      let listening = try process.listening(command, connection)
      let memory = (command.integer("memory") ?? 512) << 20
      let settings = DiffSettings(
        node: process.name, broker: connection.endpoint, listen: listening.endpoint, advertised: listening.advertised,
        credit: command.integer("credit") ?? 4,
        limits: DiffLimits(jobBytes: min(256 << 20, memory), bytes: memory), lie: command.integer("lie"), version: ProductVersion.text,
        security: connection.security,
        log: process.log)
      let worker = try await process.start { try await DiffProcess.start(settings) }
      process.log("takes \(settings.credit) jobs at a time from \(settings.broker)")
      let reason = await process.untilAskedToEnd()
      let report = await worker.close()
      process.log("ends (\(reason)); \(report.undelivered) messages undelivered, \(report.unanswered) calls unanswered")
      return .done
    }
  }
}
