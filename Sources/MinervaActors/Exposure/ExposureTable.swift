public import Distributed
import MinervaTransport
public import MinervaWire

/// What others may call on one actor: the methods of an interface, some of them by a direct path.
///
/// The direct path is for actors whose executor is the bus's loop: no task, no lookup of the target in the runtime. Other actors, and methods
/// without one, take the general path, in order all the same.
public struct ExposureTable<Stub: DistributedActor, Actor: DistributedActor>
where Stub.ID == ActorAddress, Stub.ActorSystem == BusSystem, Actor.ID == ActorAddress, Actor.ActorSystem == BusSystem {
  typealias Direct = @Sendable (isolated Actor, inout CallArguments, CBOREncoder) throws -> Void

  let targets: InterfaceTargets<Stub>
  private(set) var direct: [String: Direct] = [:]

  init(_ targets: InterfaceTargets<Stub>) { self.targets = targets }

  /// Answers a method directly on the loop.
  ///
  /// - Throws: `bus.not_exposed` when the interface has no method of that label.
  public mutating func direct<Result: Codable & SendableMetatype>(
    _ label: String, _ body: @escaping @Sendable (isolated Actor, inout CallArguments) throws -> Result
  ) throws(MinervaError) {
    try add(label) { actor, arguments, encoder in try encoder.encode(body(actor, &arguments)) }
  }

  /// Answers a method without a result directly on the loop.
  public mutating func direct(_ label: String, _ body: @escaping @Sendable (isolated Actor, inout CallArguments) throws -> Void)
    throws(MinervaError)
  {
    try add(label) { actor, arguments, _ in try body(actor, &arguments) }
  }

  /// Answers a method later, from the loop: `body` takes the arguments and the place of the answer. One that throws has not answered; the
  /// error is the answer then.
  package mutating func later(
    _ label: String, _ body: @escaping @Sendable (isolated Actor, inout CallArguments, LateReply) throws -> Void
  ) throws(MinervaError) {
    try add(label) { actor, arguments, _ in
      let reply = try arguments.takeReply()
      try body(actor, &arguments, reply)
    }
  }

  private mutating func add(_ label: String, _ direct: @escaping Direct) throws(MinervaError) {
    guard targets.methods.contains(where: { $0.label == label }) else {
      throw MinervaError(.notExposed, "the interface has no method labelled \(label)")
    }
    self.direct[label] = direct
  }
}
