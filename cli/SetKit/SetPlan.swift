import MinervaHosting
package import MinervaSupervision
package import MinervaWire

/// Which processes a set has, and how each is started.
package struct SetPlan: Sendable, Hashable {
  /// An app of ours that hosts are started for.
  package enum App: String, Sendable, Hashable, CaseIterable {
    case shop, workouts
  }

  package var apps: [App] = []
  /// Executables of hosts that are not ours; each speaks `--runtime` and `--name` as ours do.
  package var hosts: [String] = []
  /// Apps that are files.
  package var catalogues: [Catalogue] = []
  package var diffWorkers = 2
  /// Whether the broker's clock stands still until a client lets it go on (D3).
  package var hasVirtualClock = false
  /// Further endpoints of the broker, `tcp://…`.
  package var listen: [String] = []
  package var allowsInsecure = false
  /// Where the journal and the stores are kept; nil is the runtime directory.
  package var data: String?
  /// How long a worker takes at least for a very long list, so that a demo can kill it meanwhile.
  package var holdDiffs: Duration?
  /// Has one more worker, which answers one job in so many wrongly; for tests of those who check answers.
  package var lyingWorker: Int?
  /// Whether processes are started again however often they fall, as when somebody kills them on purpose.
  package var restartsWithoutLimit = false
  /// How hosts reach the broker when not by the runtime directory: `--connect …`, `--key …`.
  package var connection: [String] = []
  /// Whether Workouts runs in two hosts that share its modules.
  package var splitsWorkouts = false

  /// An app that is a file, and how many hosts offer it.
  package struct Catalogue: Sendable, Hashable {
    package var app: String
    package var path: String
    package var hosts = 1

    /// Reads the file, so that what is wrong with it is said before anything starts.
    /// - Throws: `file.unreadable`, `catalog.invalid`.
    package init(reading path: String, at absolute: String, hosts: Int = 1) throws(MinervaError) {
      app = try CatalogueFile.read(path).app
      self.path = absolute
      self.hosts = hosts
    }
  }

  package init() {}

  /// The modules that the second host of Workouts offers alone.
  package static let secondHostModules = "CreateUser,EditWorkout"

  /// The processes in the order of their start, each found in the directory of our own executable.
  package func specifications(runtime: RuntimeDirectory, executables: String) -> [ProcessSpecification] {
    let place = ["--runtime", runtime.path]
    let kept = data.map { ["--data", $0] } ?? []
    var broker = place + kept
    for endpoint in listen { broker += ["--listen", endpoint] }
    if allowsInsecure { broker.append("--insecure") }
    if hasVirtualClock { broker += ["--clock", "virtual"] }
    var result = [ProcessSpecification(name: "broker", kind: "broker", executable: "\(executables)/minerva-broker", arguments: broker)]
    for number in stride(from: 1, through: diffWorkers, by: 1) {
      result.append(
        ProcessSpecification(
          name: "diff-\(number)", kind: "diff", executable: "\(executables)/minerva-diff",
          arguments: place + ["--name", "diff-\(number)"] + connection, stage: 1))
    }
    if let every = lyingWorker {
      let name = "diff-\(diffWorkers + 1)"
      result.append(
        ProcessSpecification(
          name: name, kind: "diff", executable: "\(executables)/minerva-diff",
          arguments: place + ["--name", name, "--lie", "\(every)"] + connection, stage: 1))
    }
    let hold =
      holdDiffs.map { ["--hold-diffs", "\($0.milliseconds)ms"] } ?? []
    func host(_ name: String, _ arguments: [String], stage: Int = 2) -> ProcessSpecification {
      ProcessSpecification(
        name: name, kind: "host", executable: "\(executables)/minerva-host",
        arguments: place + ["--name", name] + connection + kept + arguments, stage: stage)
    }
    for app in apps {
      switch app {
      case .shop: result.append(host("shop-1", ["--app", "shop"]))
      case .workouts:
        result.append(host("store-1", ["--app", "store"], stage: 1))
        let shared = ["--app", "workouts"] + hold
        guard splitsWorkouts else {
          result.append(host("workouts-1", shared))
          continue
        }
        result.append(host("workouts-1", shared + ["--except", Self.secondHostModules]))
        result.append(host("workouts-2", shared + ["--offer", Self.secondHostModules]))
      }
    }
    for catalogue in catalogues {
      let there = result.count { $0.kind == "host" && $0.name.hasPrefix("\(catalogue.app)-") }
      for number in stride(from: there + 1, through: there + catalogue.hosts, by: 1) {
        result.append(host("\(catalogue.app)-\(number)", ["--catalog", catalogue.path]))
      }
    }
    for (index, executable) in hosts.enumerated() {
      let base = executable.split(separator: "/").last.map(String.init) ?? "host"
      let name = "\(base)-\(index + 1)"
      result.append(
        ProcessSpecification(name: name, kind: "host", executable: executable, arguments: place + ["--name", name] + connection, stage: 2))
    }
    return result
  }
}
