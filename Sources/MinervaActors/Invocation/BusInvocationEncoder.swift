public import Distributed
import MinervaWire
import Synchronization

/// Writes a call's arguments, in order, behind room for the envelope.
public struct BusInvocationEncoder: DistributedTargetInvocationEncoder {
  public typealias SerializationRequirement = any Codable

  let encoder: CBOREncoder
  private(set) var arguments = 0
  /// True when the call goes through the stub of an interface.
  private(set) var isThroughStub = false

  init(_ encoder: CBOREncoder = EncoderPool.make()) { self.encoder = encoder }

  /// Generic methods do not cross processes: a name of a type from outside would have to be looked up in the runtime.
  ///
  /// The stub of a `@Resolvable` interface passes itself as a substitution in every call, which the callee knows by itself and which is not sent.
  @inline(__always) public mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
    isThroughStub = true
    let identity = UInt(bitPattern: ObjectIdentifier(type))
    if Self.lastStub.load(ordering: .relaxed) == identity { return }
    guard type is any DistributedActor.Type else {
      throw MinervaError(.unsupported, "a generic method cannot be called over the bus; give the interface a method for each type")
    }
    Self.lastStub.store(identity, ordering: .relaxed)
  }

  /// The stub type seen last: looking up a conformance would cost more than the rest of the call's encoding.
  private static let lastStub = Atomic<UInt>(0)

  // Inlined into the stub's own code: called across modules, a function of the protocol looks its conformances up in the runtime.
  @inlinable @inline(__always) public mutating func recordArgument<Value: Codable>(_ argument: RemoteCallArgument<Value>) throws {
    try record(argument.value)
  }

  @usableFromInline mutating func record<Value: Encodable>(_ value: Value) throws {
    guard arguments < 255 else { throw MinervaError(.tooLarge, "a call has at most 255 arguments") }
    arguments += 1
    try encoder.encode(value)
  }

  @inlinable @inline(__always) public mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {}
  public mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}
  public mutating func doneRecording() throws {}
}
