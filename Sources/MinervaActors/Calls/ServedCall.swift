import MinervaTransport
import MinervaWire

/// A call of a peer that runs here on the general path. It ends once: by an answer, an error, or the loss of its caller.
final class ServedCall: @unchecked Sendable {
  // `task` and `isOver` belong to the loop; the rest is immutable.
  let identifier: UInt64
  let context: CallContext
  private let port: CallPort
  private let system: BusSystem
  private var task: Task<Void, Never>?
  private var isOver = false
  private var isCancelled = false

  init(_ identifier: UInt64, on port: CallPort, context: CallContext) {
    self.identifier = identifier
    self.port = port
    system = port.system
    self.context = context
  }

  /// Sends what was encoded, behind room for the envelope, as the reply.
  func answer(_ encoder: CBOREncoder) {
    nonisolated(unsafe) let encoder = encoder  // Given away here: nobody else writes to it any more.
    system.loop.perform { self.finish { self.port.reply(self.identifier, encoder) } }
  }

  /// Sends an error.
  func fail(_ error: any Error) {
    let error = BusSystem.crossing(error)
    system.loop.perform { self.finish { self.port.reply(self.identifier, failing: error) } }
  }

  // MARK: Loop thread only

  /// Keeps the task for a later cancellation.
  func runs(as task: Task<Void, Never>) {
    guard !isOver else { return }
    self.task = task
    if isCancelled { task.cancel() }
  }

  /// The caller gave up or is gone.
  func cancel() {
    isCancelled = true
    task?.cancel()
  }

  private func finish(_ send: () -> Void) {
    guard !isOver else { return }
    isOver = true
    task = nil
    port.ended(self)
    send()
  }
}
