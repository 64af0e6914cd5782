import Testing

/// SwiftPM builds an import that no target declares, so this test holds the arrows between the layers.
@Suite("Arrows point down")
struct ArrowTests {
  static let pure: Set<String> = ["Swift", "Synchronization"]
  static let system: Set<String> = ["Swift", "Synchronization", "Distributed", "Glibc", "Foundation", "CPosix"]

  /// What each layer may import of ours; a layer that is missing here fails the test.
  static let arrows: [String: Set<String>] = [
    "Sources/ListDiff": [],
    "Sources/MinervaNavigation": [],
    "Sources/MinervaWire": [],
    "Sources/MinervaProtocol": ["MinervaWire"],
    "Sources/MinervaRecording": ["MinervaNavigation", "MinervaWire"],
    "Sources/MinervaTransport": ["CZeroMQ", "MinervaProtocol", "MinervaWire"],
    "Sources/MinervaActors": ["MinervaProtocol", "MinervaTransport", "MinervaWire"],
    "Sources/MinervaJournal": ["CSQLite", "MinervaSupervision", "MinervaWire"],
    "Sources/MinervaSupervision": ["MinervaProtocol", "MinervaWire"],
    "Sources/MinervaInterfaces": ["ListDiff", "MinervaActors", "MinervaNavigation", "MinervaWire"],
    "Sources/Minerva": [
      "ListDiff", "MinervaActors", "MinervaInterfaces", "MinervaNavigation", "MinervaProtocol", "MinervaTransport", "MinervaWire",
    ],
    "Sources/MinervaBrokerCore": [
      "MinervaInterfaces", "MinervaJournal", "MinervaNavigation", "MinervaProtocol", "MinervaRecording", "MinervaWire",
    ],
    "Sources/MinervaBroker": [
      "MinervaActors", "MinervaBrokerCore", "MinervaInterfaces", "MinervaJournal", "MinervaNavigation", "MinervaProtocol",
      "MinervaRecording", "MinervaTransport", "MinervaWire",
    ],
    "Sources/MinervaHosting": [
      "ListDiff", "Minerva", "MinervaActors", "MinervaInterfaces", "MinervaNavigation", "MinervaProtocol", "MinervaSupervision",
      "MinervaTransport",
      "MinervaWire",
    ],
    "Sources/MinervaTesting": [
      "Minerva", "MinervaActors", "MinervaBroker", "MinervaHosting", "MinervaInterfaces", "MinervaNavigation", "MinervaSupervision",
      "MinervaTransport", "MinervaWire",
    ],
    "Sources/MinervaSimulation": [
      "MinervaBrokerCore", "MinervaInterfaces", "MinervaJournal", "MinervaNavigation", "MinervaProtocol", "MinervaRecording", "MinervaWire",
    ],
    "Sources/MinervaDemo": ["Minerva", "MinervaActors", "MinervaHosting", "MinervaTransport", "MinervaWire"],
  ]

  @Test(
    "The pure layers import the standard library alone",
    arguments: ["ListDiff", "MinervaNavigation", "MinervaWire", "MinervaProtocol", "MinervaRecording"])
  func pureLayersImportTheStandardLibrary(layer: String) throws {
    let allowed = Self.pure.union(Self.arrows["Sources/\(layer)"] ?? [])
    let sources = Repository.sources(below: "Sources/\(layer)")
    try #require(!sources.isEmpty)
    for source in sources {
      for name in source.imports {
        #expect(allowed.contains(name), "\(source.path) imports \(name)")
      }
    }
  }

  @Test("Every library layer imports only what is below it", arguments: Array(arrows.keys).sorted())
  func layersImportWhatIsBelow(layer: String) throws {
    let allowed = Self.system.union(Self.arrows[layer] ?? [])
    let sources = Repository.sources(below: layer)
    try #require(!sources.isEmpty)
    for source in sources {
      for name in source.imports {
        #expect(allowed.contains(name), "\(source.path) imports \(name)")
      }
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
    for layer in ["Sources/MinervaBroker/", "Sources/MinervaSimulation/"] {
      let sources = all.filter { $0.path.hasPrefix(layer) }
      for type in ["BrokerStateMachine("] {
        #expect(sources.contains { $0.text.contains(type) }, "\(layer) does not run \(type)")
      }
    }
  }

  @Test("Every layer of Sources has its arrows written down")
  func everyLayerIsListed() {
    let layers = Set(Repository.sources(below: "Sources").map { $0.path.split(separator: "/").prefix(2).joined(separator: "/") })
    #expect(layers.subtracting(Self.arrows.keys) == [])
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
}
