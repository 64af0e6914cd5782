import MinervaTransport
import MinervaWire

// The end: what waits gets a stated time, then everything goes, whatever is undelivered.
extension BusSystem {
  /// A close that is under way. Confined to the loop.
  final class Closing: @unchecked Sendable {
    let until: Int64
    var finish: [UnsafeContinuation<CloseReport, Never>]
    var isLast = false

    init(until: Int64, _ finish: UnsafeContinuation<CloseReport, Never>) {
      self.until = until
      self.finish = [finish]
    }
  }

  /// Closes every link and socket and ends the thread. New calls end with `bus.closed`; what waits has `grace` to go out and be answered.
  ///
  /// - Returns: What could not be delivered, and which calls had no answer (C01).
  @discardableResult
  public func close(grace: Duration = .milliseconds(500)) async -> CloseReport {
    await withUnsafeContinuation { continuation in
      loop.perform {
        if self.hasClosed { return continuation.resume(returning: CloseReport(undelivered: 0, unanswered: 0)) }
        if let closing = self.closing {
          closing.finish.append(continuation)
        } else {
          self.closing = Closing(until: self.loop.now + grace.millisecondsRoundedUp, continuation)
        }
        self.loop.sweep(noLaterThan: self.loop.now)
      }
    }
  }

  /// Sweeps deadlines, and a close that is under way; returns when to be called next.
  func sweep(at now: Int64) -> Int64 {
    var next = alarm?(now) ?? .max
    for node in nodes.values {
      for port in node.ports { next = min(next, port.sweep(at: now), port.sweepLanes(at: now), port.sweepHearings(at: now)) }
      guard !node.waiting.isEmpty else { continue }
      node.waiting.removeAll { call in
        if call.continuation.isCancelled {
          call.fail(MinervaError(.cancelled, "the caller gave up"))
        } else if call.terms.deadline <= now {
          call.fail(Self.unreachable(node.name, "no connection before the call's deadline"))
        } else {
          return false
        }
        return true
      }
      for call in node.waiting { next = min(next, call.terms.deadline, now + CallPort.cancellationInterval) }
    }
    next = min(next, loopBackPort.sweep(at: now))
    if let closing { next = min(next, advance(closing, at: now)) }
    return next
  }

  private func advance(_ closing: Closing, at now: Int64) -> Int64 {
    guard !closing.isLast else { return .max }
    let undelivered = transport.waiting + nodes.values.reduce(0) { $0 + $1.waiting.count }
    let unanswered = nodes.values.reduce(loopBackPort.callsInFlight) { $0 + $1.ports.reduce(0) { $0 + $1.callsInFlight } }
    guard (undelivered == 0 && unanswered == 0) || now >= closing.until else { return now + 5 }
    closing.isLast = true
    hasClosed = true
    let error = MinervaError(.closed, "this process closed its bus", details: [MinervaError.Detail.maybeExecuted: "true"])
    for node in nodes.values {
      for call in node.waiting { call.fail(error) }
      for port in node.ports { port.end(error) }
    }
    loopBackPort.end(error)
    for dialled in dialled.values { for waiter in dialled.waiters { waiter.continuation.resume(returning: .failure(error)) } }
    dialled = [:]
    exposed = [:]
    lastExposed = nil
    let report = CloseReport(undelivered: undelivered, unanswered: unanswered)
    // What libzmq still holds, the goodbyes among it, gets a moment; a peer that does not read gets no more than that.
    transport.close(linger: 100) { [self] in
      for node in nodes.values {
        for (address, watcher) in node.watchers.values {
          watcher.resume(returning: Termination(address: address, reason: "this end closed"))
        }
      }
      nodes = [:]
      lastPort = nil
      for sink in eventSinks.values { sink.finish() }
      eventSinks = [:]
      endHearings()
      for continuation in closing.finish { continuation.resume(returning: report) }
      closing.finish = []
    }
    return .max
  }
}
