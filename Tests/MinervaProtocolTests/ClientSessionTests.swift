import MinervaProtocol
import MinervaWire
import Testing

@Suite("Client session") struct ClientSessionTests {
  private func at(_ milliseconds: Int64) -> Moment { Moment(milliseconds: milliseconds) }

  private func connected(_ settings: ClientSessionStateMachine.Settings = .init()) -> ClientSessionStateMachine {
    var session = ClientSessionStateMachine(settings: settings)
    #expect(session.linkUp(at: at(0)) == [.register])
    #expect(session.registered(epoch: 1, at: at(1)) == [.announceRegistered(epoch: 1, again: false)])
    return session
  }

  private func failure(_ actions: [ClientSessionStateMachine.Action], _ id: UInt64) -> MinervaError? {
    for case .fail(id, let error) in actions { return error }
    return nil
  }

  @Test func `a call is sent, answered once, and forgotten`() {
    var session = connected()
    #expect(session.call(7, .never, deadline: at(100), at: at(10)) == [.send(7, attempt: 1, remaining: 90)])
    #expect(session.answered(7) == [.deliver(7)])
    #expect(session.answered(7) == [])
    #expect(session.tick(at(1_000)) == [])
    #expect(session.nextDeadline == nil)
  }

  @Test func `only keyed and pure calls are sent again, in their order`() {
    var session = connected()
    for (id, kind) in [(1, .keyed), (2, .never), (3, .pure)] as [(UInt64, ClientSessionStateMachine.Repeatability)] {
      _ = session.call(id, kind, deadline: at(5_000), at: at(10))
    }
    let lost = session.linkDown(reason: "killed")
    #expect(lost.first == .announceLost(reason: "killed"))
    let error = failure(lost, 2)
    #expect(error?.code == .peerLost && error?.maybeExecuted == true && error?.retryable == false)
    #expect(lost.count == 2)
    #expect(session.linkDown(reason: "again") == [])
    _ = session.call(4, .never, deadline: at(5_000), at: at(20))
    _ = session.linkUp(at: at(100))
    #expect(
      session.registered(epoch: 2, at: at(110)) == [
        .announceRegistered(epoch: 2, again: true), .send(1, attempt: 2, remaining: 4_890), .send(3, attempt: 2, remaining: 4_890),
        .send(4, attempt: 1, remaining: 4_890),
      ])
  }

  @Test func `every call ends within its deadline, and says whether it may have been executed`() {
    var session = ClientSessionStateMachine()
    #expect(session.call(1, .keyed, deadline: at(50), at: at(0)) == [])
    #expect(session.nextDeadline == at(50))
    let waiting = session.tick(at(50))
    #expect(failure(waiting, 1)?.code == .unreachable && failure(waiting, 1)?.maybeExecuted == false)
    var other = connected()
    _ = other.call(2, .keyed, deadline: at(50), at: at(10))
    #expect(other.tick(at(49)) == [])
    let late = other.tick(at(50))
    #expect(late.first == .sendCancel(2) && failure(late, 2)?.code == .deadline && failure(late, 2)?.maybeExecuted == true)
    #expect(other.answered(2) == [])
    #expect(failure(other.call(3, .pure, deadline: at(50), at: at(50)), 3)?.code == .deadline)
  }

  @Test func `too many calls in flight are back-pressure with a time to come back`() {
    var settings = ClientSessionStateMachine.Settings()
    settings.callsInFlight = 2
    var session = connected(settings)
    _ = session.call(1, .never, deadline: at(50), at: at(1))
    _ = session.call(2, .never, deadline: at(50), at: at(1))
    let error = failure(session.call(3, .never, deadline: at(50), at: at(1)), 3)
    #expect(error?.code == .backpressure && error?.retryAfterMilliseconds == 50 && error?.retryable == true)
    _ = session.answered(1)
    #expect(session.call(3, .never, deadline: at(50), at: at(1)).count == 1)
  }

  @Test func `cancelling says what became of the call`() {
    var session = connected()
    _ = session.call(1, .never, deadline: at(50), at: at(1))
    let actions = session.cancel(1)
    #expect(actions.first == .sendCancel(1) && failure(actions, 1)?.maybeExecuted == true)
    #expect(session.cancel(1) == [])
  }

  @Test func `an unanswered registration gives its link up`() {
    var session = ClientSessionStateMachine()
    #expect(session.linkUp(at: at(0)) == [.register])
    #expect(session.nextDeadline == at(2_000))
    #expect(session.tick(at(2_000)) == [.dropLink])
    #expect(session.linkUp(at: at(2_100)) == [.register])
  }

  @Test func `closing ends what is left, and nothing is sent after`() {
    var session = connected()
    _ = session.call(1, .keyed, deadline: at(50), at: at(1))
    #expect(failure(session.close(), 1)?.code == .closed)
    #expect(failure(session.call(2, .keyed, deadline: at(50), at: at(1)), 2)?.code == .closed)
    #expect(session.linkUp(at: at(2)) == [.dropLink])
    #expect(session.unanswered == 0)
  }
}
