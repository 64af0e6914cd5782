public import MinervaTransport
public import MinervaWire
import Synchronization

// Events over the link itself, for whoever cannot read the event socket: it knows no scenes, and so takes keys alone that may hear everything.
extension BusSystem {
  /// How many topics one peer may subscribe to over its link.
  static let lanesPerLink = 64

  /// Publishes an event that is made only if somebody subscribed to its topic; it counts in any case. Loop thread only.
  ///
  /// - Parameter mayHear: Whether a peer that subscribed over its link may have it; without one those alone whose keys are not narrowed.
  package func publish(
    topic: String, to mayHear: (PeerGrant) -> Bool = { $0.isUnrestricted }, making body: () -> [UInt8]?
  ) {
    var made: [UInt8]?
    let number = transport.publish(topic: topic) {
      made = body()
      return made
    }
    guard let lanes = lanes[topic] else { return }
    let hearing = lanes.filter { mayHear($0.grant) }
    guard !hearing.isEmpty, let body = made ?? body() else { return }
    let message = EventFrame.message(topic: topic, number: number, incarnation: incarnation, body: body, limits: settings.limits)
    transport.counters.eventsPublished += UInt64(hearing.count)
    for lane in hearing { lane.publish(message) }
  }

  /// Asks `objection` why a peer may not subscribe to a topic over its link; without it whoever may call may subscribe. Called on the loop.
  package func onSubscription(_ objection: @escaping @Sendable (PeerIdentity, String) -> MinervaError?) {
    loop.perform { self.objection = objection }
  }

  /// Takes in the events of a peer over the link to it, by credit. They come again after the link was lost and is back; the numbers show the gap.
  ///
  /// - Parameters:
  ///   - node: The peer, which this process is, or will be, connected to.
  ///   - buffer: How many events may wait for the consumer; the oldest are dropped beyond it, which the numbers show.
  /// - Returns: The events; they end when the peer refuses one of the topics.
  /// - Throws: `bus.closed`.
  public func subscribe(at node: String, topics: [String], buffer: Int = 4_096) async throws(MinervaError) -> AsyncStream<PublishedFrame> {
    let (stream, continuation) = AsyncStream.makeStream(of: PublishedFrame.self, bufferingPolicy: .bufferingNewest(max(1, buffer)))
    let token = tokens.wrappingAdd(1, ordering: .relaxed).newValue
    continuation.onTermination = { [weak self] _ in
      guard let self else { return }
      self.loop.post { for topic in topics { self.stopHearing(topic, at: node, token) } }
    }
    let isOpen = await onLoop {
      guard self.closing == nil else { return false }
      for topic in topics { self.hear(topic, at: node, continuation, token) }
      return true
    }
    guard isOpen else { throw MinervaError(.closed, "this process is closing its bus") }
    return stream
  }

  // MARK: Loop thread only

  private func hear(_ topic: String, at node: String, _ continuation: AsyncStream<PublishedFrame>.Continuation, _ token: UInt64) {
    if let known = hearings[node]?[topic] {
      known.listeners[token] = continuation
      return
    }
    // Beyond the ids of calls, so that an error says which of both it means.
    let hearing = Hearing(1 << 63 | tokens.wrappingAdd(1, ordering: .relaxed).newValue, topic: topic)
    hearing.listeners[token] = continuation
    hearings[node, default: [:]][topic] = hearing
    nodes[node]?.port?.begin(hearing)
  }

  private func stopHearing(_ topic: String, at node: String, _ token: UInt64) {
    guard let hearing = hearings[node]?[topic] else { return }
    hearing.listeners[token] = nil
    guard hearing.listeners.isEmpty else { return }
    hearings[node]?[topic] = nil
    nodes[node]?.port?.credit(hearing, 0)
  }

  /// The link that carries our calls to a node is another one: what we listen to is asked for there.
  func hearAgain(at node: Node) {
    guard let port = node.port, let topics = hearings[node.name] else { return }
    for hearing in topics.values { port.begin(hearing) }
  }

  /// A subscription was refused; what is nothing of ours is nothing.
  func refused(_ identifier: UInt64, at node: String) {
    guard let hearing = hearings[node]?.values.first(where: { $0.identifier == identifier }) else { return }
    hearings[node]?[hearing.topic] = nil
    hearing.end()
  }

  func endHearings() {
    for hearing in hearings.values.flatMap(\.values) { hearing.end() }
    hearings = [:]
  }
}

extension CallPort {
  /// Asks for the events of a topic.
  func begin(_ hearing: Hearing) { credit(hearing, hearing.begin()) }

  /// Wants so many more events; none ends the subscription.
  func credit(_ hearing: Hearing, _ events: UInt32) {
    guard let link else { return }
    let message = OutputBuffer(capacity: Envelope.size + hearing.topic.utf8.count)
    message.append(EventCredit(topic: hearing.topic, events: events).message(call: hearing.identifier))
    do throws(MinervaError) {
      try link.send(message)
    } catch {
      // The queue is full. Without this credit no further event would come that brings the next one.
      system.transport.counters.backpressure += 1
      hearing.owe(events)
      system.loop.sweep(noLaterThan: system.loop.now + Self.lookAgain)
    }
  }

  /// After how many milliseconds a link that took no more is tried again.
  private static let lookAgain: Int64 = 20

  /// Gives the credit that is owed, where this port carries our calls; returns when to look again.
  func sweepHearings(at now: Int64) -> Int64 {
    guard let hearings = system.hearings[peer.node], system.nodes[peer.node]?.port === self else { return .max }
    var next = Int64.max
    for hearing in hearings.values where hearing.owed > 0 {
      credit(hearing, hearing.takeOwed())
      if hearing.owed > 0 { next = now + Self.lookAgain }
    }
    return next
  }

  /// An event came over the link.
  func tookEvent(_ envelope: Envelope, _ message: UnsafeRawBufferPointer) {
    do throws(MinervaError) {
      let frame = try EventFrame.read(envelope, message, limits: limits)
      // Behind the end of a subscription some may still be on their way.
      guard let hearing = system.hearings[peer.node]?[frame.topic] else { return }
      system.transport.counters.eventsReceived += 1
      if let events = hearing.take(frame) { credit(hearing, events) }
    } catch {
      system.transport.counters.badMessages += 1
    }
  }

  /// The peer wants events of a topic: some more of them, the first, or no more.
  func credited(_ envelope: Envelope, _ message: UnsafeRawBufferPointer) {
    do throws(MinervaError) {
      let credit = try EventCredit(envelope, message, limits: limits)
      if credit.events == 0 { return close(lane: credit.topic) }
      if let lane = lanes[credit.topic] { return lane.grant(credit.events) }
      guard let link else { throw MinervaError(.unsupported, "events come over a link") }
      if let objection = system.objection?(peer, credit.topic) { throw objection }
      guard lanes.count < BusSystem.lanesPerLink else {
        throw .backpressure("the topics of one link", limit: BusSystem.lanesPerLink, retryAfterMilliseconds: 1_000)
      }
      let lane = EventLane(topic: credit.topic, grant: peer.grant, over: link)
      lanes[credit.topic] = lane
      system.lanes[credit.topic, default: []].append(lane)
      lane.grant(credit.events)
    } catch {
      reply(envelope.call, failing: error)
    }
  }

  private func close(lane topic: String) {
    guard let lane = lanes.removeValue(forKey: topic) else { return }
    system.lanes[topic]?.removeAll { $0 === lane }
    if system.lanes[topic]?.isEmpty == true { system.lanes[topic] = nil }
  }

  func closeLanes() { for topic in Array(lanes.keys) { close(lane: topic) } }

  /// Sends again what the link did not take; returns when to look again.
  func sweepLanes(at now: Int64) -> Int64 {
    var next = Int64.max
    for lane in lanes.values where lane.isStuck {
      lane.flush()
      if lane.isStuck { next = now + Self.lookAgain }
    }
    return next
  }
}
