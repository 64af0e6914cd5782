package import MinervaInterfaces
import MinervaNavigation
package import MinervaWire

/// Which host offers what: the apps, their modules, and the named services of other processes.
///
/// A value without I/O. A host that is lost stays known, without offering anything, until it returns, its name is taken again, or its lease
/// is over.
package struct Registry {
  /// One registered host.
  package struct Host {
    package var registration: HostRegistration
    /// Coordinators that the broker has sent to it and not yet ended.
    package var load = 0
    package var isAlive = true
    /// Whether it knows that it is taken in: before that it is told nothing else.
    package var isGreeted = false
    /// Which of all registrations was its last.
    var join: UInt64
  }

  package private(set) var hosts: [String: Host] = [:]
  /// How many registrations were taken.
  private(set) var joins: UInt64 = 0
  /// What the input of each module that was ever offered looks like, where fields of it are, or may be, secret.
  private var inputs: [ModuleKey: PayloadSchema?] = [:]
  /// The modules whose schemas a host of another build wrote, and this one cannot read.
  private var unreadable: Set<ModuleKey> = []

  /// The routes of each app's living hosts, made when hosts come and go, not when a link is followed.
  private var tables: [String: (scope: DeepLinkScope, table: RouteTable)] = [:]

  private struct ModuleKey: Hashable {
    var app: String
    var name: String
  }

  /// The apps that living hosts offer, sorted.
  package var apps: [String] { Set(living.map(\.registration.app)).sorted() }

  private var living: [Host] { hosts.values.filter(\.isAlive) }

  /// What each living host said of itself, sorted by the names of hosts.
  var registrations: [HostRegistration] { living.map(\.registration).sorted { $0.node < $1.node } }

  /// Takes a host in, or replaces what the same name offered before.
  ///
  /// - Throws: `route.ambiguous` when a route of it and one of a living host match the same paths; `module.schema_conflict` when a living host of the app offers a module of the same name with another fingerprint.
  mutating func register(_ registration: HostRegistration) throws(MinervaError) {
    for other in living where other.registration.app == registration.app && other.registration.node != registration.node {
      for module in registration.modules {
        guard let known = other.registration.modules.first(where: { $0.name == module.name }) else { continue }
        guard known.fingerprint == module.fingerprint else {
          throw MinervaError(
            .moduleSchemaConflict,
            "\(registration.node) and \(other.registration.node) offer \(module.name) with different schemas; build both hosts from the same source"
          )
        }
      }
    }
    let others = living.map(\.registration).filter { $0.app == registration.app && $0.node != registration.node }
    do throws(Refusal) {
      _ = try Self.table(of: others + [registration], RouteTable(root: "", schemes: [], hosts: []))
    } catch {
      throw MinervaError(error)
    }
    joins += 1
    let earlier = hosts[registration.node]?.registration.app
    hosts[registration.node] = Host(registration: registration, load: hosts[registration.node]?.load ?? 0, join: joins)
    for module in registration.modules {
      let key = ModuleKey(app: registration.app, name: module.name)
      unreadable.remove(key)
      do throws(UnreadableSchema) {
        inputs.updateValue(try Self.secretive(module.schema), forKey: key)
      } catch {
        // Nobody here can say anything of it: in doubt all of it is secret (P4).
        unreadable.insert(key)
        inputs.updateValue(PayloadSchema(name: module.name, shape: .opaque(module.name)), forKey: key)
      }
    }
    tables[registration.app] = table(of: registration.app)
    if let earlier, earlier != registration.app { tables[earlier] = table(of: earlier) }
  }

  /// Marks a host as gone; what it offered is no longer chosen.
  mutating func lose(_ node: String) {
    hosts[node]?.isAlive = false
    hosts[node]?.isGreeted = false
    hosts[node]?.load = 0
    if let app = hosts[node]?.registration.app { tables[app] = table(of: app) }
  }

  /// Forgets a host that is gone and whose lease is over; what was said of its modules' secrets stays known.
  mutating func forget(_ node: String) {
    if hosts[node]?.isAlive == false { hosts[node] = nil }
  }

  mutating func adjustLoad(of node: String, by change: Int) {
    guard let load = hosts[node]?.load else { return }
    hosts[node]?.load = max(0, load + change)
  }

  /// The routes of an app's living hosts; `nil` where none says what links begin with. O(1).
  func links(of app: String) -> (scope: DeepLinkScope, table: RouteTable)? { tables[app] }

  private func table(of app: String) -> (scope: DeepLinkScope, table: RouteTable)? {
    let registrations = living.map(\.registration).filter { $0.app == app }.sorted { $0.node < $1.node }
    guard let scope = registrations.lazy.compactMap(\.links).first else { return nil }
    let empty = RouteTable(root: scope.root, schemes: scope.schemes, hosts: scope.hosts)
    return (scope, (try? Self.table(of: registrations, empty)) ?? empty)
  }

  private static func table(of registrations: [HostRegistration], _ empty: RouteTable) throws(Refusal) -> RouteTable {
    var table = empty
    for registration in registrations {
      for module in registration.modules {
        for var route in module.routes {
          // A module speaks for itself alone.
          route.from = module.name
          try table.add(route)
        }
      }
    }
    return table
  }

  /// The schema of a module's input, if a living host offers it and says so.
  func schema(of module: String, in app: String) -> PayloadSchema? {
    for host in living where host.registration.app == app {
      guard let text = host.registration.modules.first(where: { $0.name == module })?.schema else { continue }
      return try? JSONValueDecoder().decode(PayloadSchema.self, from: Array(text.utf8))
    }
    return nil
  }

  private struct UnreadableSchema: Error {}

  /// A schema, if it names secrets, or parts of which its host cannot say.
  private static func secretive(_ text: String?) throws(UnreadableSchema) -> PayloadSchema? {
    guard let text else { return nil }
    guard let schema = try? JSONValueDecoder().decode(PayloadSchema.self, from: Array(text.utf8)) else { throw UnreadableSchema() }
    return schema.mayHoldSecrets ? schema : nil
  }

  /// What is known of the secrets in a module's input.
  enum Secrecy {
    /// There are none.
    case none
    /// The fields that this schema marks, and those of which it cannot say.
    case fields(PayloadSchema)
    /// Nobody has offered the module yet: anything may be one.
    case unknown
  }

  /// What is known of the secrets in a module's input. O(1).
  func secrecy(of module: String, in app: String) -> Secrecy {
    guard let known = inputs[ModuleKey(app: app, name: module)] else { return .unknown }
    return known.map { .fields($0) } ?? .none
  }

  /// Whether a host's own word is all that is to be known of the secrets in a module's input: there are none, or its schema cannot be read.
  func believesHost(of module: String, in app: String) -> Bool {
    if case .none = secrecy(of: module, in: app) { return true }
    return unreadable.contains(ModuleKey(app: app, name: module))
  }

  /// Whether a host of an app has ever said which modules there are.
  func knows(_ app: String) -> Bool { inputs.keys.contains { $0.app == app } }

  /// The schemas with secrets, and with what may be one, of every app that was ever there.
  var secretiveInputs: [PayloadSchema] { inputs.values.compactMap { $0 } }

  /// Marks a host as one that has its receipt; `false` when it has registered once more since, or is gone.
  mutating func greet(_ node: String, join: UInt64) -> Bool {
    guard let host = hosts[node], host.isAlive, host.join == join else { return false }
    hosts[node]?.isGreeted = true
    return true
  }

  func isGreeted(_ node: String) -> Bool { hosts[node].map { $0.isAlive && $0.isGreeted } ?? false }

  /// Whether there is a host of the app that is told things.
  func hasGreeted(_ app: String) -> Bool { living.contains { $0.isGreeted && $0.registration.app == app } }

  /// Whether a host says what each coordinator that was started shows first.
  func saysFirst(_ node: String) -> Bool { hosts[node]?.registration.saysFirst ?? false }

  func isAlive(_ node: String) -> Bool { hosts[node]?.isAlive ?? false }

  /// The module a new scene of the app begins with, where a living host names one.
  func start(of app: String) -> String? {
    living.filter { $0.registration.app == app }.compactMap(\.registration.start).sorted().first
  }

  /// The modules of an app that can be opened now, sorted by name.
  package func modules(of app: String) -> [(module: ModuleDescription, hosts: [String])] {
    var found: [String: (ModuleDescription, [String])] = [:]
    for host in living where host.registration.app == app {
      for module in host.registration.modules {
        found[module.name, default: (module, [])].1.append(host.registration.node)
      }
    }
    return found.values.map { ($0.0, $0.1.sorted()) }.sorted { $0.0.name < $1.0.name }
  }

  /// The host for a module: the pinned one, else the least loaded that offers it, by name at a tie (L6).
  ///
  /// - Throws: `module.unknown`, with a suggestion when a name is close, or `module.bad_address` for a pin that offers no such module.
  package func host(for module: String, of app: String, pin: String?) throws(MinervaError) -> String {
    let offering = living.filter { host in
      host.isGreeted && host.registration.app == app && host.registration.modules.contains { $0.name == module }
    }
    if let pin {
      guard offering.contains(where: { $0.registration.node == pin }) else {
        let others = offering.map(\.registration.node).sorted().joined(separator: ", ")
        throw MinervaError(
          .moduleBadAddress, "\(pin) does not offer \(module)" + (others.isEmpty ? "" : "; it is offered by \(others)"))
      }
      return pin
    }
    let best = offering.min { a, b in (a.load, a.registration.node) < (b.load, b.registration.node) }
    guard let best else { throw unknown(module, of: app) }
    return best.registration.node
  }

  private func unknown(_ module: String, of app: String) -> MinervaError {
    let offered = modules(of: app)
    let near = Suggestion.nearest(to: module, among: offered.map(\.module.name))
    if let close = offered.first(where: { $0.module.name == near }) {
      return MinervaError(
        .moduleUnknown, "no module \"\(module)\"; did you mean \(close.module.name) (\(close.hosts.joined(separator: ", ")))?",
        details: ["suggestion": close.module.name])
    }
    let names = offered.map(\.module.name).joined(separator: " ")
    return MinervaError(
      .moduleUnknown, "no module \"\(module)\"" + (names.isEmpty ? "; no host of \(app) is connected" : "; there are: \(names)"))
  }

  /// Where a named service of an app lives.
  ///
  /// - Throws: `bus.no_such_actor` when no living process offers it.
  package func service(_ name: String, of app: String) throws(MinervaError) -> ServiceLocation {
    let offering = living.filter { $0.registration.app == app && $0.registration.services.contains(name) }
    guard let host = offering.min(by: { $0.registration.node < $1.registration.node }) else {
      throw MinervaError(.noSuchActor, "no process of \(app) offers the service \(name); is its host running?", retryable: true)
    }
    return ServiceLocation(name: name, node: host.registration.node, endpoint: host.registration.endpoint)
  }
}
