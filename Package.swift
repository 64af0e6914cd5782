// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is compiled with.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Whether this is the suite's own build, as `cli/minerva test` makes it.
let isSuite = Context.environment["MINERVA_SUITE"] != nil

/// The suite's own build optimises what its properties and simulations spend their time in; the tests
/// themselves stay as they are, the optimiser takes minutes over them.
let quick: [SwiftSetting] = isSuite ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []

/// The pure targets: the standard library alone, every unsafe expression marked.
let pure: [SwiftSetting] = house + [.strictMemorySafety()] + quick

func layer(_ name: String, on dependencies: [Target.Dependency], at folder: String = "Sources", _ settings: [SwiftSetting] = house)
  -> Target
{
  .target(name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: settings)
}

func program(_ name: String, on dependencies: [Target.Dependency], at folder: String, resources: [Resource] = []) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: "\(folder)/\(name)", resources: resources, swiftSettings: house)
}

func tests(_ name: String, on dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude, swiftSettings: house)
}

let package = Package(
  name: "Minerva",
  products: [
    .library(name: "ListDiff", targets: ["ListDiff"]),
    .library(name: "Minerva", targets: ["Minerva"]),
    .library(name: "MinervaHosting", targets: ["MinervaHosting"]),
    .library(name: "MinervaTesting", targets: ["MinervaTesting"]),
    .executable(name: "minerva", targets: ["minerva-command"]),
    .executable(name: "minerva-shell", targets: ["minerva-shell"]),
    .executable(name: "minerva-broker", targets: ["minerva-broker"]),
    .executable(name: "minerva-host", targets: ["minerva-host"]),
    .executable(name: "minerva-diff", targets: ["minerva-diff"]),
    .executable(name: "minerva-floor", targets: ["minerva-floor"]),
  ] + (isSuite ? [.library(name: "ClockJump", type: .dynamic, targets: ["clock-jump"])] : []),
  targets: [
    // C libraries, as Debian ships them: a module map each, nothing else.
    .systemLibrary(name: "CZeroMQ", path: "Sources/CZeroMQ"),
    .systemLibrary(name: "CSQLite", path: "Sources/CSQLite"),
    .systemLibrary(name: "CEditLine", path: "Sources/CEditLine"),
    .systemLibrary(name: "CPosix", path: "Sources/CPosix"),

    // From here on bottom up: a target stands on targets above it alone, and imports what it declares.
    // Pure layers: values and state machines, no I/O, no clock.
    layer("ListDiff", on: [], pure),
    layer("MinervaNavigation", on: [], pure),
    layer("MinervaWire", on: [], pure),
    layer("MinervaProtocol", on: ["MinervaWire"], pure),
    layer("MinervaRecording", on: ["MinervaNavigation", "MinervaWire"], pure),

    // The edge: sockets, processes, files, terminals.
    layer("MinervaTransport", on: ["CZeroMQ", "MinervaProtocol", "MinervaWire"], house + quick),
    layer("MinervaActors", on: ["MinervaProtocol", "MinervaTransport", "MinervaWire"], house + quick),
    layer("MinervaSupervision", on: ["CPosix", "MinervaProtocol", "MinervaWire"]),
    layer("MinervaJournal", on: ["CPosix", "CSQLite", "MinervaSupervision", "MinervaWire"], house + quick),
    layer("CommandKit", on: ["MinervaWire"]),

    // What crosses processes, and what stands on it.
    layer("MinervaInterfaces", on: ["ListDiff", "MinervaActors", "MinervaNavigation", "MinervaWire"], house + quick),
    layer(
      "Minerva",
      on: [
        "ListDiff", "MinervaActors", "MinervaInterfaces", "MinervaNavigation", "MinervaProtocol", "MinervaTransport", "MinervaWire",
      ], house + quick),
    layer(
      "MinervaBrokerCore",
      on: ["MinervaInterfaces", "MinervaJournal", "MinervaNavigation", "MinervaProtocol", "MinervaRecording", "MinervaWire"],
      house + quick),
    layer(
      "MinervaBroker",
      on: [
        "MinervaActors", "MinervaBrokerCore", "MinervaInterfaces", "MinervaJournal", "MinervaNavigation", "MinervaProtocol",
        "MinervaRecording", "MinervaTransport", "MinervaWire",
      ], house + quick),
    // The frame of every process that serves: its options, its directory, its log, its end.
    layer(
      "ServiceKit",
      on: ["CommandKit", "MinervaActors", "MinervaInterfaces", "MinervaSupervision", "MinervaTransport", "MinervaWire"]),
    layer(
      "MinervaHosting",
      on: [
        "CommandKit", "ListDiff", "Minerva", "MinervaActors", "MinervaInterfaces", "MinervaNavigation", "MinervaProtocol",
        "MinervaTransport", "MinervaWire", "ServiceKit",
      ]),
    layer(
      "MinervaTesting",
      on: ["Minerva", "MinervaInterfaces", "MinervaNavigation", "MinervaSupervision", "MinervaTransport", "MinervaWire"]),
    layer(
      "MinervaSimulation",
      on: [
        "MinervaBrokerCore", "MinervaInterfaces", "MinervaJournal", "MinervaNavigation", "MinervaProtocol", "MinervaRecording",
        "MinervaWire",
      ], house + quick
    ),
    layer("MinervaDemo", on: ["Minerva", "MinervaActors", "MinervaHosting", "MinervaTransport", "MinervaWire"]),

    // Service processes.
    layer(
      "DiffService", on: ["ListDiff", "MinervaActors", "MinervaInterfaces", "MinervaProtocol", "MinervaTransport", "MinervaWire"],
      at: "Services", house + quick),
    program(
      "minerva-broker",
      on: [
        "CommandKit", "MinervaActors", "MinervaBroker", "MinervaInterfaces", "MinervaJournal", "MinervaSupervision", "MinervaTransport",
        "MinervaWire", "ServiceKit",
      ], at: "Services"),
    program(
      "minerva-diff", on: ["CommandKit", "DiffService", "MinervaActors", "MinervaSupervision", "MinervaTransport", "ServiceKit"],
      at: "Services"),
    program(
      "minerva-host",
      on: [
        "CommandKit", "Minerva", "MinervaActors", "MinervaDemo", "MinervaHosting", "MinervaSupervision", "MinervaTransport",
        "MinervaWire", "ServiceKit",
      ], at: "Services"),

    // The command line.
    layer("DiffKit", on: ["CommandKit", "ListDiff", "MinervaWire"], at: "cli", house + quick),
    layer(
      "ShellKit",
      on: [
        "CEditLine", "CommandKit", "ListDiff", "Minerva", "MinervaInterfaces", "MinervaNavigation", "MinervaRecording",
        "MinervaSupervision", "MinervaWire",
      ], at: "cli"),
    layer("JournalKit", on: ["CommandKit", "MinervaJournal", "MinervaSupervision", "MinervaWire", "ServiceKit", "ShellKit"], at: "cli"),
    layer(
      "SetKit",
      on: [
        "CommandKit", "Minerva", "MinervaActors", "MinervaHosting", "MinervaInterfaces", "MinervaSupervision", "MinervaTransport",
        "MinervaWire", "ServiceKit", "ShellKit",
      ], at: "cli"),
    // Without the differ: what checks answers shares no code with what makes them.
    layer(
      "LoadKit",
      on: [
        "CommandKit", "Minerva", "MinervaActors", "MinervaInterfaces", "MinervaSupervision", "MinervaTransport", "MinervaWire",
        "ServiceKit", "SetKit", "ShellKit",
      ], at: "cli", house + quick),
    // Nor does what measures the broker share code with its core: the model that trees are compared with is the bench's own.
    layer(
      "BenchKit",
      on: [
        "CPosix", "CommandKit", "LoadKit", "Minerva", "MinervaActors", "MinervaBrokerCore", "MinervaHosting", "MinervaInterfaces",
        "MinervaJournal", "MinervaNavigation", "MinervaProtocol", "MinervaSupervision", "MinervaTransport", "MinervaWire", "ServiceKit",
        "SetKit",
      ], at: "cli"),
    program(
      "minerva-command",
      on: [
        "BenchKit", "CommandKit", "DiffKit", "JournalKit", "ListDiff", "LoadKit", "Minerva", "MinervaActors", "MinervaInterfaces",
        "MinervaSimulation", "MinervaSupervision", "MinervaTransport", "MinervaWire", "ServiceKit", "SetKit", "ShellKit",
      ], at: "cli", resources: [.embedInCode("Flows/workouts.flow")]),
    program("minerva-shell", on: ["CommandKit", "ServiceKit", "SetKit"], at: "cli"),

    // The C echo that the bus is measured against.
    .executableTarget(
      name: "minerva-floor", dependencies: ["CZeroMQ"], path: "Tests/Benchmarks/floor",
      cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("zmq")]),

    // Strangers at a bus's endpoint, for the tests of it.
    layer("RawPeers", on: ["CZeroMQ", "MinervaTransport", "MinervaWire"], at: "Tests/Support"),
    // A wall clock that tests move, preloaded into their processes.
    .target(name: "clock-jump", path: "Tests/Support/clock-jump", publicHeadersPath: "."),
    // A reader of events in a process of its own, for tests that stop it.
    program("scene-watcher", on: ["CommandKit", "Minerva", "MinervaInterfaces", "MinervaTransport", "MinervaWire"], at: "Tests/Support"),

    // A host and callers that tests kill: what they do, and the two programs.
    layer("LedgerLoad", on: ["Minerva", "MinervaInterfaces", "MinervaNavigation", "MinervaWire"], at: "Tests/Support"),
    program("ledger-host", on: ["LedgerLoad", "Minerva", "MinervaHosting"], at: "Tests/Support"),
    program(
      "ledger-caller",
      on: ["CommandKit", "LedgerLoad", "Minerva", "MinervaInterfaces", "MinervaSupervision", "MinervaTransport", "MinervaWire"],
      at: "Tests/Support"),

    // The coordinator that the README shows, as a host of its own.
    program("counter-host", on: ["Minerva", "MinervaHosting"], at: "Tests/Support"),
    // The client that the article on diff workers shows.
    program("diff-client", on: ["ListDiff", "Minerva"], at: "Tests/Support"),
    // The rest of the code that the README and the articles show: built, never run.
    layer("ShownCode", on: ["ListDiff", "Minerva"], at: "Tests/Support"),

    // Waiting with an end; texts that are kept beside the tests.
    layer("TestSupport", on: [], at: "Tests/Support"),
    // Commands run in the test's own process, and folders for their files.
    layer("CommandRuns", on: ["CommandKit"], at: "Tests/Support"),
    tests("ListDiffTests", on: ["ListDiff", "MinervaWire"]),
    // The naive model of the core and the scenes that chance plays: optimised in the suite, as the core itself.
    layer("SceneModels", on: ["MinervaNavigation", "MinervaWire"], at: "Tests/Support", pure),
    tests("MinervaNavigationTests", on: ["MinervaNavigation", "SceneModels"]),
    tests("MinervaRecordingTests", on: ["MinervaNavigation", "MinervaRecording", "MinervaWire", "SceneModels"]),
    tests("MinervaWireTests", on: ["MinervaWire"]),
    tests("MinervaProtocolTests", on: ["MinervaProtocol", "MinervaWire"]),
    tests("MinervaTransportTests", on: ["TestSupport", "CZeroMQ", "MinervaProtocol", "MinervaTransport", "MinervaWire", "RawPeers"]),
    tests("MinervaActorsTests", on: ["TestSupport", "MinervaActors", "MinervaTransport", "MinervaWire", "RawPeers"]),
    tests("MinervaJournalTests", on: ["CSQLite", "MinervaJournal", "MinervaWire"]),
    tests("MinervaSupervisionTests", on: ["MinervaSupervision", "MinervaWire"]),
    tests(
      "MinervaTests",
      on: [
        "Minerva", "MinervaActors", "MinervaInterfaces", "MinervaProtocol", "MinervaTransport", "MinervaWire", "TestSupport",
      ]),
    tests(
      "MinervaBrokerTests",
      on: [
        "TestSupport", "Minerva", "MinervaActors", "MinervaBroker", "MinervaBrokerCore", "MinervaHosting", "MinervaInterfaces",
        "MinervaJournal", "MinervaNavigation", "MinervaProtocol", "MinervaRecording", "MinervaTransport", "MinervaWire",
      ]),
    tests(
      "MinervaHostingTests",
      on: [
        "CommandKit", "ListDiff", "Minerva", "MinervaHosting", "MinervaInterfaces", "MinervaNavigation", "MinervaTesting", "MinervaWire",
        "ServiceKit", "TestSupport",
      ]),
    tests("MinervaSimulationTests", on: ["MinervaJournal", "MinervaSimulation", "MinervaWire"]),
    tests("MinervaDemoTests", on: ["TestSupport", "Minerva", "MinervaDemo", "MinervaWire"]),
    tests("CommandKitTests", on: ["TestSupport", "CommandKit", "MinervaWire"], exclude: ["Snapshots"]),
    tests(
      "ShellKitTests",
      on: [
        "TestSupport", "CommandKit", "ListDiff", "Minerva", "MinervaInterfaces", "MinervaNavigation", "MinervaRecording",
        "MinervaSupervision", "MinervaWire", "ShellKit",
      ],
      exclude: ["Snapshots"]),
    tests(
      "DiffKitTests", on: ["CommandKit", "CommandRuns", "DiffKit", "ListDiff", "MinervaWire", "TestSupport"], exclude: ["Snapshots"]),
    tests(
      "JournalKitTests", on: ["TestSupport", "CommandKit", "CommandRuns", "JournalKit", "MinervaJournal", "MinervaWire"],
      exclude: ["Snapshots"]),
    tests("LoadKitTests", on: ["ListDiff", "LoadKit", "MinervaInterfaces", "MinervaWire"]),
    tests(
      "BenchKitTests",
      on: ["BenchKit", "CommandKit", "MinervaInterfaces", "MinervaNavigation", "MinervaTesting", "MinervaWire"]),
    tests("DiffServiceTests", on: ["TestSupport", "DiffService", "ListDiff", "MinervaInterfaces", "MinervaWire"]),
    tests(
      "EndToEndTests",
      on: [
        "LedgerLoad", "ListDiff", "LoadKit", "Minerva", "MinervaActors", "MinervaHosting", "MinervaInterfaces", "MinervaJournal",
        "MinervaNavigation", "MinervaRecording", "MinervaSupervision", "MinervaTesting",
        "MinervaTransport", "MinervaWire", "RawPeers", "TestSupport", "counter-host", "diff-client", "ledger-caller", "ledger-host",
        "scene-watcher",
      ], exclude: ["Snapshots", "Transcripts"]),
    tests("LayoutTests", on: ["MinervaWire", "ShellKit"]),
  ]
)
