import Testing

/// SwiftPM builds an import that no target declares, and says nothing of a dependency that no file imports; so these tests hold the
/// manifest to the sources, and the manifest to its order.
@Suite("Arrows point down")
struct ArrowTests {
  static let pure = ["ListDiff", "MinervaNavigation", "MinervaWire", "MinervaProtocol", "MinervaRecording"]
  /// What the toolchain brings.
  static let system: Set<String> = ["Swift", "Synchronization", "Distributed", "Dispatch", "Glibc", "Foundation"]

  @Test("Every target imports what it declares and declares what it imports", arguments: Manifest.targets)
  func manifestSaysWhatIsImported(target: Manifest.Target) throws {
    let imports = target.imports
    try #require(!imports.isEmpty || target.dependencies.isEmpty, "no sources in \(target.path)")
    let modules = Set(Manifest.targets.map(\.module)).union(Manifest.libraries)
    // Programs that tests run are declared so that they are built.
    let programs = target.folder == "Tests" ? Set(Manifest.targets.filter { $0.path.hasPrefix("Tests/Support/") }.map(\.module)) : []
    let declared = Set(target.dependencies.map(Manifest.module))
    #expect(imports.intersection(modules).subtracting(declared) == [], "imported, not declared")
    #expect(declared.subtracting(imports).subtracting(programs) == [], "declared, not imported")
    let outside = imports.subtracting(modules).subtracting(Self.system)
    #expect(outside.subtracting(target.folder == "Tests" ? ["Testing"] : []) == [], "from elsewhere")
  }

  @Test("Every target stands on targets above it in the manifest: it reads from the bottom up")
  func manifestReadsBottomUp() throws {
    try #require(Manifest.targets.count > 50)
    var above = Manifest.libraries
    for target in Manifest.targets {
      #expect(target.dependencies.subtracting(above) == [], "\(target.name) stands on what is below it")
      above.insert(target.name)
    }
  }

  @Test("cli stands on Services and Sources, Services on Sources, Sources on nothing else")
  func foldersPointDown() {
    let height = ["Sources": 0, "Services": 1, "cli": 2, "Tests": 3]
    let targets = Dictionary(uniqueKeysWithValues: Manifest.targets.map { ($0.name, $0) })
    for target in Manifest.targets {
      for dependency in target.dependencies.compactMap({ targets[$0] }) {
        #expect(height[dependency.folder, default: 9] <= height[target.folder, default: -1], "\(target.path) -> \(dependency.path)")
      }
    }
  }

  @Test("Every folder with sources is a target of the manifest")
  func everyFolderIsATarget() {
    let paths = Set(Manifest.targets.map(\.path))
    for folder in ["Sources", "Services", "cli"] {
      let found = Set(Repository.sources(below: folder).map { $0.path.split(separator: "/").prefix(2).joined(separator: "/") })
      #expect(found.subtracting(paths) == [])
    }
  }

  @Test("The pure layers import the standard library and each other alone", arguments: pure)
  func pureLayersImportTheStandardLibrary(layer: String) throws {
    let sources = Repository.sources(below: "Sources/\(layer)")
    try #require(!sources.isEmpty)
    for source in sources {
      let outside = Set(source.imports).subtracting(Self.pure + ["Swift", "Synchronization"])
      #expect(outside == [], "\(source.path)")
    }
  }

  @Test("The broker's machine does no I/O: neither sockets, nor SQLite, nor a clock, nor the system")
  func brokerCoreIsPure() throws {
    let sources = Repository.sources(below: "Sources/MinervaBrokerCore")
    try #require(!sources.isEmpty)
    let outside: Set = [
      "CSQLite", "CZeroMQ", "Distributed", "Foundation", "Glibc", "MinervaActors", "MinervaSupervision", "MinervaTransport",
    ]
    for source in sources {
      for name in source.imports { #expect(!outside.contains(name), "\(source.path) imports \(name)") }
    }
  }

  @Test("The broker that serves and the broker that is simulated are one: each type of the machine is declared once, and both use it")
  func servicesRunWhatIsSimulated() throws {
    let all = Repository.sources(below: "Sources")
    for type in [
      "struct BrokerStateMachine", "class OrderLane", "struct HostLeaseStateMachine", "struct ClientSessionStateMachine",
      "struct LinkStateMachine", "struct WorkerPoolStateMachine", "struct JobCallerStateMachine", "struct SubscriberStateMachine",
      "struct SceneState",
    ] {
      let declaring = all.filter {
        $0.lines.contains { line in line.hasSuffix("\(type) {") || line.contains("\(type):") || line.contains("\(type)<") }
      }
      #expect(declaring.count == 1, "\(type) is declared in \(declaring.map(\.path))")
    }
  }

  /// Who runs each machine in the product; those that the broker's own machine holds are simulated within it.
  private static let users = [
    "BrokerStateMachine": "Sources/MinervaBroker/", "ClientSessionStateMachine": "Sources/Minerva/Client/",
    "HostLeaseStateMachine": "Sources/MinervaBrokerCore/", "JobCallerStateMachine": "Sources/Minerva/Diffing/",
    "LinkStateMachine": "Sources/MinervaTransport/", "OrderLane": "Sources/MinervaBroker/",
    "SubscriberStateMachine": "Sources/Minerva/Client/", "WorkerPoolStateMachine": "Sources/MinervaBrokerCore/",
  ]

  @Test(
    "Each simulated machine has a user in the product, and each is simulated as that user runs it: around the broker's there is no script")
  func simulatedMachinesHaveUsers() throws {
    let all = Repository.sources(below: "Sources")
    let simulation = all.filter { $0.path.hasPrefix("Sources/MinervaSimulation/") }
    let text = simulation.map(\.text).joined(separator: "\n")
    let named = Set(text.matches(of: /\b[A-Z][A-Za-z]*StateMachine\b/.wordBoundaryKind(.simple)).map { String($0.output) })
    try #require(named.count >= 6)
    for machine in named { #expect(Self.users[machine] != nil, "\(machine) is simulated, and nobody is known to run it") }
    for (machine, user) in Self.users {
      #expect(all.contains { $0.path.hasPrefix(user) && $0.text.contains(machine) }, "\(user) does not run \(machine)")
    }
    for machine in ["BrokerStateMachine(", "ClientSessionStateMachine(", "JobCallerStateMachine(", "OrderLane(", "SubscriberStateMachine<"]
    {
      #expect(text.contains(machine), "\(machine) is not simulated")
    }
    for held in ["HostLeaseStateMachine(", "WorkerPoolStateMachine(", "DiffDesk("] {
      #expect(!text.contains(held), "\(held) is the broker's own, and runs within its machine")
    }
  }

  @Test("What checks the answers of diff workers shares no code with the differ")
  func checksAreIndependent() throws {
    let sources = Repository.sources(below: "cli/LoadKit")
    try #require(!sources.isEmpty)
    for source in sources { #expect(!source.imports.contains("ListDiff"), "\(source.path) imports ListDiff") }
  }

  @Test("Only the transport touches ZeroMQ, only the journal SQLite, only the shell libedit")
  func cLibrariesHaveOneOwner() {
    let owners = ["CZeroMQ": "Sources/MinervaTransport/", "CSQLite": "Sources/MinervaJournal/", "CEditLine": "cli/ShellKit/"]
    for folder in ["Sources", "Services", "cli"] {
      for source in Repository.sources(below: folder) {
        for name in source.imports {
          guard let owner = owners[name] else { continue }
          #expect(source.path.hasPrefix(owner), "\(source.path) imports \(name)")
        }
      }
    }
  }

  @Test("Processes are started by posix_spawn, and nothing forks: a context of ZeroMQ does not survive it")
  func nothingForks() throws {
    let ways = ["fork", "vfork", "_Fork", "forkpty", "clone", "clone3", "daemon", "SYS_fork", "SYS_vfork", "SYS_clone", "SYS_clone3"]
    // Swift imports none of them but by these names; what is called `fork` there is a verb of scenes.
    let inSwift = Set(ways.filter { $0.hasPrefix("SYS_") } + ["vfork", "_Fork", "forkpty"])
    for folder in ["Sources", "Services", "cli", "Tests/Support", "Tests/Benchmarks"] {
      for kind in ["h", "c", "swift"] {
        for source in Repository.files(below: folder, endingIn: kind) {
          for (number, line) in source.lines.enumerated() {
            let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
            guard !code.drop(while: \.isWhitespace).hasPrefix("*") else { continue }
            let words = Set(code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
            #expect(words.isDisjoint(with: kind == "swift" ? inSwift : Set(ways)), "\(source.path):\(number + 1)")
            let isProduct = !folder.hasPrefix("Tests/")
            #expect(!isProduct || !words.contains("posix_spawn") || source.path == "Sources/CPosix/shim.h", "\(source.path):\(number + 1)")
          }
        }
      }
    }
  }
}
