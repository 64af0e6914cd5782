import MinervaProtocol
package import MinervaWire

/// Performs the links of one bus: listens, dials, beats, flushes. Everything here runs on the loop's thread.
package final class Transport: @unchecked Sendable {
  // Confined to the loop: other threads reach it through `loop.post`.
  package let loop: EventLoop
  package let taskExecutor: LoopTaskExecutor
  package let settings: TransportSettings
  @exclusivity(unchecked) package unowned(unsafe) var delegate: (any TransportDelegate)?
  @exclusivity(unchecked) package var counters = BusCounters()
  /// Every link that has not ended.
  package private(set) var links: [ObjectIdentifier: Link] = [:]

  let log: LogLimiter
  @exclusivity(unchecked) var dirty: [Link] = []

  private var contextIfMade: ZeroMQContext?
  private var gate: KeyGate?
  private(set) var listeners: [RouterListener] = []
  /// The connections that sockets of ours accepted, by descriptor.
  var connections: Set<Int32> = []
  /// How many there may be, of peers and of strangers.
  package var connectionLimit = DescriptorLimit.connections
  /// What those over tcp have sent of messages without an end, and when that was last looked at.
  var unfinished: UnfinishedMessages
  var lastLook: Int64 = 0
  /// The links that we dialled over tcp, by the descriptors of their connections.
  var dialled: [Int32: Link] = [:]
  /// What ended connections held since memory was last given back, when that was, and when it is due.
  var freed: UInt64 = 0
  var lastReturn = Int64.min / 2
  var returnAt = Int64.max
  private var inProcessNames: [String] = []
  private var isClosed = false
  private var authorized: AuthorizedKeys
  private var random = SystemRandomNumberGenerator()
  private var monitors = 0
  var publishers: [EventPublisher] = []
  /// The number of the last event of each topic.
  var numbers: [String: UInt64] = [:]
  var subscriptions: [ObjectIdentifier: EventSubscription] = [:]

  package init(_ settings: TransportSettings) {
    self.settings = settings
    unfinished = UnfinishedMessages(largest: settings.limits.largest, first: settings.limits.messageBytes)
    loop = EventLoop()
    taskExecutor = LoopTaskExecutor(loop)
    log = LogLimiter(settings.log)
    authorized = settings.security.authorized
  }

  /// Starts the loop, which keeps the owner alive until `close`.
  package func start(keeping owner: AnyObject) {
    loop.confined.owner = owner
    loop.confined.onFlush = { [unowned self] in self.flush() }
    loop.confined.onIdle = { [unowned self] in self.retryFull() }
    loop.confined.onSweep = { [unowned self] in self.sweep($0) }
    loop.start()
  }

  /// Called at each sweep for the layer above; returns when it wants to be called next.
  package var onSweep: ((Int64) -> Int64)?

  func context() throws -> ZeroMQContext {
    if let contextIfMade { return contextIfMade }
    let context = try ZeroMQContext()
    contextIfMade = context
    // Before any tcp socket is bound: without a handler every key would pass.
    let gate = try KeyGate(authorized: authorized, in: context)
    gate.onRefusal = { [unowned self] key in
      self.counters.refusedKeys += 1
      self.log.line("unauthorized", at: self.loop.now, "the key \(key) was refused; minerva keys allow lets it in")
    }
    self.gate = gate
    loop.add(gate)
    return context
  }

  func nextMonitor() -> Int {
    monitors += 1
    return monitors
  }

  // MARK: Listening and dialling

  /// Listens on an endpoint and returns it with the port the system chose.
  package func listen(on endpoint: Endpoint) throws(MinervaError) -> Endpoint {
    do {
      try endpoint.validate()
      if case .inProcess(let name) = endpoint {
        try listenInProcess(name)
        return endpoint
      }
      let listener = try RouterListener(on: endpoint, number: nextMonitor(), in: context(), transport: self)
      listeners.append(listener)
      return listener.endpoint
    } catch {
      throw Self.typed(error, endpoint)
    }
  }

  private func listenInProcess(_ name: String) throws {
    guard let hub = settings.hub else { throw MinervaError(.endpointInvalid, "inproc://\(name): this bus has no in-process hub") }
    let taken = hub.listen(
      name,
      InProcessHub.Listener(loop: loop) { [weak self] channel in
        guard let self, !self.isClosed, self.hasRoomForPeer() else { return channel.close() }
        let link = self.accepted(channel)
        self.connect(channel, to: link)
      })
    guard taken else { throw MinervaError(.endpointTaken, "inproc://\(name): another bus of this process listens there") }
    inProcessNames.append(name)
  }

  /// Begins to reach an endpoint, and keeps doing so until the link is closed.
  ///
  /// - Parameter server: The key it must have, where somebody vouched for it; else the settings say.
  package func dial(_ endpoint: Endpoint, server: String? = nil) throws(MinervaError) -> Link {
    do { try endpoint.validate() } catch { throw MinervaError(.endpointInvalid, error.description) }
    let link = Link(
      machine: .dialled(settings.link(to: endpoint), seed: random.next()), endpoint: endpoint, server: server, transport: self)
    links[ObjectIdentifier(link)] = link
    perform(link.machine.start(at: loop.now), on: link)
    return link
  }

  /// Makes the next attempt of a link at once, since its peer is said to be there.
  package func hint(_ link: Link) { perform(link.machine.hint(at: loop.now), on: link) }

  /// Ends a link for good.
  package func close(_ link: Link, reason: String) { perform(link.machine.close(reason: reason), on: link) }

  // A channel keeps its link until it is closed, which is before the transport ends. No weak references here: whatever has one is counted in a
  // side table from then on, which makes each message slower.

  private func connect(_ channel: InProcessChannel, to link: Link) {
    channel.onFrame = { [unowned self] frame in self.received(frame, on: link) }
    channel.onClosed = { [unowned self] in self.disconnected("the other end closed", on: link) }
  }

  private func connect(_ link: Link, _ endpoint: Endpoint) {
    do {
      link.channel?.close()
      link.channel = nil
      if case .inProcess(let name) = endpoint {
        guard let hub = settings.hub else { throw MinervaError(.endpointInvalid, "\(endpoint): this bus has no in-process hub") }
        let channel = hub.connect(name, from: loop) { channel in
          self.connect(channel, to: link)
        }
        guard let channel else { throw MinervaError(.unreachable, "nobody listens at \(endpoint)") }
        link.channel = channel
        perform(link.machine.connected(at: loop.now), on: link)
        return
      }
      let channel = try DealerChannel(
        to: endpoint, server: link.server, settings: settings, number: nextMonitor(), in: context(), loop: loop
      ) {
        [unowned self] event in
        self.saw(event, on: link, endpoint)
      }
      channel.onFrame = { [unowned self] frame in self.received(frame, on: link) }
      channel.onMalformed = { [unowned self] text in self.malformed(text, from: link) }
      link.channel = channel
    } catch {
      let failure = Self.typed(error, endpoint)
      // Not inside of the actions that asked for the dial.
      loop.post { self.perform(link.machine.refused(failure, at: self.loop.now), on: link) }
    }
  }

  private func saw(_ event: SocketMonitor.Event, on link: Link, _ endpoint: Endpoint) {
    let now = loop.now
    switch event {
    case .established: perform(link.machine.connected(at: now), on: link)
    case .disconnected: perform(link.machine.disconnected("the connection ended", at: now), on: link)
    case .refused:
      perform(link.machine.refused(MinervaError(.unreachable, "nobody answers at \(endpoint)"), at: now), on: link)
    case .handshakeFailed:
      counters.failedHandshakes += 1
      let text = "\(endpoint) speaks no Minerva, or wants another key"
      perform(link.machine.refused(MinervaError(.unreachable, text), at: now), on: link)
    case .unauthorized:
      perform(
        link.machine.refused(MinervaError(.unauthorized, "\(endpoint) refused our key; minerva keys allow there lets it in"), at: now),
        on: link)
    case .connected(let connection): if let channel = link.channel as? DealerChannel { dialled(connection, channel, on: link) }
    case .accepted: break
    }
  }

  /// Whether one more peer may be connected; says so where not.
  func hasRoomForPeer() -> Bool {
    guard links.count >= settings.peerLimit else { return true }
    counters.rejectedPeers += 1
    log.line("rejected", at: loop.now, "more than \(settings.peerLimit) peers")
    return false
  }

  func accepted(_ channel: any LinkChannel) -> Link {
    let link = Link(machine: .accepted(settings.link), endpoint: nil, transport: self)
    link.channel = channel
    links[ObjectIdentifier(link)] = link
    return link
  }

  // MARK: Keys

  func grant(of key: String) -> PeerGrant? { authorized[key] }

  /// Replaces the list of keys: peers whose key is gone or whose grant changed are dropped and come back with what they have now.
  package func authorize(_ keys: AuthorizedKeys) {
    authorized = keys
    gate?.authorized = keys
    for publisher in publishers { publisher.authorize(keys) }
    for link in links.values {
      guard let key = link.key, keys[key] != link.grant else { continue }
      perform(link.machine.violated(MinervaError(.unauthorized, "the rights of its key changed"), at: loop.now), on: link)
    }
  }

  // MARK: Receiving

  @inline(__always) func received(_ frame: Frame, on link: Link) {
    let message = frame.bytes
    counters.framesReceived += 1
    counters.bytesReceived += UInt64(message.count)
    link.machine.heard(at: loop.now)
    // Fetched once a frame: for each message of a batch they would cost reference counting.
    let delegate = delegate
    let kept = link.attachment
    defer { withExtendedLifetime(kept) {} }
    let attachment = kept.map { Unmanaged.passUnretained($0) }
    if message.count >= Envelope.size, message[3] == EnvelopeKind.batch.rawValue {
      takeBatch(message, in: frame, on: link, attachment, delegate)
    } else {
      take(message, in: frame, on: link, attachment, delegate)
    }
  }

  private func takeBatch(
    _ message: UnsafeRawBufferPointer, in frame: Frame, on link: Link, _ attachment: Unmanaged<AnyObject>?,
    _ delegate: (any TransportDelegate)?
  ) {
    do throws(MinervaError) {
      let envelope = try Envelope.read(message, limits: link.limits)
      if envelope.frames != 0 || !frame.payloads.isEmpty { try check(envelope, message, frame, link) }
      guard link.isUp else { throw .badMessage("a batch before the handshake") }
      // It holds no batch and nothing with payload frames: the reader refuses both.
      var reader = BatchReader(envelope.body(in: message), limits: link.limits)
      while link.isUp, let next = try reader.next() { take(next, in: frame, on: link, attachment, delegate) }
    } catch {
      malformed(error.message, from: link)
    }
  }

  @inline(__always) private func take(
    _ message: UnsafeRawBufferPointer, in frame: Frame, on link: Link, _ attachment: Unmanaged<AnyObject>?,
    _ delegate: (any TransportDelegate)?
  ) {
    do throws(MinervaError) {
      let envelope = try Envelope.read(message, limits: link.limits)
      if envelope.frames != 0 || !frame.payloads.isEmpty { try check(envelope, message, frame, link) }
      switch envelope.kind {
      case .call, .reply, .error, .cancel, .event, .snapshotRequest, .snapshotReply, .credit:
        guard link.isUp else { throw .badMessage("a \(envelope.kind) before the handshake") }
        delegate?.received(envelope, message, in: frame, for: attachment, on: link)
      case .ping: perform(link.machine.receivedPing(at: loop.now), on: link)
      case .pong: break
      default: try control(envelope, envelope.body(in: message), on: link)
      }
    } catch {
      malformed(error.message, from: link)
    }
  }

  /// The payload frames are as many as announced, and the whole is within its limit.
  private func check(_ envelope: Envelope, _ message: UnsafeRawBufferPointer, _ frame: Frame, _ link: Link) throws(MinervaError) {
    guard Int(envelope.frames) == frame.payloads.count else {
      throw .badMessage("\(envelope.frames) payload frames are announced, \(frame.payloads.count) came")
    }
    let size = frame.payloads.reduce(message.count) { $0 + $1.bytes.count }
    let limit = envelope.flags.contains(.list) ? link.limits.listMessageBytes : link.limits.messageBytes
    guard size <= limit else { throw .tooLarge("a \(envelope.kind) message", bytes: size, limit: limit) }
  }

  private func control(_ envelope: Envelope, _ body: UnsafeRawBufferPointer, on link: Link) throws(MinervaError) {
    let now = loop.now
    guard body.count <= Self.largestControl else { throw .tooLarge("a \(envelope.kind)", bytes: body.count, limit: Self.largestControl) }
    switch envelope.kind {
    case .hello:
      let hello = try CBOR.decode(Hello.self, from: body)
      perform(link.machine.received(hello: hello, objection: objection(to: hello.from, on: link), at: now), on: link)
    case .welcome:
      let welcome = try CBOR.decode(Welcome.self, from: body)
      perform(link.machine.received(welcome: welcome, objection: objection(to: welcome.from, on: link), at: now), on: link)
    case .reject:
      perform(link.machine.received(reject: try CBOR.decode(Reject.self, from: body), at: now), on: link)
    case .goodbye:
      let reason = (try? CBOR.decode(String.self, from: body)) ?? "no reason given"
      perform(
        link.machine.receivedGoodbye(reason: reason.isPrintable ? String(reason.prefix(200)) : "no readable reason", at: now), on: link)
    default:
      guard !envelope.kind.isOptional else { return }
      guard link.isUp else { throw .badMessage("\(envelope.kind) before the handshake") }
      let body = (try? CBOR.encode(MinervaError(.unsupported, "this end does not know \(envelope.kind)"))) ?? []
      guard link.sendControl(Envelope(.error, call: envelope.call), body: body) else {
        let error = MinervaError(.badMessage, "it asks for what this end does not know, and reads no answer")
        return perform(link.machine.violated(error, at: now), on: link)
      }
      throw MinervaError(.unsupported, "a message of \(envelope.kind)")
    }
  }

  /// The largest message of a handshake.
  private static let largestControl = 64 << 10

  /// Why a peer may not come up: its name is another live peer's, or ours.
  private func objection(to peer: Introduction, on link: Link) -> MinervaError? {
    let names = 1...settings.limits.nameBytes
    guard names.contains(peer.node.utf8.count), names.contains(peer.kind.utf8.count), peer.capabilities.count <= 256 else {
      return .badMessage("a peer with no name, or one too long")
    }
    // Names go into logs and onto terminals.
    guard peer.node.isPrintable, peer.kind.isPrintable else { return .badMessage("a peer whose name holds control characters") }
    if peer.node == settings.introduction.node {
      return MinervaError(.nameTaken, "\(peer.node) is this process's own name; start the other with another one")
    }
    for other in links.values where other !== link && other.isUp {
      guard let known = other.peer, known.node == peer.node else { continue }
      if known.incarnation != peer.incarnation {
        counters.rejectedPeers += 1
        log.line("rejected", at: loop.now, "a second live \(peer.node) was refused")
        return MinervaError(.nameTaken, "a live process is called \(peer.node); choose another name or stop the other")
      }
      // The same life on the same side again: the earlier connection is dead and its loss not yet seen.
      if other.isDialled == link.isDialled { disconnected("it connected again", on: other) }
    }
    return nil
  }

  /// Counts a message that does not follow the protocol, and says so once a second.
  func malformed(_ text: String, from link: Link?) {
    counters.badMessages += 1
    log.line("bad_message", at: loop.now, "dropped from \(link?.peer?.node ?? "an unknown peer"): \(text)")
  }

  func disconnected(_ reason: String, on link: Link) { perform(link.machine.disconnected(reason, at: loop.now), on: link) }

  /// For the layer above: a peer whose messages cannot be trusted any more is dropped.
  package func violated(_ error: MinervaError, on link: Link) { perform(link.machine.violated(error, at: loop.now), on: link) }

  // MARK: Performing

  func perform(_ actions: [LinkStateMachine.Action], on link: Link) {
    for action in actions {
      switch action {
      case .dial: if let endpoint = link.endpoint { connect(link, endpoint) }
      case .hangUp:
        flushNow(link)
        link.channel?.close()
        link.channel = nil
        link.discard()
      case .sendHello(let hello): send(.hello, hello, on: link)
      case .sendWelcome(let welcome): send(.welcome, welcome, on: link)
      case .sendReject(let reject):
        counters.rejectedPeers += 1
        log.line("rejected", at: loop.now, reject.error.message)
        send(.reject, reject, on: link)
      case .sendPing: link.sendControl(Envelope(.ping))
      case .sendPong: link.sendControl(Envelope(.pong))
      case .sendGoodbye(let reason): send(.goodbye, reason, on: link)
      case .up(let session):
        link.peer = PeerIdentity(
          node: session.peer.node, incarnation: session.peer.incarnation, kind: session.peer.kind, grant: link.grant, key: link.key,
          statedKey: session.peer.key)
        link.upSince = loop.now
        link.limits = session.limits
        link.isUp = true
        counters.linksUp += 1
        delegate?.linkRose(link)
      case .down(let error):
        link.isUp = false
        counters.linksLost += 1
        delegate?.linkFell(link, error)
        link.peer = nil
        link.limits = settings.limits
      case .attemptFailed(let error): delegate?.attemptFailed(link, error)
      case .ended: links[ObjectIdentifier(link)] = nil
      }
    }
    loop.sweep(noLaterThan: link.machine.nextTick)
  }

  private func send(_ kind: EnvelopeKind, _ body: some Encodable, on link: Link) {
    do throws(MinervaError) {
      link.sendControl(Envelope(kind), body: try CBOR.encode(body))
    } catch {
      malformed("\(kind) could not be encoded: \(error.message)", from: link)
    }
  }

  // MARK: Turns and timers

  /// Hands on what waits before a long turn has ended, also from inside of a call. Loop thread only.
  package func flushEarly() { for link in dirty { link.flushEarly() } }

  private func flush() {
    guard !dirty.isEmpty else { return }
    var links: [Link] = []
    swap(&links, &dirty)
    for link in links {
      link.isDirty = false
      flushNow(link)
    }
    if dirty.isEmpty {
      links.removeAll(keepingCapacity: true)
      swap(&links, &dirty)
    }
  }

  private func flushNow(_ link: Link) {
    guard !link.flush(at: loop.now), !link.isDirty else { return }
    // The channel is full. The socket's descriptor tells when there is room; the sweep is for the way without one.
    link.isDirty = true
    dirty.append(link)
    loop.sweep(noLaterThan: loop.now + 5)
  }

  /// Tries again what met a full queue; true when some of it went out.
  ///
  /// A dealer says when it has room, a router has it as soon as any peer has. But the word that one peer has room wakes the loop, or has just been
  /// taken in by asking `ZMQ_EVENTS`: then the queue takes more now. The sweep is for the word that is missed all the same.
  private func retryFull() -> Bool {
    guard !dirty.isEmpty else { return false }
    let before = counters.framesSent
    flush()
    return counters.framesSent != before
  }

  private func sweep(_ now: Int64) -> Int64 {
    var next = onSweep?(now) ?? .max
    for link in Array(links.values) {
      if now >= link.machine.nextTick { perform(link.machine.tick(at: now), on: link) }
      next = min(next, link.machine.nextTick)
    }
    for listener in listeners { next = min(next, listener.sweep(at: now)) }
    next = min(next, lookAtUnfinished(at: now), returnMemory(at: now))
    if !dirty.isEmpty { next = min(next, now + 5) }
    return next
  }

  // MARK: Closing

  /// True when nothing waits to be sent.
  package var isFlushed: Bool { links.values.allSatisfy(\.isFlushed) }

  /// How many messages wait in this process.
  package var waiting: Int { links.values.reduce(0) { $0 + $1.waiting } }

  /// Says goodbye to everyone, lets go of every socket and ends the loop; what libzmq still holds gets `linger` milliseconds.
  package func close(linger: Int32, then finish: @escaping @Sendable () -> Void) {
    isClosed = true
    for name in inProcessNames { settings.hub?.stopListening(name) }
    for link in Array(links.values) {
      (link.channel as? DealerChannel)?.linger = linger
      close(link, reason: "the process ends")
    }
    for listener in listeners { listener.close(linger: linger) }
    listeners = []
    closeEvents()
    if let gate {
      loop.remove(gate)
      gate.close()
    }
    gate = nil
    let context = contextIfMade
    contextIfMade = nil
    loop.confined.onStop = {
      context?.terminate()
      finish()
    }
    loop.stop()
  }

  // MARK: Errors

  static func typed(_ error: any Error, _ endpoint: Endpoint) -> MinervaError {
    switch error {
    case let error as MinervaError: error
    case let error as EndpointError: MinervaError(.endpointInvalid, error.description)
    default: MinervaError(.unreachable, "\(endpoint): \(error)")
    }
  }
}
