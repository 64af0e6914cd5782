package import MinervaWire

/// One link between two processes, as pure logic: handshake, signs of life, loss, redial, and the bounds of what may wait.
///
/// Inputs and the time (milliseconds of a monotonic clock, C07) go in, ``Action`` values come out; the transport performs them. The same type
/// runs in the services, in the in-process transport and in the simulation.
///
/// ```
///  dialled:   idle ─start→ dialling ─connected→ greeting ─welcome→ up ─lost→ waiting ─(backoff)→ dialling …
///  accepted:  listening ─hello→ up ─lost→ ended
/// ```
package struct LinkStateMachine: Sendable {
  private enum State: Hashable, Sendable {
    /// Made, not started.
    case idle
    /// Accepted: a connection without a hello yet.
    case listening
    /// A connection is being made; given up at the deadline.
    case dialling(until: Int64)
    /// Hello is sent, the answer is awaited until the deadline.
    case greeting(until: Int64)
    /// Both sides know each other.
    case up
    /// Dialled and lost: the next attempt is due at the time.
    case waiting(until: Int64)
    /// Nothing happens any more.
    case ended
  }

  /// What the transport has to do, in this order.
  package enum Action: Hashable, Sendable {
    /// Make a new connection; whatever socket there was is dropped.
    case dial
    /// Drop the connection.
    case hangUp
    case sendHello(Hello)
    case sendWelcome(Welcome)
    case sendReject(Reject)
    case sendPing
    case sendPong
    case sendGoodbye(reason: String)
    /// The peer may be called from now on.
    case up(Session)
    /// The peer can no longer be called; calls in flight end with this error.
    case down(MinervaError)
    /// An attempt to reach the peer failed; it is repeated unless the link has ended.
    case attemptFailed(MinervaError)
    /// The link is over and can be forgotten.
    case ended
  }

  /// What both ends agreed on.
  package struct Session: Hashable, Sendable {
    /// Who the peer says it is.
    package var peer: Introduction
    /// The protocol version both speak.
    package var version: UInt8
    /// The stricter of both ends' limits, field by field.
    package var limits: Limits
  }

  /// What one end is and how patient it is.
  package struct Settings: Sendable {
    package var introduction: Introduction
    package var api: APIVersion
    /// How long a connection and the answer to hello may take, together, in milliseconds.
    package var handshakeTimeout: Int64
    /// After how many silent heartbeat intervals of the peer it counts as lost.
    package var missLimit: Int64
    package var backoff: Backoff

    package init(
      introduction: Introduction, api: APIVersion, handshakeTimeout: Int64 = 3_000, missLimit: Int64 = 3,
      backoff: Backoff = Backoff(first: 50, cap: 2_000)
    ) {
      self.introduction = introduction
      self.api = api
      self.handshakeTimeout = handshakeTimeout
      self.missLimit = missLimit
      self.backoff = backoff
    }
  }

  private var state: State
  private let isDialled: Bool
  private let settings: Settings
  private var backoff: Backoff
  private var random: SplitMix64
  private var lastHeard: Int64 = 0
  private var lastSent: Int64 = 0
  /// What was agreed on; nothing unless the link is up.
  package private(set) var session: Session?
  /// What waits to be sent and to be answered.
  package var load = LinkLoad()

  /// A link that this end makes and keeps making.
  package static func dialled(_ settings: Settings, seed: UInt64) -> LinkStateMachine {
    LinkStateMachine(state: .idle, isDialled: true, settings: settings, random: SplitMix64(seed: seed))
  }

  /// A link that the other end made; it begins with a hello.
  package static func accepted(_ settings: Settings) -> LinkStateMachine {
    LinkStateMachine(state: .listening, isDialled: false, settings: settings, random: SplitMix64(seed: 0))
  }

  private init(state: State, isDialled: Bool, settings: Settings, random: SplitMix64) {
    self.state = state
    self.isDialled = isDialled
    self.settings = settings
    self.random = random
    backoff = settings.backoff
  }

  // MARK: What is known

  package var isUp: Bool { if case .up = state { true } else { false } }
  package var hasEnded: Bool { state == .ended }

  /// True while an attempt to reach the peer runs, so that a call may wait for it instead of failing.
  package var isReaching: Bool {
    switch state {
    case .idle, .dialling, .greeting: isDialled
    case .listening, .up, .waiting, .ended: false
    }
  }

  /// Milliseconds since the peer was last heard.
  package func silence(at now: Int64) -> Int64 { max(0, now - lastHeard) }

  /// When `tick` has something to do at the earliest.
  package var nextTick: Int64 {
    switch state {
    case .idle, .listening, .ended: .max
    case .dialling(let until), .greeting(let until), .waiting(let until): until
    case .up: min(lastSent + settings.introduction.heartbeat, lastHeard + patience)
    }
  }

  /// How long the peer may be silent: its own interval, times the misses allowed.
  private var patience: Int64 {
    // A peer says how often it beats; what it says is clamped, since it may be hostile.
    min(max(1, session?.peer.heartbeat ?? settings.introduction.heartbeat), Self.longestHeartbeat) * settings.missLimit
  }

  private static let longestHeartbeat: Int64 = 60_000

  // MARK: Inputs

  /// Begins to reach the peer.
  package mutating func start(at now: Int64) -> [Action] {
    guard state == .idle else { return [] }
    state = .dialling(until: now + settings.handshakeTimeout)
    return [.dial]
  }

  /// Somebody who knows says that the peer is there: a link that waits for its next attempt makes it now.
  package mutating func hint(at now: Int64) -> [Action] {
    guard case .waiting = state else { return [] }
    backoff.reset()
    state = .dialling(until: now + settings.handshakeTimeout)
    return [.dial]
  }

  /// The connection stands.
  package mutating func connected(at now: Int64) -> [Action] {
    guard case .dialling(let until) = state else { return [] }
    state = .greeting(until: until)
    lastSent = now
    return [.sendHello(Hello(api: settings.api, from: settings.introduction))]
  }

  /// The connection could not be made, or the other side refused us below the protocol.
  package mutating func refused(_ error: MinervaError, at now: Int64) -> [Action] {
    switch state {
    case .dialling, .greeting: failAttempt(error, at: now)
    case .idle, .listening, .up, .waiting, .ended: []
    }
  }

  /// The connection is gone.
  package mutating func disconnected(_ reason: String, at now: Int64) -> [Action] {
    switch state {
    case .up: lose(reason, at: now, saying: nil)
    case .dialling, .greeting: failAttempt(MinervaError(.unreachable, "the connection ended before the handshake (\(reason))"), at: now)
    case .listening: end()
    case .idle, .waiting, .ended: []
    }
  }

  /// A whole message of any kind came in.
  package mutating func heard(at now: Int64) { lastHeard = now }

  /// A message of any kind went out.
  package mutating func spoke(at now: Int64) { lastSent = now }

  /// A hello came in; `objection` is what the transport knows against the peer (its name is taken, its key has no role).
  package mutating func received(hello: Hello, objection: MinervaError?, at now: Int64) -> [Action] {
    guard state == .listening else { return [] }
    let failure: MinervaError
    do throws(MinervaError) {
      let version = try hello.agree(api: settings.api)
      guard let objection else { return [.sendWelcome(welcome(version))] + rise(hello.from, version, at: now) }
      failure = objection
    } catch {
      failure = error
    }
    return [.sendReject(Reject(error: failure, api: settings.api))] + end()
  }

  /// A welcome came in.
  package mutating func received(welcome: Welcome, objection: MinervaError?, at now: Int64) -> [Action] {
    guard case .greeting = state else { return [] }
    if let objection { return [.sendGoodbye(reason: objection.message)] + failAttempt(objection, at: now) }
    guard welcome.version >= Envelope.oldestVersion, welcome.version <= Envelope.version else {
      return failAttempt(
        MinervaError(.unsupported, "\(welcome.from.node) chose protocol \(welcome.version), which this end does not speak"), at: now)
    }
    backoff.reset()
    return rise(welcome.from, welcome.version, at: now)
  }

  /// A reject came in: the attempt failed; a later one may succeed (a name gets free, a key is allowed).
  package mutating func received(reject: Reject, at now: Int64) -> [Action] {
    guard case .greeting = state else { return [] }
    return failAttempt(reject.error, at: now)
  }

  package mutating func receivedPing(at now: Int64) -> [Action] {
    lastHeard = now
    return isUp ? [.sendPong] : []
  }

  /// The peer leaves, or does not know us any more.
  package mutating func receivedGoodbye(reason: String, at now: Int64) -> [Action] {
    switch state {
    case .up: lose("it said goodbye: \(reason)", at: now, saying: nil)
    case .greeting, .dialling: failAttempt(MinervaError(.unreachable, "the peer is leaving: \(reason)"), at: now)
    case .idle, .listening, .waiting, .ended: []
    }
  }

  /// The other end broke the protocol in a way that makes the link worthless.
  package mutating func violated(_ error: MinervaError, at now: Int64) -> [Action] {
    switch state {
    case .up: lose(error.message, at: now, saying: error.message)
    case .greeting, .dialling: failAttempt(error, at: now)
    case .listening: end()
    case .idle, .waiting, .ended: []
    }
  }

  /// Time has passed.
  package mutating func tick(at now: Int64) -> [Action] {
    switch state {
    case .idle, .listening, .ended:
      return []
    case .dialling(let until):
      guard now >= until else { return [] }
      return failAttempt(MinervaError(.unreachable, "no connection within \(settings.handshakeTimeout) ms"), at: now)
    case .greeting(let until):
      guard now >= until else { return [] }
      return failAttempt(MinervaError(.unreachable, "no answer to hello within \(settings.handshakeTimeout) ms"), at: now)
    case .waiting(let until):
      guard now >= until else { return [] }
      state = .dialling(until: now + settings.handshakeTimeout)
      return [.dial]
    case .up:
      if silence(at: now) >= patience { return lose("silent for \(silence(at: now)) ms", at: now, saying: "you were silent") }
      guard now - lastSent >= settings.introduction.heartbeat else { return [] }
      lastSent = now
      return [.sendPing]
    }
  }

  /// This end leaves for good.
  package mutating func close(reason: String) -> [Action] {
    switch state {
    case .up:
      let lost = down("this end closed: \(reason)")
      return [.sendGoodbye(reason: reason), lost] + end()
    case .idle, .listening, .dialling, .greeting, .waiting: return end()
    case .ended: return []
    }
  }

  // MARK: Transitions

  private func welcome(_ version: UInt8) -> Welcome { Welcome(version: version, api: settings.api, from: settings.introduction) }

  private mutating func rise(_ peer: Introduction, _ version: UInt8, at now: Int64) -> [Action] {
    let session = Session(peer: peer, version: version, limits: settings.introduction.limits.stricter(peer.limits))
    state = .up
    lastHeard = now
    lastSent = now
    self.session = session
    load = LinkLoad()
    return [.up(session)]
  }

  private mutating func lose(_ reason: String, at now: Int64, saying words: String?) -> [Action] {
    var actions: [Action] = words.map { [.sendGoodbye(reason: $0)] } ?? []
    actions.append(down(reason))
    actions.append(.hangUp)
    if isDialled { waitAgain(at: now) } else { actions += end(hangUp: false) }
    return actions
  }

  private mutating func down(_ reason: String) -> Action {
    let peer = session?.peer.node ?? "the peer"
    session = nil
    load = LinkLoad()
    return .down(.peerLost(peer, reason: reason, maybeExecuted: true))
  }

  private mutating func failAttempt(_ error: MinervaError, at now: Int64) -> [Action] {
    waitAgain(at: now)
    return [.hangUp, .attemptFailed(error)]
  }

  private mutating func waitAgain(at now: Int64) {
    state = .waiting(until: now + backoff.next(using: &random))
  }

  private mutating func end(hangUp: Bool = true) -> [Action] {
    state = .ended
    session = nil
    return hangUp ? [.hangUp, .ended] : [.ended]
  }
}
