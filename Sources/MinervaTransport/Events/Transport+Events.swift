package import MinervaWire

extension Transport {
  /// Opens a socket that events go out on, in the same order and under the same numbers as on those opened before. Loop thread only.
  package func bindEvents(on endpoint: Endpoint) throws(MinervaError) -> Endpoint {
    do {
      try endpoint.validate()
      let publisher = try EventPublisher(on: endpoint, transport: self)
      publishers.append(publisher)
      return publisher.endpoint
    } catch {
      throw Self.typed(error, endpoint)
    }
  }

  /// Publishes an event that is made only if somebody subscribed to its topic on a socket; it counts in any case. Loop thread only.
  ///
  /// - Returns: Its number within the topic.
  package func publish(topic: String, making body: () -> [UInt8]?) -> UInt64 {
    let number = Self.next(&numbers[topic, default: 0])
    var made: [UInt8]?
    for publisher in publishers where publisher.isHeard(topic) {
      if made == nil { made = body() }
      if let made { publisher.publish(topic: topic, number: number, body: made) }
    }
    return number
  }

  private static func next(_ number: inout UInt64) -> UInt64 {
    number += 1
    return number
  }

  /// Forgets a topic that is over, with its numbers. Loop thread only.
  package func forget(topic: String) { numbers[topic] = nil }

  /// Takes in the events of a publisher; no topics means all. Loop thread only.
  package func subscribe(to endpoint: Endpoint, topics: [String], take: @escaping (PublishedFrame) -> Void, end: @escaping () -> Void)
    throws(MinervaError) -> EventSubscription
  {
    do {
      try endpoint.validate()
      let subscription = try EventSubscription(to: endpoint, topics: topics, transport: self, take: take, end: end)
      subscriptions[ObjectIdentifier(subscription)] = subscription
      return subscription
    } catch {
      throw Self.typed(error, endpoint)
    }
  }

  /// Ends a subscription. Loop thread only.
  package func unsubscribe(_ subscription: EventSubscription) {
    subscriptions[ObjectIdentifier(subscription)] = nil
    subscription.close()
  }

  func closeEvents() {
    for publisher in publishers { publisher.close() }
    publishers = []
    for subscription in subscriptions.values { subscription.close() }
    subscriptions = [:]
  }
}
