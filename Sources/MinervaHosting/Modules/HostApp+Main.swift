import CommandKit
import Minerva
import MinervaTransport
import MinervaWire
import ServiceKit

extension HostApp {
  /// Runs the host as a process: joins the broker, serves until SIGTERM or SIGINT, and exits.
  ///
  /// Options, log and exit codes are those of every service process; `--help` shows them. Where no broker answers within half a
  /// minute, it ends with 3.
  public static func main() async {
    await Program.main(HostCommand.definition(of: app), version: ProductVersion.text) { command, console in
      let process = try ServiceProcess(command, name: HostCommand.name(of: app), console: console)
      defer { process.end() }
      let connection = try ConnectionSettings(command, runtime: process.runtime)
      let listening = try process.listening(command, connection)
      let settings = HostSettings(
        app: app, node: process.name, broker: connection.endpoint, listen: listening.endpoint, advertised: listening.advertised,
        start: start, links: links, version: ProductVersion.text, security: connection.security, log: process.log)
      return try await HostProcess.serve(settings, in: process) { _ in try offers() }
    }
  }

  /// The modules; what the author's code throws is said to be the app's.
  private static func offers() throws -> [ModuleOffer] {
    do {
      return try modules
    } catch let error as MinervaError {
      throw error
    } catch {
      throw MinervaError(.appFailed, "\(error)")
    }
  }
}

/// What the command line of an author's host says.
enum HostCommand {
  static func name(of app: String) -> String { "\(app)-1" }

  static func definition(of app: String) -> CommandDefinition {
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "host"
    return CommandDefinition(
      program, "Runs the coordinators of \(app)",
      discussion: "Joins the broker of the runtime directory, or the one that --connect names, and offers the app's modules.",
      options: ServiceOptions.place(name: name(of: app)) + ServiceOptions.connection + ServiceOptions.listening)
  }
}
