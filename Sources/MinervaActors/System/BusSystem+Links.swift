import MinervaProtocol
public import MinervaTransport
public import MinervaWire
import Synchronization

// Listening, dialling, and what becomes of peers.
extension BusSystem {
  /// Listens on an endpoint; returns it with the port the system chose.
  ///
  /// For `ipc` the caller holds a lock beside the path: libzmq itself lets a second process steal it.
  /// - Throws: `bus.endpoint_invalid`, `bus.endpoint_taken`, `bus.unauthorized` (tcp without keys).
  @discardableResult
  public func listen(on endpoint: Endpoint) async throws(MinervaError) -> Endpoint {
    try await onLoop { () -> Result<Endpoint, MinervaError> in
      Result { () throws(MinervaError) in try self.transport.listen(on: endpoint) }
    }.get()
  }

  /// Connects to an endpoint and keeps itself connected, with backoff and jitter, until ``disconnect(from:)``.
  ///
  /// - Parameter patience: For how long failed attempts are repeated before the first connection; without it the first failure is thrown.
  /// - Returns: The name of the process there.
  /// - Throws: `bus.unreachable`, `bus.unauthorized`, `bus.unsupported`, `bus.name_taken`, `bus.cancelled` when the waiting task is
  ///   cancelled; the endpoint is given up then.
  @discardableResult
  public func connect(to endpoint: Endpoint, patience: Duration = .zero) async throws(MinervaError) -> String {
    let until = MonotonicTime.milliseconds + patience.millisecondsRoundedUp
    let token = tokens.wrappingAdd(1, ordering: .relaxed).newValue
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<String, MinervaError>, Never>) in
        loop.perform {
          do throws(MinervaError) {
            guard self.closing == nil else { throw MinervaError(.closed, "this process is closing its bus") }
            let dialled: Dialled
            if let known = self.dialled[endpoint] { dialled = known } else { dialled = Dialled(try self.transport.dial(endpoint)) }
            self.dialled[endpoint] = dialled
            if dialled.link.isUp, let peer = dialled.link.peer { return continuation.resume(returning: .success(peer.node)) }
            dialled.waiters.append((token, continuation, until))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
        if Task.isCancelled { stopConnecting(to: endpoint, token) }
      }
    } onCancel: {
      stopConnecting(to: endpoint, token)
    }
    return try result.get()
  }

  private func stopConnecting(to endpoint: Endpoint, _ token: UInt64) {
    loop.post {
      guard let dialled = self.dialled[endpoint], let index = dialled.waiters.firstIndex(where: { $0.token == token }) else { return }
      let waiter = dialled.waiters.remove(at: index)
      waiter.continuation.resume(returning: .failure(MinervaError(.cancelled, "the caller gave up connecting to \(endpoint)")))
      guard dialled.waiters.isEmpty, !dialled.link.isUp else { return }
      self.dialled[endpoint] = nil
      self.transport.close(dialled.link, reason: "given up")
    }
  }

  /// Lets go of an endpoint for good.
  public func disconnect(from endpoint: Endpoint) async {
    await onLoop {
      guard let dialled = self.dialled.removeValue(forKey: endpoint) else { return }
      let error = MinervaError(.cancelled, "\(endpoint) was let go of before it was reached")
      for waiter in dialled.waiters { waiter.continuation.resume(returning: .failure(error)) }
      dialled.waiters = []
      self.transport.close(dialled.link, reason: "disconnected")
    }
  }

  /// Writes a node into the address book: it is dialled when somebody calls it, and stays connected then. Without an endpoint it is struck out.
  ///
  /// Written again it is a word that the node is there: an attempt that is due later is made at once.
  /// - Parameter server: The public key that the node has over tcp, where somebody who knows vouched for it; else the settings say.
  public func route(node name: String, to endpoint: Endpoint?, server: String? = nil) async {
    await onLoop {
      let node = self.node(name)
      let route = endpoint.map { Route(endpoint: $0, server: server) }
      guard node.route != route else {
        if let link = node.dialled { self.transport.hint(link) }
        return
      }
      node.route = route
      guard let link = node.dialled else { return }
      // It has moved: the old address is not tried again.
      node.dialled = nil
      self.transport.close(link, reason: "the address changed")
    }
  }

  /// The peers that can be called now, by name.
  public func peers() async -> [PeerInfo] {
    await onLoop { self.nodes.values.compactMap { $0.port.flatMap(self.info) }.sorted { $0.node < $1.node } }
  }

  /// What happens to peers from now on, each consumer its own stream; the peers that are up come first.
  ///
  /// In order and without gaps, however late it is read: a peer whose loss was dropped would be waited for, for ever.
  public var peerEvents: AsyncStream<PeerEvent> {
    let token = tokens.wrappingAdd(1, ordering: .relaxed).newValue
    let (stream, continuation) = AsyncStream.makeStream(of: PeerEvent.self)
    continuation.onTermination = { [weak self] _ in
      guard let self else { return }
      self.loop.post { self.eventSinks[token] = nil }
    }
    loop.perform {
      guard self.closing == nil else { return continuation.finish() }
      for node in self.nodes.values { if let info = node.port.flatMap(self.info) { continuation.yield(.connected(info)) } }
      self.eventSinks[token] = continuation
    }
    return stream
  }

  /// Waits until the process of an actor is gone, once; at once when it is not connected.
  ///
  /// - Throws: `bus.cancelled` when the waiting task is cancelled.
  public func terminated(_ address: ActorAddress) async throws -> Termination {
    let token = tokens.wrappingAdd(1, ordering: .relaxed).newValue
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        loop.perform {
          guard let node = self.nodes[address.node], node.port != nil else {
            continuation.resume(returning: Termination(address: address, reason: "not connected"))
            return
          }
          node.watchers[token] = (address, continuation)
        }
        if Task.isCancelled { self.stopWatching(address, token) }
      }
    } onCancel: {
      self.stopWatching(address, token)
    }
  }

  private func stopWatching(_ address: ActorAddress, _ token: UInt64) {
    loop.post {
      let watcher = self.nodes[address.node]?.watchers.removeValue(forKey: token)
      watcher?.1.resume(throwing: MinervaError(.cancelled, "the watcher gave up"))
    }
  }

  /// What the bus has counted since its start.
  public func counters() async -> BusCounters { await onLoop { self.transport.counters } }

  /// Replaces the keys that may connect over tcp; peers whose rights changed are dropped and may come back with what they have now.
  public func authorize(_ keys: AuthorizedKeys) async { await onLoop { self.transport.authorize(keys) } }

  // MARK: Loop thread only

  func node(_ name: String) -> Node {
    if let node = nodes[name] { return node }
    let node = Node(name)
    nodes[name] = node
    return node
  }

  func info(of port: CallPort) -> PeerInfo? {
    guard let link = port.link, let peer = link.session?.peer else { return nil }
    let now = loop.now
    return PeerInfo(
      node: peer.node, kind: peer.kind, pid: peer.pid, version: peer.version, incarnation: peer.incarnation,
      capabilities: peer.capabilities,
      endpoint: peer.listen, grant: port.peer.grant, isDialled: link.isDialled, silence: link.machine.silence(at: now),
      uptime: now - link.upSince, callsInFlight: port.callsInFlight, callsServed: port.callsServed, waiting: link.waiting)
  }

  /// Whether this life of a caller is connected: when it is, its loss is still to be told, so that what is kept for it can be dropped then.
  /// On the loop's thread only, where actors of this bus run that say so.
  package func isConnected(_ caller: PeerIdentity) -> Bool {
    nodes[caller.node]?.ports.contains { $0.peer.incarnation == caller.incarnation } ?? false
  }

  func emit(_ event: PeerEvent) { for sink in eventSinks.values { sink.yield(event) } }
}

extension BusSystem: TransportDelegate {
  package func linkRose(_ link: Link) {
    guard let peer = link.peer else { return }
    let node = node(peer.node)
    let port = CallPort(link, peer, on: self)
    lastPort = nil
    link.attachment = port
    // A link of our own making carries our calls, so that their order does not depend on what the other end dials.
    if link.isDialled { node.ports.insert(port, at: 0) } else { node.ports.append(port) }
    if node.port === port { hearAgain(at: node) }
    if node.ports.count == 1, let info = info(of: port) { emit(.connected(info)) }
    for dialled in dialled.values where dialled.link === link {
      for waiter in dialled.waiters { waiter.continuation.resume(returning: .success(peer.node)) }
      dialled.waiters = []
    }
    let waiting = node.waiting
    node.waiting = []
    for call in waiting { port.begin(call) }
    // The address book led to someone else.
    for other in nodes.values where other.dialled === link && other !== node {
      fail(other, Self.unreachable(other.name, "\(peer.node) answers at its address"))
    }
  }

  package func linkFell(_ link: Link, _ error: MinervaError) {
    guard let port = link.attachment as? CallPort else { return }
    link.attachment = nil
    lastPort = nil
    guard let node = nodes[port.peer.node] else { return port.end(error) }
    node.ports.removeAll { $0 === port }
    port.end(error)
    guard node.ports.isEmpty else { return hearAgain(at: node) }
    emit(.lost(node: node.name, incarnation: port.peer.incarnation, reason: error.message))
    let watchers = node.watchers.values
    node.watchers = [:]
    for (address, continuation) in watchers { continuation.resume(returning: Termination(address: address, reason: error.message)) }
    if node.isIdle { nodes[node.name] = nil }
  }

  package func attemptFailed(_ link: Link, _ error: MinervaError) {
    for node in nodes.values where node.dialled === link { fail(node, error) }
    for (endpoint, dialled) in dialled where dialled.link === link {
      let isFinal = [.unauthorized, .unsupported, .nameTaken, .endpointInvalid].contains(error.code)
      let hadWaiters = !dialled.waiters.isEmpty
      dialled.waiters.removeAll { waiter in
        guard isFinal || loop.now >= waiter.until else { return false }
        waiter.continuation.resume(returning: .failure(error))
        return true
      }
      if hadWaiters, dialled.waiters.isEmpty {
        self.dialled[endpoint] = nil
        transport.close(link, reason: "given up")
      }
    }
  }

  private func fail(_ node: Node, _ error: MinervaError) {
    let waiting = node.waiting
    node.waiting = []
    for call in waiting { call.fail(error) }
  }

  package func received(
    _ envelope: Envelope, _ message: UnsafeRawBufferPointer, in frame: Frame, for attachment: Unmanaged<AnyObject>?, on link: Link
  ) {
    // Only `linkRose` sets an attachment, and it sets a port.
    attachment?._withUnsafeGuaranteedRef { take(envelope, message, in: frame, on: unsafeDowncast($0, to: CallPort.self)) }
  }
}
