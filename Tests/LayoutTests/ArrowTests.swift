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
    "Sources/MinervaTransport": ["CZeroMQ", "MinervaProtocol", "MinervaWire"],
    "Sources/MinervaActors": ["MinervaProtocol", "MinervaTransport", "MinervaWire"],
    "Sources/MinervaJournal": ["CSQLite", "MinervaSupervision", "MinervaWire"],
    "Sources/MinervaSupervision": ["MinervaProtocol", "MinervaWire"],
    "Sources/MinervaInterfaces": ["ListDiff", "MinervaActors", "MinervaNavigation", "MinervaWire"],
    "Sources/Minerva": [
      "ListDiff", "MinervaActors", "MinervaInterfaces", "MinervaNavigation", "MinervaProtocol", "MinervaTransport", "MinervaWire",
    ],
    "Sources/MinervaBroker": [
      "MinervaActors", "MinervaInterfaces", "MinervaJournal", "MinervaNavigation", "MinervaProtocol", "MinervaTransport", "MinervaWire",
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
    "Sources/MinervaSimulation": ["MinervaJournal", "MinervaNavigation", "MinervaProtocol", "MinervaWire"],
    "Sources/MinervaDemo": ["Minerva", "MinervaActors", "MinervaHosting", "MinervaTransport", "MinervaWire"],
  ]

  @Test(
    "The pure layers import the standard library alone", arguments: ["ListDiff", "MinervaNavigation", "MinervaWire", "MinervaProtocol"])
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

  @Test("Every layer of Sources has its arrows written down")
  func everyLayerIsListed() {
    let layers = Set(Repository.sources(below: "Sources").map { $0.path.split(separator: "/").prefix(2).joined(separator: "/") })
    #expect(layers.subtracting(Self.arrows.keys) == [])
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
