import CommandKit
import Minerva
import MinervaDemo
import MinervaHosting
import MinervaSupervision
import MinervaTransport
import MinervaWire
import ServiceKit

/// What the command line wants of a host.
struct HostPlan: Sendable {
  /// What the process runs.
  enum Role: String, Sendable {
    case shop, workouts, store
  }

  var settings: HostSettings
  private let role: Role
  /// The app of a file that is served instead.
  private let catalogue: CatalogueFile?
  private let start: Moment
  private let file: String
  private let ownsStore: Bool
  private let offered: Set<String>?
  private let excepted: Set<String>

  /// Reads the options.
  /// - Throws: `usage` errors for a date or an app that cannot be read, `bus.*` for endpoints and keys, `catalog.invalid`.
  init(_ command: ParsedCommand, process: ServiceProcess) throws {
    if let file = command.text("catalog") { catalogue = try CatalogueFile.read(file) } else { catalogue = nil }
    role = command.text("app").flatMap(Role.init) ?? .shop
    guard let start = Moment(iso: command.text("start-date") ?? "2026-03-02T08:00") else {
      throw UsageError("--start-date takes a date such as 2026-03-02T08:00", command: "minerva-host")
    }
    self.start = start
    file = (command.text("data") ?? process.runtime.path) + "/workouts.log"
    ownsStore = catalogue == nil && role == .store || catalogue == nil && role == .workouts && command.flag("own-store")
    offered = command.text("offer").map(Self.names)
    excepted = command.text("except").map(Self.names) ?? []
    let connection = try ConnectionSettings(command, runtime: process.runtime)
    let listening = try process.listening(command, connection)
    settings = HostSettings(
      app: catalogue?.app ?? (role == .shop ? ShopApp.app : WorkoutsApp.name), node: process.name, broker: connection.endpoint,
      listen: listening.endpoint, advertised: listening.advertised, start: catalogue.map(\.startModule) ?? Self.start(of: role),
      links: catalogue.map(\.appLinks) ?? Self.links(of: role),
      services: ownsStore ? [WorkoutsApp.storeService] : [],
      hold: command.duration("hold-diffs").map { DiffHold(rows: 100_000, duration: $0) }, version: ProductVersion.text,
      security: connection.security, log: process.log)
  }

  private static func names(_ list: String) -> Set<String> {
    Set(list.split(separator: ",").map(String.init))
  }

  private static func start(of role: Role) -> String? {
    switch role {
    case .shop: ShopApp.start
    case .workouts: WorkoutsApp.start
    case .store: nil
    }
  }

  private static func links(of role: Role) -> AppLinks? {
    switch role {
    case .shop: ShopApp.links
    case .workouts: WorkoutsApp.links
    case .store: nil
    }
  }

  /// Makes what the process offers.
  /// - Throws: `module.unknown` for a name after `--offer` or `--except` that the app does not have.
  func modules(_ services: HostServices) async throws -> [ModuleOffer] {
    if let catalogue { return try chosen(catalogue.offers) }
    switch role {
    case .shop: return try chosen(ShopApp.modules)
    case .store:
      try await WorkoutsApp.serve(try LocalStore(path: file, start: start), on: services.bus)
      return []
    case .workouts:
      guard ownsStore else { return try chosen(WorkoutsApp.modules(store: try await RemoteStore.connect(services))) }
      let store = try LocalStore(path: file, start: start)
      try await WorkoutsApp.serve(store, on: services.bus)
      return try chosen(WorkoutsApp.modules(store: store))
    }
  }

  private func chosen(_ modules: [ModuleOffer]) throws -> [ModuleOffer] {
    let known = Set(modules.map(\.name))
    for name in (offered ?? []).union(excepted).sorted() where !known.contains(name) {
      throw MinervaError(.moduleUnknown, "\(settings.app) has no module \"\(name)\"; it has \(known.sorted().joined(separator: ", "))")
    }
    return modules.filter { (offered?.contains($0.name) ?? true) && !excepted.contains($0.name) }
  }
}
