package import MinervaWire

/// A client's conversation with the broker, across lost connections and broker restarts.
///
/// Calls are known by id; their bytes stay with the loop that performs the actions. What is promised: every call ends exactly once and within its
/// deadline; a call is sent again after a reconnect only when it has a key or is pure, any other that may have been executed ends
/// `bus.peer_lost` with `maybe_executed`; a call that was never sent waits for the connection until its deadline.
///
/// The link below dials and keeps itself alive; this machine is told when it is up or down.
package struct ClientSessionStateMachine: Sendable {
  package typealias CallID = UInt64

  package struct Settings: Hashable, Sendable {
    /// How many calls may be unanswered, waiting ones included.
    package var callsInFlight = Limits.standard.callsInFlight
    /// How long a registration may stay unanswered before the link is given up, in milliseconds.
    package var registrationTimeout: Int64 = 2_000
    /// What a caller is told to wait when too many calls are in flight, in milliseconds.
    package var retryAfter: Int64 = 50

    package init() {}
  }

  /// Why a call may be sent a second time.
  package enum Repeatability: Hashable, Sendable {
    /// It has a `txn`: the broker answers a repetition with the first outcome (N2).
    case keyed
    /// It changes nothing.
    case pure
    /// It may not.
    case never
  }

  /// What the loop does.
  package enum Action: Hashable, Sendable {
    /// Send the registration over the link that is up.
    case register
    /// Close the link; it is up but useless.
    case dropLink
    /// Send the call with the milliseconds it has left.
    case send(CallID, attempt: Int, remaining: Int64)
    /// Tell the broker that nobody waits for the call any more.
    case sendCancel(CallID)
    /// End the call without an answer of the broker.
    case fail(CallID, MinervaError)
    /// End the call with the answer that came.
    case deliver(CallID)
    /// Tell people, once, that the broker is away or back.
    case announceLost(reason: String)
    case announceRegistered(epoch: UInt64, again: Bool)
  }

  private enum State: Hashable, Sendable {
    /// No link. Calls wait.
    case disconnected
    /// The link is up, the registration has been sent; until when an answer is awaited.
    case registering(until: Moment)
    /// Calls flow.
    case registered(epoch: UInt64)
    /// Nothing will ever be sent again.
    case closed
  }

  private struct Call: Hashable, Sendable {
    let repeatability: Repeatability
    let deadline: Moment
    /// How often it has been sent.
    var attempts = 0
    /// Whether it is on its way over the present link.
    var sent = false
  }

  private let settings: Settings
  private var state = State.disconnected
  private var calls: [CallID: Call] = [:]
  /// The order in which calls were made: they are sent in it again.
  private var order: [CallID] = []
  /// No later than the deadline of any call: one comparison a call instead of a search a question.
  private var soonest = Moment.distantFuture
  private var wasRegistered = false
  private var lostAnnounced = false

  package init(settings: Settings = Settings()) { self.settings = settings }

  /// How many calls have not ended.
  package var unanswered: Int { calls.count }

  /// How many calls wait for a link.
  package var unsent: Int { calls.values.reduce(0) { $0 + ($1.sent ? 0 : 1) } }

  /// Whether calls are sent at once.
  package var isRegistered: Bool { if case .registered = state { true } else { false } }

  /// When ``tick(_:)`` has to be called next, or never; perhaps somewhat early, as the deadline of an answered call is forgotten at the next tick.
  package var nextDeadline: Moment? {
    var next = calls.isEmpty ? .distantFuture : soonest
    switch state {
    case .registering(let until): next = min(next, until)
    case .disconnected, .registered, .closed: break
    }
    return next == .distantFuture ? nil : next
  }
}

// MARK: - Calls

extension ClientSessionStateMachine {
  /// A caller makes a call. Ids are the caller's; one that is in flight already is refused.
  package mutating func call(_ id: CallID, _ repeatability: Repeatability, deadline: Moment, at now: Moment) -> [Action] {
    if case .closed = state { return [.fail(id, MinervaError(.closed, "this session has been closed"))] }
    guard calls[id] == nil else { return [.fail(id, .badMessage("call \(id) is in flight already"))] }
    guard now < deadline else { return [.fail(id, MinervaError(.deadline, "the deadline had passed before the call was made"))] }
    guard calls.count < settings.callsInFlight else {
      return [
        .fail(id, .backpressure("the session", limit: settings.callsInFlight, retryAfterMilliseconds: settings.retryAfter))
      ]
    }
    calls[id] = Call(repeatability: repeatability, deadline: deadline)
    order.append(id)
    soonest = min(calls.count == 1 ? .distantFuture : soonest, deadline)
    return send(id, at: now).map { [$0] } ?? []
  }

  /// An answer came, whatever it says. A second answer to the same call, or one to a call that has ended, is nothing.
  package mutating func answered(_ id: CallID) -> [Action] { remove(id) == nil ? [] : [.deliver(id)] }

  /// The caller gives up. What became of the call is in the error.
  package mutating func cancel(_ id: CallID) -> [Action] {
    guard let call = remove(id) else { return [] }
    let error = MinervaError(
      .cancelled, call.attempts > 0 ? "cancelled; the call may have been executed" : "cancelled before it was sent",
      details: [MinervaError.Detail.maybeExecuted: call.attempts > 0 ? "true" : "false"])
    return (call.sent ? [.sendCancel(id)] : []) + [.fail(id, error)]
  }

  /// Time passes: calls past their deadline end, an unanswered registration gives up its link.
  package mutating func tick(_ now: Moment) -> [Action] {
    var actions: [Action] = []
    for id in order where soonest <= now && calls[id].map({ $0.deadline <= now }) ?? false {
      guard let call = calls.removeValue(forKey: id) else { continue }
      if call.sent { actions.append(.sendCancel(id)) }
      actions.append(.fail(id, ClientSessionStateMachine.late(call)))
    }
    compactOrder()
    soonest = calls.values.lazy.map(\.deadline).min() ?? .distantFuture
    switch state {
    case .registering(let until) where until <= now:
      state = .disconnected
      actions.append(.dropLink)
    default: break
    }
    return actions
  }

  private static func late(_ call: Call) -> MinervaError {
    guard call.attempts > 0 else {
      return MinervaError(
        .unreachable, "the broker could not be reached before the deadline; the call was not sent",
        details: [MinervaError.Detail.maybeExecuted: "false"])
    }
    return MinervaError(
      .deadline, "no answer before the deadline; the call may have been executed", details: [MinervaError.Detail.maybeExecuted: "true"])
  }

  private mutating func send(_ id: CallID, at now: Moment) -> Action? {
    guard case .registered = state, var call = calls[id], !call.sent else { return nil }
    call.attempts += 1
    call.sent = true
    calls[id] = call
    return .send(id, attempt: call.attempts, remaining: max(1, call.deadline - now))
  }

  private mutating func remove(_ id: CallID) -> Call? {
    guard let call = calls.removeValue(forKey: id) else { return nil }
    compactOrder()
    return call
  }

  /// Forgets ended calls in the order once they are the larger part of it: constant cost a call.
  private mutating func compactOrder() {
    guard order.count > 32, order.count > calls.count * 2 else { return }
    order.removeAll { calls[$0] == nil }
  }
}

// MARK: - The link

extension ClientSessionStateMachine {
  /// The link is up: the session registers before anything else is sent.
  package mutating func linkUp(at now: Moment) -> [Action] {
    switch state {
    case .closed: return [.dropLink]
    case .disconnected:
      state = .registering(until: now + settings.registrationTimeout)
      return [.register]
    case .registering, .registered: return []
    }
  }

  /// The broker accepted the registration; what waits is sent, in the order in which it was asked.
  package mutating func registered(epoch: UInt64, at now: Moment) -> [Action] {
    guard case .registering = state else { return [] }
    state = .registered(epoch: epoch)
    var actions: [Action] = [.announceRegistered(epoch: epoch, again: wasRegistered)]
    wasRegistered = true
    lostAnnounced = false
    for id in order { if let action = send(id, at: now) { actions.append(action) } }
    return actions
  }

  /// The link is down. Calls that may not be repeated and may have been executed end; the others wait.
  package mutating func linkDown(reason: String) -> [Action] {
    switch state {
    case .closed: return []
    case .disconnected, .registering, .registered: state = .disconnected
    }
    var actions: [Action] = []
    if !lostAnnounced, wasRegistered {
      lostAnnounced = true
      actions.append(.announceLost(reason: reason))
    }
    for id in order {
      guard var call = calls[id], call.sent else { continue }
      if call.repeatability == .never {
        calls[id] = nil
        actions.append(.fail(id, .peerLost("the broker", reason: reason, maybeExecuted: true)))
      } else {
        call.sent = false
        calls[id] = call
      }
    }
    compactOrder()
    return actions
  }

  /// The session ends: every call that is left ends now.
  package mutating func close() -> [Action] {
    var actions: [Action] = []
    for id in order {
      guard let call = calls.removeValue(forKey: id) else { continue }
      actions.append(
        .fail(
          id,
          MinervaError(
            .closed, call.attempts > 0 ? "closed; the call may have been executed" : "closed before the call was sent",
            details: [MinervaError.Detail.maybeExecuted: call.attempts > 0 ? "true" : "false"])))
    }
    order.removeAll()
    state = .closed
    return actions
  }
}
