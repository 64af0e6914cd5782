public import MinervaTransport
public import MinervaWire

// Events: published once, taken in by whoever subscribed, numbered so that a gap shows.
extension BusSystem {
  /// Opens an endpoint that ``publish(topic:body:)`` sends to; with several, each carries every event.
  @discardableResult
  public func bindEvents(on endpoint: Endpoint) async throws(MinervaError) -> Endpoint {
    try await onLoop { () -> Result<Endpoint, MinervaError> in
      Result { () throws(MinervaError) in try self.transport.bindEvents(on: endpoint) }
    }.get()
  }

  /// Publishes an event, numbered within its topic. Never waits: a subscriber that does not read loses events and sees the gap.
  ///
  /// Events of one thread, or of the loop, go out in order.
  public func publish(topic: String, body: [UInt8]) { loop.perform { self.publish(topic: topic) { body } } }

  /// Forgets a topic that is over; if it comes back its numbers start over.
  public func forget(topic: String) { loop.perform { self.transport.forget(topic: topic) } }

  /// Takes in the events of a publisher, those of some topics or all. The endpoint need not exist yet.
  ///
  /// - Parameter buffer: How many events may wait for the consumer; the oldest are dropped beyond it, which the numbers show.
  /// - Throws: `bus.endpoint_invalid`, `bus.unauthorized`.
  public func subscribe(to endpoint: Endpoint, topics: [String] = [], buffer: Int = 4_096) async throws(MinervaError)
    -> AsyncStream<PublishedFrame>
  {
    let (stream, continuation) = AsyncStream.makeStream(of: PublishedFrame.self, bufferingPolicy: .bufferingNewest(max(1, buffer)))
    let result = await onLoop { () -> Result<EventSubscription, MinervaError> in
      Result { () throws(MinervaError) in
        guard self.closing == nil else { throw MinervaError(.closed, "this process is closing its bus") }
        return try self.transport.subscribe(to: endpoint, topics: topics, take: { continuation.yield($0) }, end: { continuation.finish() })
      }
    }
    let subscription = try result.get()
    continuation.onTermination = { [weak self] _ in
      guard let self else { return }
      self.loop.post { self.transport.unsubscribe(subscription) }
    }
    return stream
  }
}
