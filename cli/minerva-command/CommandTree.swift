import BenchKit
import CommandKit
import DiffKit
import JournalKit
import LoadKit
import SetKit
import ShellKit

/// Every command of `minerva`, as data.
enum CommandTree {
  static let root = CommandDefinition(
    "minerva", "The front door of Minerva, a headless distributed navigation runtime",
    discussion: "Every verb of the shell is a command too: minerva open Settings section=privacy. minerva help shows the everyday ones.",
    options: SetOptions.reach, subcommands: everyday + operations + verbs)

  static let plan: [OptionDefinition] = [
    .value("app", .choice(SetPlan.App.allCases.map(\.rawValue)), "an app of ours to serve", repeats: true),
    .value("host", .file, "the executable of a host to start", placeholder: "EXECUTABLE", repeats: true),
    .value("catalog", .file, "an app in a JSON file to serve", placeholder: "FILE", repeats: true),
    .value("diff-workers", .integer(0...64), "how many diff workers", fallback: "2"),
    .value("listen", .endpoint, "a further endpoint of the broker, tcp://HOST:PORT", repeats: true),
    .value("data", .directory, "where the journal and the stores are kept", environment: "MINERVA_DATA"),
  ]

  private static let everyday: [CommandDefinition] = [
    CommandDefinition(
      "shell", "Speaks with the scenes of a running set", group: "everyday", options: ShellCommand.options,
      examples: [.init("minerva shell", "with nothing running, a private set that serves the Shop app")]),
    CommandDefinition(
      "demo", "Plays the Workouts demo, and kills some of its processes on the way",
      discussion: "Starts a broker, two diff workers, a store and two hosts, and plays a flow script; 0 only if all its expectations held.",
      group: "everyday",
      options: [
        .flag("fast", "without pauses"), .flag("keep", "stay in a shell on the demo's set"),
        .flag("tcp", "over tcp and CURVE, with throw-away keys"),
        .flag("list", "list the demos"), .value("flow", .file, "play this script instead of the shipped one"),
      ], arguments: [ArgumentDefinition("DEMO", "which one", .text, isRequired: false)],
      examples: [.init("minerva demo --fast --json", "one object a recovery")]),
    CommandDefinition(
      "up", "Starts a set of processes and supervises it",
      discussion: """
        Stays in the foreground; Ctrl-C, SIGTERM or minerva down end every process. A process that falls is started again with backoff, \
        at most a few times in a while. SIGHUP has the broker read its list of keys again, and ends the set when its terminal has closed.
        """,
      group: "everyday",
      options: plan + [.flag("virtual", "on a virtual clock, which goes on only for the shells and scripts that use it")],
      examples: [.init("minerva up --app shop", "the Shop app"), .init("minerva up --host ./MyHost", "a host of your own")]),
    CommandDefinition(
      "down", "Ends the set of the runtime directory", group: "everyday", examples: [.init("minerva down", "waits until all has ended")]),
    CommandDefinition(
      "status", "Shows processes, generations, connections and counters", group: "everyday",
      examples: [.init("minerva status --json", "one object a process")]),
    CommandDefinition(
      "run", "Runs flow scripts",
      discussion: """
        All files are read before anything runs. They run in a private set with a fresh scene each, or with --connect or --shared in a \
        running one. The first failing line ends the run; with --keep-going further lines and files follow. An expectation waits until \
        the scene is settled, at most 5 s. With clock virtual in its head a script has a set of its own, whose time goes on while the \
        script waits, from one moment at which something is due to the next, and by advance.
        """,
      group: "everyday",
      options: [
        .value("jobs", .integer(1...64), "how many files at a time", placeholder: "N", short: "j", fallback: "1"),
        .flag("keep-going", "go on behind a failing line and file"),
        .value("filter", .text, "only files whose name or title contains this"),
        .value("junit", .file, "write a report for CI systems"), .value("artifacts", .directory, "keep events and reports of each file"),
        .flag("shared", "use the set of the runtime directory"),
        .flag("virtual", "every file that does not say clock real on a virtual clock"),
      ], arguments: [ArgumentDefinition("FILE", "a flow script, - for standard input", .file, repeats: true)],
      examples: [.init("minerva run flows/*.flow -j 2 --junit out.xml", "in CI")]),
    DiffCommand.definition,
  ]

  private static let operations: [CommandDefinition] = [
    CommandDefinition(
      "doctor", "Says what is chosen and why, and what is wrong", group: "operations",
      examples: [.init("minerva doctor", "before asking for help")]),
    CommandDefinition(
      "logs", "Shows what the processes wrote, and when",
      discussion: """
        The lines of all processes by time; one without a time was written past the log, as the last words of a process that crashes. \
        The supervisor adds each start and each end.
        """, group: "operations",
      options: [.flag("follow", "go on as they grow"), .value("lines", .integer(0...1_000_000), "the last lines of each", fallback: "40")],
      arguments: [ArgumentDefinition("NAME", "a process", .text, isRequired: false)],
      examples: [.init("minerva logs broker", "one process")]),
    CommandDefinition(
      "bench", "Measures the differ, the bus and the broker", group: "operations",
      subcommands: [
        DiffBenchCommand.definition,
        CommandDefinition(
          "bus", "Actor calls against a C echo, like for like",
          options: [
            .flag("quick", "one round a case instead of three"),
            .value("transport", .choice(["ipc", "tcp", "curve"]), "only this one", repeats: true),
            .value("only", .text, "only this case: transport, bytes, calls in flight", placeholder: "ipc/64/1", repeats: true),
            .value("serve", .endpoint, "be the other end of a bench"),
          ],
          examples: [.init("minerva bench bus --json", "one object a row")]),
        BrokerBenchCommand.definition,
      ]),
    CommandDefinition(
      "load", "Puts load on workers and checks what they answer", group: "operations", subcommands: [LoadDiffCommand.definition]),
    JournalCommand.definition,
    CommandDefinition(
      "simulate", "Runs a whole cluster on simulated network, disk and clock", group: "operations",
      options: [
        .value("seeds", .text, "the seeds, first..last", placeholder: "A..B", fallback: "1..100"),
        .value("trace", .integer(0...Int.max), "print every step of this seed", placeholder: "SEED"),
        .value("fault", .text, "plant a fault that must be found", placeholder: "NAME"),
      ], examples: [.init("minerva simulate --seeds 1..500", "says which seed broke what")]),
    CommandDefinition(
      "keys", "Makes, allows and revokes the keys of tcp",
      discussion: "What is allowed or revoked holds at once: the broker that runs in the runtime directory is told to read the list again.",
      group: "operations",
      options: [.value("keys", .directory, "the directory of broker.key and authorized; without it keys in the runtime directory")],
      subcommands: [
        CommandDefinition(
          "new", "Makes a key pair; the secret file is private",
          arguments: [ArgumentDefinition("NAME", "of the file, NAME.key; broker for the broker's own")]),
        CommandDefinition(
          "allow", "Lets a public key in",
          options: [
            .value("role", .choice(["observe", "navigate", "admin"]), "what it may do", fallback: "navigate"),
            .value("only-app", .text, "only this app", placeholder: "NAME", repeats: true),
            .value("only-scene", .text, "only this scene", placeholder: "NAME", repeats: true),
            .value("name", .text, "a name for people"),
          ], arguments: [ArgumentDefinition("KEY", "the public key, in single quotes: it may hold $ and !", dashedLength: 40)]),
        CommandDefinition(
          "show", "Prints the public key of a pair that was made here",
          arguments: [ArgumentDefinition("NAME", "of the file, NAME.key; without it the broker's", isRequired: false)]),
        CommandDefinition("list", "Lists the keys that are let in"),
        CommandDefinition(
          "revoke", "Lets a key in no longer",
          arguments: [ArgumentDefinition("KEY", "the public key, its beginning, or its name", dashedLength: 40)]),
      ]),
    CommandDefinition("version", "Prints the version", group: "operations"),
    CommandDefinition(
      "completions", "Prints a completion script", group: "operations",
      arguments: [ArgumentDefinition("SHELL", "which shell", .choice(CompletionScript.Shell.allCases.map(\.rawValue)))]),
  ]

  /// The verbs as commands; those that mean something else outside are left to their command.
  private static let verbs: [CommandDefinition] = Verb.all.filter { verb in
    !(everyday + operations).contains { $0.name == verb.name }
  }.map { verb in
    CommandDefinition(
      verb.name, verb.summary, discussion: (verb.usages.map { "  \($0)" } + [verb.discussion]).joined(separator: "\n"),
      group: "verbs of the shell",
      options: verb.options.filter { $0.name != "json" },
      examples: verb.examples.map { .init("minerva \($0.line)", $0.meaning) }, trailing: .verbatim)
  }

  // MARK: help

  /// What `minerva help` says: the commands and the everyday verbs, on one screen of 24 lines.
  static func help() -> [String] {
    everyday.map { ShellHelp.row($0.name, $0.summary, 8) }
      + [ShellHelp.row("also", operations.map(\.name).joined(separator: " "), 8), ""]
      + Verb.all.filter(\.isEveryday).map { ShellHelp.row($0.name, $0.summary, 8) }
      + ["more: help NAME, help all, help errors; minerva shell is a prompt for verbs"]
  }

  /// What `minerva help all` says: every command, and every verb.
  static func helpOfAll() throws -> [String] {
    let groups = [("commands", everyday), ("operations", operations)]
    return groups.flatMap { title, commands in
      ["\(title):"] + commands.map { "  " + ShellHelp.row($0.name, $0.summary, 11) } + [""]
    } + (try ShellHelp.lines(["all"]))
  }
}
