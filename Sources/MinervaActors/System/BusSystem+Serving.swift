public import Distributed
import MinervaTransport
import MinervaWire

// Calls of others: from the frame to the actor. Nothing here trusts a byte.
extension BusSystem {
  /// Lets others call the methods of `targets` on an actor, and keeps the actor alive as long as the bus.
  ///
  /// - Throws: `bus.not_exposed` when a label or type does not fit.
  public func expose<Stub, Actor>(
    _ actor: Actor, as targets: InterfaceTargets<Stub>, _ configure: (inout ExposureTable<Stub, Actor>) throws -> Void = { _ in }
  ) async throws where Actor: DistributedActor, Actor.ID == ActorAddress, Actor.ActorSystem == BusSystem {
    var table = ExposureTable<Stub, Actor>(targets)
    try configure(&table)
    let exposed = try TypedExposedActor(actor, table, catalogue: exposedNames, loop: loop)
    await onLoop { self.exposed[exposed.name] = exposed }
  }

  /// Calls `alarm` on the loop with the monotonic time, whenever the moment has come that it returned last; one a bus.
  ///
  /// `loop.sweep(noLaterThan:)` makes the next call come earlier.
  package func onAlarm(_ alarm: @escaping @Sendable (Int64) -> Int64) {
    loop.post {
      self.alarm = alarm
      self.loop.sweep(noLaterThan: self.loop.now)
    }
  }

  /// Sends the answers given so far, before a long turn of the loop has ended: whoever waits for them works on meanwhile. Loop thread only.
  package func flushEarly() { transport.flushEarly() }

  /// Runs `work` on the loop and returns its result.
  func onLoop<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withUnsafeContinuation { continuation in loop.perform { continuation.resume(returning: work()) } }
  }

  // MARK: Receiving

  func take(_ envelope: Envelope, _ message: UnsafeRawBufferPointer, in frame: Frame, on port: CallPort) {
    switch envelope.kind {
    case .call: serve(envelope, message, in: frame, on: port)
    case .reply: port.answered(envelope.call, envelope.body(in: message), in: frame)
    case .error: port.failed(envelope.call, envelope.body(in: message))
    case .cancel: port.cancelled(envelope.call)
    case .event: port.tookEvent(envelope, message)
    case .credit: port.credited(envelope, message)
    default:
      transport.counters.badMessages += 1
      port.reply(envelope.call, failing: MinervaError(.unsupported, "\(envelope.kind) is not served on this link"))
    }
  }

  @inline(__always) private func serve(_ envelope: Envelope, _ message: UnsafeRawBufferPointer, in frame: Frame, on port: CallPort) {
    do throws(MinervaError) {
      let address = try CallAddress(envelope.trailer(in: message), flags: envelope.flags, limits: port.limits)
      guard let actor = actor(address.actorBytes) else {
        throw MinervaError(.noSuchActor, "nobody called \(address.actor ?? "so") can be called in \(settings.node)")
      }
      let method = try method(address.target, of: actor)
      guard Int(envelope.arguments) == method.arguments else {
        throw .badMessage("the call has \(envelope.arguments) arguments instead of \(method.arguments)")
      }
      transport.counters.callsServed += 1
      if let direct = method.direct {
        callDirectly(actor, method.arguments, direct, envelope, message, in: frame, on: port)
      } else {
        let decoder = CBORDecoder(envelope.body(in: message), depth: port.limits.depth, payloads: frame.payloadBytes)
        try dispatch(actor, method, decoder, envelope, in: frame, on: port)
      }
    } catch {
      port.reply(envelope.call, failing: error)
    }
  }

  @inline(__always) private func actor(_ name: UnsafeRawBufferPointer) -> ExposedActor? {
    if let last = lastExposed, last.nameBytes.count == name.count, last.nameBytes.elementsEqual(name) { return last }
    guard let text = String(validating: name, as: UTF8.self), let actor = exposed[text] else { return nil }
    lastExposed = actor
    return actor
  }

  /// The method a target names, if it is on the actor's own list: the name alone decides nothing.
  @inline(__always) private func method(_ target: CallAddress.Target, of actor: ExposedActor) throws(MinervaError) -> ExposedActor.Method {
    switch target {
    case .index(let index):
      if Int(index) < actor.byIndex.count, let method = actor.byIndex[Int(index)] { return method }
      throw MinervaError(.notExposed, "\(actor.name) does not offer target \(index)")
    case .name(let bytes):
      guard let name = String(validating: bytes, as: UTF8.self), let method = actor.byName[name] else {
        throw MinervaError(.notExposed, "\(actor.name) does not offer this target")
      }
      return method
    }
  }

  /// The direct path: the actor's executor is this thread, so the call needs no task.
  @inline(__always) private func callDirectly(
    _ actor: ExposedActor, _ count: Int, _ direct: ExposedActor.Method.Direct, _ envelope: Envelope, _ message: UnsafeRawBufferPointer,
    in frame: Frame, on port: CallPort
  ) {
    if actor.hasUnstartedCalls {
      // An earlier call of the general path stands enqueued; it goes first.
      actor.hasUnstartedCalls = false
      loop.runEnqueuedJobs()
    }
    let identifier = envelope.call
    let encoder = supplies.encoders.take()
    // Read to its end, or given up, when the method has returned.
    let decoder = supplies.decoders.take(envelope.body(in: message), frame.payloadBytes, depth: port.limits.depth)
    defer { supplies.decoders.giveBack(decoder) }
    var arguments = CallArguments(decoder: decoder, left: count, on: port, identifier)
    do {
      try DirectCaller.during(port.peer) { try direct(&arguments, encoder) }
      if arguments.isAnsweredLater || port.reply(identifier, encoder) { supplies.encoders.giveBack(encoder) }
    } catch {
      if arguments.isAnsweredLater {
        port.failLate(identifier, Self.crossing(error))
      } else {
        port.reply(identifier, failing: Self.crossing(error))
      }
    }
  }

  /// The general path, in order: the task runs at once up to where it hands itself to the actor's executor, so calls are enqueued there as they
  /// came in. A plain `Task` would reorder several per cent of them.
  private func dispatch(
    _ actor: ExposedActor, _ method: ExposedActor.Method, _ decoder: CBORDecoder, _ envelope: Envelope, in frame: Frame,
    on port: CallPort
  ) throws(MinervaError) {
    let call = try port.serve(envelope.call, deadline: envelope.deadline)
    nonisolated(unsafe) let arguments = BusInvocationDecoder(decoder, arguments: method.arguments, stub: method.stub, in: frame)
    let target = method.target
    let body: @Sendable () async -> Void = { [self] in
      await CallContext.$current.withValue(call.context) {
        var arguments = arguments  // One task alone uses the decoder.
        do {
          try await actor.execute(target, &arguments, BusResultHandler(call: call), on: self)
        } catch {
          call.fail(error)
        }
      }
    }
    if actor.isOnLoop {
      actor.hasUnstartedCalls = true
      call.runs(as: Task(executorPreference: taskExecutor, operation: body))
    } else {
      call.runs(as: Task.immediate(operation: body))
    }
  }
}
