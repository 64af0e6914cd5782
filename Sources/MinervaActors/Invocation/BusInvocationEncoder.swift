public import Distributed
import MinervaWire

/// Writes a call's arguments, in order, behind room for the envelope.
public struct BusInvocationEncoder: DistributedTargetInvocationEncoder {
  public typealias SerializationRequirement = any Codable

  let encoder: CBOREncoder
  private(set) var arguments = 0
  private(set) var generics: [String] = []

  init() { encoder = CBOREncoder(headerRoom: Envelope.size) }

  public mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
    guard arguments == 0 else { throw MinervaError.badMessage("a generic substitution after the arguments") }
    generics.append(_mangledTypeName(type) ?? String(reflecting: type))
  }

  public mutating func recordArgument<Value: Codable>(_ argument: RemoteCallArgument<Value>) throws {
    // Substitutions stand first, as one item, so that they are known before the arguments.
    if arguments == 0, !generics.isEmpty { try encoder.encode(generics) }
    guard arguments < 255 else { throw MinervaError(.tooLarge, "a call has at most 255 arguments") }
    arguments += 1
    try encoder.encode(argument.value)
  }

  public mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {}
  public mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}

  public mutating func doneRecording() throws {
    if arguments == 0, !generics.isEmpty { try encoder.encode(generics) }
  }
}
