import CommandKit
import MinervaActors
import MinervaDemo
import MinervaHosting
import MinervaTransport
import MinervaWire
import ServiceKit

@main
enum HostMain {
  static let definition = CommandDefinition(
    "minerva-host",
    "Runs the coordinators of an app, or the store of the Workouts app",
    discussion: """
      Joins the broker of the runtime directory, or the one that --connect names, and offers the app's modules. --app store keeps the \
      Workouts app's data, in workouts.log of the data directory; hosts of that app look it up at the broker, unless --own-store gives \
      one of them a store of its own. Other hosts call it at a socket in the runtime directory, or over tcp at --listen, where the broker says \
      whose keys are let in.
      """,
    options: ServiceOptions.place(name: "host-1") + ServiceOptions.connection + ServiceOptions.listening + [
      .value("app", .choice(["shop", "workouts", "store"]), "what it runs", fallback: "shop"),
      .value("catalog", .file, "serves the app of this file instead", placeholder: "FILE"),
      .value("offer", .text, "offers these modules alone, separated by commas", placeholder: "NAMES"),
      .value("except", .text, "offers all modules but these, separated by commas", placeholder: "NAMES"),
      .value(
        "data", .directory, "the directory of the store's file; without it the runtime directory", placeholder: "DIR",
        environment: "MINERVA_DATA"),
      .value("start-date", .text, "the date from which a new store counts back", placeholder: "DATE", fallback: "2026-03-02T08:00"),
      .flag("own-store", "gives this host a store of its own and offers it to the others"),
      .value("hold-diffs", .duration, "asks workers to take at least this long for lists of 100,000 rows and more"),
    ],
    examples: [
      .init("minerva-host --app workouts --name workouts-1 --own-store", "one host for the whole app"),
      .init("minerva-host --app store --name store-1", "the store in a process of its own"),
      .init("minerva-host --app workouts --name workouts-2 --offer UserList,CreateUser", "a host for a part of the app"),
      .init(
        "minerva-host --app shop --connect tcp://10.0.0.1:7788 --key shop.key --server-key KEY --listen tcp://10.0.0.2:7790",
        "a host on a second machine"),
    ])

  static func main() async {
    await Program.main(definition, version: ProductVersion.text) { command, console in
      let process = try ServiceProcess(command, name: "host-1", console: console)
      defer { process.end() }
      let plan = try HostPlan(command, process: process)
      return try await HostProcess.serve(plan.settings, in: process) { try await plan.modules($0) }
    }
  }
}
