import MinervaProtocol
import MinervaWire
import Testing

@Suite("Host leases") struct HostLeaseTests {
  private func at(_ milliseconds: Int64) -> Moment { Moment(milliseconds: milliseconds) }

  private func accepted(_ actions: [HostLeaseStateMachine.Action]) -> (lease: HostLeaseStateMachine.Lease, resumed: Bool)? {
    for case .accepted(let lease, let resumed) in actions { return (lease, resumed) }
    return nil
  }

  private func refused(_ actions: [HostLeaseStateMachine.Action]) -> MinervaError.Code? {
    for case .refused(let error) in actions { return error.code }
    return nil
  }

  @Test func `a host that comes back within its lease goes on`() throws {
    var leases = HostLeaseStateMachine()
    let first = try #require(accepted(leases.register(node: "shop", incarnation: 1, at: at(0))))
    #expect(!first.resumed)
    #expect(leases.lost(node: "shop", incarnation: 1, at: at(10)) == [.suspended(first.lease, until: at(3_010))])
    #expect(leases.check(node: "shop", incarnation: 1, number: first.lease.number)?.code == .staleEpoch)
    let back = try #require(accepted(leases.register(node: "shop", incarnation: 1, at: at(3_009))))
    #expect(back.resumed && back.lease == first.lease)
    #expect(leases.check(node: "shop", incarnation: 1, number: first.lease.number) == nil)
    #expect(leases.nextDeadline == nil)
  }

  @Test func `C07: a host stopped for longer than its lease is declared dead once and starts anew`() throws {
    var leases = HostLeaseStateMachine()
    let old = try #require(accepted(leases.register(node: "shop", incarnation: 1, at: at(0)))).lease
    _ = leases.lost(node: "shop", incarnation: 1, at: at(0))
    #expect(leases.nextDeadline == at(3_000))
    #expect(leases.tick(at(3_000)) == [.expired(old, reason: .timedOut)])
    #expect(leases.tick(at(9_000)) == [])
    #expect(leases.lost(node: "shop", incarnation: 1, at: at(9_000)) == [])
    #expect(leases.check(node: "shop", incarnation: 1, number: old.number)?.code == .staleEpoch)
    let new = try #require(accepted(leases.register(node: "shop", incarnation: 1, at: at(9_000))))
    #expect(!new.resumed && new.lease.number > old.number)
    #expect(leases.check(node: "shop", incarnation: 1, number: old.number)?.code == .staleEpoch)
    #expect(leases.check(node: "shop", incarnation: 1, number: new.lease.number) == nil)
  }

  @Test func `a lease that ends while nobody ticked ends at the next registration`() throws {
    var leases = HostLeaseStateMachine()
    let old = try #require(accepted(leases.register(node: "shop", incarnation: 1, at: at(0)))).lease
    _ = leases.lost(node: "shop", incarnation: 1, at: at(0))
    let actions = leases.register(node: "shop", incarnation: 1, at: at(3_000))
    #expect(actions.first == .expired(old, reason: .timedOut))
    #expect(accepted(actions)?.resumed == false)
  }

  @Test func `C04: a second live host of the name is refused; a new life takes over from a lost one for good`() throws {
    var leases = HostLeaseStateMachine()
    let old = try #require(accepted(leases.register(node: "w1", incarnation: 1, at: at(0)))).lease
    #expect(refused(leases.register(node: "w1", incarnation: 2, at: at(1))) == .nameTaken)
    #expect(leases.check(node: "w1", incarnation: 1, number: old.number) == nil)
    _ = leases.lost(node: "w1", incarnation: 1, at: at(2))
    let actions = leases.register(node: "w1", incarnation: 2, at: at(3))
    #expect(actions.first == .expired(old, reason: .replaced))
    #expect(accepted(actions)?.resumed == false)
    #expect(refused(leases.register(node: "w1", incarnation: 1, at: at(4))) == .staleEpoch)
    _ = leases.lost(node: "w1", incarnation: 2, at: at(5))
    #expect(refused(leases.register(node: "w1", incarnation: 1, at: at(6))) == .staleEpoch)
  }

  @Test func `a life that expired does not displace the one that came after it`() throws {
    var leases = HostLeaseStateMachine()
    _ = leases.register(node: "a", incarnation: 1, at: at(0))
    _ = leases.lost(node: "a", incarnation: 1, at: at(0))
    _ = leases.tick(at(5_000))
    _ = leases.register(node: "a", incarnation: 2, at: at(6_000))
    _ = leases.lost(node: "a", incarnation: 2, at: at(7_000))
    #expect(refused(leases.register(node: "a", incarnation: 1, at: at(7_001))) == .staleEpoch)
    #expect(accepted(leases.register(node: "a", incarnation: 2, at: at(7_002)))?.resumed == true)
  }

  @Test func `goodbye keeps nothing, and numbers go on after those of an earlier broker`() throws {
    var leases = HostLeaseStateMachine(numbersAfter: 41)
    let lease = try #require(accepted(leases.register(node: "a", incarnation: 1, at: at(0)))).lease
    #expect(lease.number == 42)
    #expect(leases.left(node: "a", incarnation: 2) == [])
    #expect(leases.left(node: "a", incarnation: 1) == [.expired(lease, reason: .left)])
    #expect(leases.lease(of: "a") == nil)
  }
}
