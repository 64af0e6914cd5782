import Distributed
import MinervaTransport
import MinervaWire

/// An actor that others may call, its type forgotten: `any DistributedActor` with a fixed kind of address does not exist.
class ExposedActor: @unchecked Sendable {
  // Immutable after its making, but for `hasUnstartedCalls`, which belongs to the loop.
  let name: String
  let nameBytes: [UInt8]
  let isOnLoop: Bool
  /// True when a call of the general path was dispatched and may not have started; the direct path must not overtake it.
  var hasUnstartedCalls = false

  /// A method that may be called. A class, since finding it for a call would copy each of its fields.
  final class Method {
    let target: String
    let arguments: Int
    /// What its generic parameter stands for, when it is a method of an interface's stub.
    let stub: (any Any.Type)?
    /// The direct path with its actor. Of no generic type: the runtime would be asked for the metadata of one in every call.
    let direct: Direct?

    typealias Direct = (inout CallArguments, CBOREncoder) throws -> Void

    init(target: String, arguments: Int, stub: (any Any.Type)?, direct: Direct?) {
      self.target = target
      self.arguments = arguments
      self.stub = stub
      self.direct = direct
    }
  }

  fileprivate(set) var byName: [String: Method] = [:]
  fileprivate(set) var byIndex: [Method?] = []

  fileprivate init(name: String, isOnLoop: Bool) {
    self.name = name
    nameBytes = Array(name.utf8)
    self.isOnLoop = isOnLoop
  }

  var anyActor: any DistributedActor { preconditionFailure("abstract") }

  func execute(_ target: String, _ decoder: inout BusInvocationDecoder, _ handler: BusResultHandler, on system: BusSystem) async throws {
    preconditionFailure("abstract")
  }
}

/// An exposed actor with its type: where names of the list meet the actor they belong to.
final class TypedExposedActor<Stub: DistributedActor, Actor: DistributedActor>: ExposedActor, @unchecked Sendable
where Stub.ID == ActorAddress, Stub.ActorSystem == BusSystem, Actor.ID == ActorAddress, Actor.ActorSystem == BusSystem {
  private let actor: Actor
  /// A direct path as a plain function: the actor's executor is the thread that calls it, as is checked here once. This is what
  /// `assumeIsolated` does after asking the runtime, for every call, what is known.
  private typealias Plain = (Actor, inout CallArguments, CBOREncoder) throws -> Void

  init(_ actor: Actor, _ table: ExposureTable<Stub, Actor>, catalogue: ExposedNames, loop: EventLoop) throws(MinervaError) {
    self.actor = actor
    let isOnLoop = loop.isExecutor(of: actor)
    super.init(name: actor.id.name, isOnLoop: isOnLoop)
    byIndex = Array(repeating: nil, count: catalogue.names.count)
    for method in table.targets.methods {
      let plain = table.direct[method.label].map { unsafeBitCast($0, to: Plain.self) }
      guard isOnLoop || plain == nil else {
        throw MinervaError(.notExposed, "\(method.label): only an actor whose executor is the bus's loop can answer directly")
      }
      let known = Method(
        target: method.target, arguments: method.arguments, stub: method.isThroughStub ? Stub.self : nil,
        direct: plain.map { body in { arguments, encoder in try body(actor, &arguments, encoder) } })
      byName[method.target] = known
      if let index = catalogue.index(of: method.target) { byIndex[Int(index)] = known }
    }
  }

  override var anyActor: any DistributedActor { actor }

  override func execute(_ target: String, _ decoder: inout BusInvocationDecoder, _ handler: BusResultHandler, on system: BusSystem)
    async throws
  {
    try await system.executeDistributedTarget(on: actor, target: RemoteCallTarget(target), invocationDecoder: &decoder, handler: handler)
  }
}
