public import Distributed
import MinervaTransport
import MinervaWire

/// Reads a call's arguments in place, never past their region nor more of them than the envelope announced.
public struct BusInvocationDecoder: DistributedTargetInvocationDecoder {
  public typealias SerializationRequirement = any Codable

  /// The bytes, in the frame they came in, until the last argument is read: the call itself may take long, and its task keeps this value.
  private final class Source {
    let decoder: CBORDecoder
    var frame: Frame?

    init(_ decoder: CBORDecoder, _ frame: Frame?) {
      self.decoder = decoder
      self.frame = frame
    }
  }

  private let source: Source
  private var left: Int
  private let stub: (any Any.Type)?

  init(_ decoder: CBORDecoder, arguments: Int, stub: (any Any.Type)?, in frame: Frame) {
    source = Source(decoder, arguments > 0 ? frame : nil)
    self.stub = stub
    left = arguments
  }

  /// The stub alone, where the interface's methods are generic over it; names of types from outside are never looked up in the runtime.
  public mutating func decodeGenericSubstitutions() throws -> [any Any.Type] { stub.map { [$0] } ?? [] }

  public mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
    guard left > 0 else { throw MinervaError.badMessage("the call has too few arguments") }
    left -= 1
    defer { if left == 0 { source.frame = nil } }
    return try source.decoder.decode(Argument.self)
  }

  public mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
  public mutating func decodeErrorType() throws -> (any Any.Type)? { nil }
}

/// The arguments of a call on the fast path, taken in order.
public struct CallArguments {
  let decoder: CBORDecoder
  var left: Int
  let port: CallPort
  let identifier: UInt64
  /// Whether the answer comes later, from whoever took its place.
  private(set) var isAnsweredLater = false

  init(decoder: CBORDecoder, left: Int, on port: CallPort, _ identifier: UInt64) {
    self.decoder = decoder
    self.left = left
    self.port = port
    self.identifier = identifier
  }

  /// Takes the place of the answer, which is given later.
  ///
  /// - Throws: `bus.backpressure` when too many calls of the peer are being served.
  mutating func takeReply() throws(MinervaError) -> LateReply {
    try port.serveLater(identifier)
    isAnsweredLater = true
    return LateReply(port: port, identifier: identifier)
  }

  /// The next argument.
  @inline(__always) public mutating func next<Argument: Codable>(_ type: Argument.Type = Argument.self) throws -> Argument {
    guard left > 0 else { throw MinervaError.badMessage("the call has too few arguments") }
    left -= 1
    return try decoder.decode(type)
  }
}
