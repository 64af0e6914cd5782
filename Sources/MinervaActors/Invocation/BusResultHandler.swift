public import Distributed
import MinervaWire

/// Sends what a call returned or threw back to its caller.
public struct BusResultHandler: DistributedTargetInvocationResultHandler {
  public typealias SerializationRequirement = any Codable

  let call: ServedCall

  public func onReturn<Success: Codable>(value: Success) async throws {
    let encoder = EncoderPool.make()
    do {
      try encoder.encode(value)
    } catch {
      call.fail(error)
      return
    }
    call.answer(encoder)
  }

  public func onReturnVoid() async throws { call.answer(CBOREncoder(headerRoom: Envelope.size, capacity: 64)) }

  public func onThrow<Err: Error>(error: Err) async throws { call.fail(error) }
}
