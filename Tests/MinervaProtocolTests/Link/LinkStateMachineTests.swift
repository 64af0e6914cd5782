import MinervaProtocol
import MinervaWire
import Testing

@Suite("Link state machine")
struct LinkStateMachineTests {
  static let api = APIVersion(number: 1, fingerprint: 7)

  static func settings(_ node: String, heartbeat: Int64 = 500, api: APIVersion = api) -> LinkStateMachine.Settings {
    LinkStateMachine.Settings(
      introduction: Introduction(node: node, incarnation: 1, kind: "app", pid: 1, version: "1", heartbeat: heartbeat), api: api)
  }

  static func hello(_ node: String, oldest: UInt8 = 1, newest: UInt8 = 1, api: APIVersion = api, limits: Limits = .standard) -> Hello {
    Hello(
      oldest: oldest, newest: newest, api: api,
      from: Introduction(node: node, incarnation: 2, kind: "app", pid: 2, version: "1", limits: limits, heartbeat: 100))
  }

  static func welcome(_ node: String, version: UInt8 = 1) -> Welcome { Welcome(version: version, api: api, from: hello(node).from) }

  /// A dialled link that is up since the time 10.
  static func up() -> LinkStateMachine {
    var link = LinkStateMachine.dialled(settings("a"), seed: 1)
    _ = link.start(at: 0)
    _ = link.connected(at: 5)
    _ = link.received(welcome: welcome("b"), objection: nil, at: 10)
    return link
  }

  @Test("dialled: dial, hello, welcome, up with the stricter limits")
  func dialled() {
    var link = LinkStateMachine.dialled(Self.settings("a"), seed: 1)
    #expect(link.start(at: 0) == [.dial])
    #expect(link.isReaching)
    guard case .sendHello(let hello)? = link.connected(at: 5).first else { return #expect(Bool(false), "no hello") }
    #expect(hello.from.node == "a")
    var limited = Self.welcome("b")
    limited.from.limits.callsInFlight = 3
    guard case .up(let session)? = link.received(welcome: limited, objection: nil, at: 10).first else {
      return #expect(Bool(false), "not up")
    }
    #expect(session.limits.callsInFlight == 3)
    #expect(link.isUp)
  }

  @Test("accepted: a hello is answered by welcome, and only the first one")
  func accepted() {
    var link = LinkStateMachine.accepted(Self.settings("b"))
    let actions = link.received(hello: Self.hello("a"), objection: nil, at: 0)
    #expect(actions.count == 2)
    #expect(link.isUp)
    #expect(link.received(hello: Self.hello("a"), objection: nil, at: 1).isEmpty)
  }

  @Test("versions and interfaces that do not fit are refused, with both named")
  func mismatch() {
    for hello in [Self.hello("a", oldest: 9, newest: 12), Self.hello("a", api: APIVersion(number: 2, fingerprint: 8))] {
      var link = LinkStateMachine.accepted(Self.settings("b"))
      guard case .sendReject(let reject)? = link.received(hello: hello, objection: nil, at: 0).first else {
        return #expect(Bool(false), "no reject")
      }
      #expect(reject.error.code == .unsupported)
      if hello.api != Self.api {
        #expect(reject.error.message.contains("\(Self.api)") && reject.error.message.contains("\(hello.api)"))
      } else {
        #expect(reject.error.message.contains("9-12") && reject.error.message.contains("1-1"))
      }
      #expect(link.hasEnded)
    }
  }

  @Test("C04: a taken name is an explicit rejection, and the dialler tries again later")
  func nameTaken() {
    var server = LinkStateMachine.accepted(Self.settings("b"))
    let taken = MinervaError(.nameTaken, "taken")
    guard case .sendReject(let reject)? = server.received(hello: Self.hello("a"), objection: taken, at: 0).first else {
      return #expect(Bool(false), "no reject")
    }
    var client = LinkStateMachine.dialled(Self.settings("a"), seed: 1)
    _ = client.start(at: 0)
    _ = client.connected(at: 1)
    #expect(client.received(reject: reject, at: 2) == [.hangUp, .attemptFailed(taken)])
    #expect(!client.isReaching)
    #expect(client.tick(at: client.nextTick) == [.dial])
  }

  @Test("a peer that is silent for its miss limit is lost once; one that is heard is not")
  func heartbeats() {
    var link = Self.up()
    // The peer beats every 100 ms; three misses are 300.
    #expect(link.tick(at: 300).allSatisfy { $0 == .sendPing })
    link.heard(at: 300)
    #expect(link.tick(at: 599).allSatisfy { $0 == .sendPing })
    #expect(link.isUp)
    let lost = link.tick(at: 600)
    #expect(lost.contains { if case .down(let error) = $0 { error.code == .peerLost && error.maybeExecuted } else { false } })
    #expect(!link.isUp)
    #expect(!link.tick(at: 601).contains { if case .down = $0 { true } else { false } })
  }

  @Test("a hostile heartbeat interval traps nothing and keeps nobody for ever", arguments: [Int64.min, -1, 0, Int64.max])
  func hostileHeartbeat(_ interval: Int64) {
    var hello = Self.hello("a")
    hello.from.heartbeat = interval
    var link = LinkStateMachine.accepted(Self.settings("b"))
    _ = link.received(hello: hello, objection: nil, at: 0)
    #expect(link.isUp)
    _ = link.tick(at: 200_000)
    #expect(!link.isUp)
  }

  @Test("pings go out when there is nothing else to say, and not otherwise")
  func pings() {
    var link = Self.up()
    link.heard(at: 500)
    link.spoke(at: 400)
    #expect(link.tick(at: 510).isEmpty)
    link.heard(at: 899)
    #expect(link.tick(at: 900) == [.sendPing])
    #expect(link.tick(at: 901).isEmpty)
  }

  @Test("attempts that fail are repeated with growing, jittered delays, the same for the same seed")
  func backoff() {
    func delays(_ seed: UInt64) -> [Int64] {
      var link = LinkStateMachine.dialled(Self.settings("a"), seed: seed)
      _ = link.start(at: 0)
      var now: Int64 = 0
      return (0..<12).map { _ in
        _ = link.refused(MinervaError(.unreachable, "no"), at: now)
        let delay = link.nextTick - now
        now = link.nextTick
        #expect(link.tick(at: now) == [.dial])
        return delay
      }
    }
    let first = delays(1)
    #expect(first == delays(1))
    #expect(first != delays(2))
    #expect(first.allSatisfy { $0 >= 25 && $0 <= 2_000 })
    #expect(first.suffix(4).allSatisfy { $0 >= 1_000 })
  }

  @Test("an attempt that nobody answers ends at its timeout, connected or not")
  func timeouts() {
    var link = LinkStateMachine.dialled(Self.settings("a"), seed: 1)
    _ = link.start(at: 0)
    #expect(link.tick(at: 2_999).isEmpty)
    #expect(link.tick(at: 3_000).first == .hangUp)
    _ = link.tick(at: link.nextTick)
    _ = link.connected(at: link.nextTick - 1)
    #expect(link.tick(at: link.nextTick).first == .hangUp)
  }

  @Test("a goodbye ends the link at once; closing says goodbye")
  func goodbye() {
    var link = Self.up()
    #expect(link.receivedGoodbye(reason: "bye", at: 20).contains(.hangUp))
    var other = Self.up()
    let actions = other.close(reason: "done")
    #expect(actions.first == .sendGoodbye(reason: "done"))
    #expect(actions.last == .ended)
    #expect(other.close(reason: "again").isEmpty)
  }

  @Test("the queue is bounded before anything is kept")
  func load() throws {
    var load = LinkLoad()
    let limits = Limits(callsInFlight: 2, outboundBytes: 100, outboundMessages: 3)
    // One message always fits an empty queue.
    try load.enqueue(bytes: 1_000, limits: limits)
    #expect(throws: MinervaError.self) { try load.enqueue(bytes: 1, limits: limits) }
    load.dequeue(messages: 1, bytes: 1_000)
    for _ in 0..<3 { try load.enqueue(bytes: 1, limits: limits) }
    #expect(throws: MinervaError.self) { try load.enqueue(bytes: 1, limits: limits) }
    #expect(load.messages == 3 && load.bytes == 3)
  }

  @Test(
    "random inputs: up and down alternate, nothing follows the end, time never runs a dead link", arguments: 1...200 as ClosedRange<UInt64>)
  func random(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var link = Bool.random(using: &random) ? LinkStateMachine.dialled(Self.settings("a"), seed: seed) : .accepted(Self.settings("a"))
    var now: Int64 = 0
    var isUp = false
    for step in 0..<200 {
      now += Int64.random(in: 0...400, using: &random)
      let hadEnded = link.hasEnded
      let error = MinervaError(.unreachable, "x")
      let objection = Int.random(in: 0..<8, using: &random) == 0 ? error : nil
      let actions: [LinkStateMachine.Action] =
        switch Int.random(in: 0..<14, using: &random) {
        case 0: link.start(at: now)
        case 1, 2: link.connected(at: now)
        case 3: link.refused(error, at: now)
        case 4: link.disconnected("x", at: now)
        case 5, 6: link.received(hello: Self.hello("b"), objection: objection, at: now)
        case 7, 8: link.received(welcome: Self.welcome("b", version: objection == nil ? 1 : 9), objection: nil, at: now)
        case 9: link.received(reject: Reject(error: error, api: Self.api), at: now)
        case 10: link.receivedPing(at: now)
        case 11: link.receivedGoodbye(reason: "x", at: now)
        case 12 where step > 150: link.close(reason: "x")
        default: link.tick(at: now)
        }
      if hadEnded { #expect(actions.isEmpty, "seed \(seed), step \(step)") }
      for action in actions {
        switch action {
        case .up:
          #expect(!isUp, "seed \(seed), step \(step)")
          isUp = true
        case .down:
          #expect(isUp, "seed \(seed), step \(step)")
          isUp = false
        default: break
        }
      }
      #expect(link.isUp == isUp, "seed \(seed), step \(step)")
      #expect((link.session != nil) == isUp, "seed \(seed), step \(step)")
    }
  }
}
