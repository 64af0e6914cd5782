public import Distributed
public import MinervaWire

/// The exact names of an interface's methods on the wire, learned from the interface itself.
///
/// `executeDistributedTarget` does not check that a name in a message belongs to the actor's type, so a bus executes only names that are on
/// such a list. The names come from calling each method once on a stub that records instead of sending:
///
/// ```swift
/// let targets = try await InterfaceTargets.learn($Greeter.self) { probe in
///   try await probe("greet") { _ = try await $0.greet("") }
///   try await probe("farewell") { try await $0.farewell() }
/// }
/// ```
public struct InterfaceTargets<Stub: DistributedActor>: Sendable where Stub.ID == ActorAddress, Stub.ActorSystem == BusSystem {
  /// One method: its name on the wire, how many arguments it takes, and whether it is generic over the stub.
  struct Method: Sendable, Hashable {
    let label: String
    let target: String
    let arguments: Int
    let isThroughStub: Bool
  }

  private(set) var methods: [Method] = []

  /// The methods' names on the wire.
  public var names: [String] { methods.map(\.target) }

  /// The name on the wire of the method with a label.
  func target(labelled label: String) -> String? { methods.first { $0.label == label }?.target }

  /// Records one call of each method.
  public struct Probe {
    private let stub: Stub
    fileprivate var methods: [Method] = []

    fileprivate init(_ stub: Stub) { self.stub = stub }

    /// Records the method that `body` calls, under a label of its own; the arguments are never sent.
    public mutating func callAsFunction(_ label: String, _ body: (Stub) async throws -> Void) async throws(MinervaError) {
      do {
        try await body(stub)
      } catch let recorded as RecordedCall {
        methods.append(Method(label: label, target: recorded.target, arguments: recorded.arguments, isThroughStub: recorded.isThroughStub))
        return
      } catch {
        throw MinervaError(.notExposed, "the probe \(label) failed before its call: \(error)")
      }
      throw MinervaError(.notExposed, "the probe \(label) called no distributed method of the stub")
    }
  }

  /// Learns the names of an interface (`$Greeter.self`) or of a distributed actor.
  public static func learn(_ stub: Stub.Type, _ probes: (inout Probe) async throws -> Void) async throws -> InterfaceTargets {
    var probe = Probe(try Stub.resolve(id: ActorAddress(node: RecordedCall.node, name: "probe"), using: BusSystem.recorder))
    try await probes(&probe)
    var targets = InterfaceTargets()
    targets.methods = probe.methods
    return targets
  }
}

/// What the recording stub throws instead of sending.
struct RecordedCall: Error {
  let target: String
  let arguments: Int
  let isThroughStub: Bool

  /// The node that no process can have.
  static let node = "\u{0}recorder"
}

/// The fixed interfaces of a build: what both ends of a link must have in common.
public struct InterfaceCatalogue: Sendable, Hashable {
  let exposed: ExposedNames

  /// Makes the catalogue from the learned names and a number that is raised by hand when the meaning of a call changes.
  public init(number: Int, names: [String]) { exposed = ExposedNames(names, number: number) }

  /// No fixed interface: calls name their targets in full.
  public static let none = InterfaceCatalogue(number: 0, names: [])

  /// What the handshake compares.
  public var version: APIVersion { exposed.version }
}
