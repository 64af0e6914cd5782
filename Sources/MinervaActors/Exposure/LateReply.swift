import MinervaWire

/// The place of an answer that comes later: used once, on the bus's loop.
///
/// It costs neither a task nor a continuation while the answer is waited for. A caller that is gone by then, or whose time is over, is none of
/// the answerer's business.
public struct LateReply: @unchecked Sendable {
  // Confined to the loop, like the port.
  let port: CallPort
  let identifier: UInt64

  /// Ends the call with a value.
  package func answer(_ value: some Encodable) { port.answerLate(identifier) { encoder throws(MinervaError) in try encoder.encode(value) } }

  /// Calls `body` on the loop when the caller gives the call up or is gone, unless the call has ended by then; the last one said counts.
  package func whenGivenUp(_ body: @escaping () -> Void) { port.whenGivenUp(identifier, body) }

  /// Ends the call with an error, as it would cross processes from a method that threw it.
  package func fail(_ error: any Error) { port.failLate(identifier, BusSystem.crossing(error)) }
}
