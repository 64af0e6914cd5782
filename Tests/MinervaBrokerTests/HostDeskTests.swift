@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire
import Testing

/// Which hosts there are, and which may still come.
@Suite("The desk for hosts")
struct HostDeskTests {
  private let start = Moment(milliseconds: 1_000)

  private func registration(_ node: String, _ modules: [String] = ["Home"]) -> HostRegistration {
    HostRegistration(
      app: "shop", node: node, endpoint: nil, modules: modules.map { ModuleDescription(name: $0, schema: nil) }, running: [])
  }

  @Test("K3: a host is away while it is expected or its lease runs, and not when it is there or given up")
  func away() throws {
    var desk = HostDesk(settings: HostLeaseStateMachine.Settings())
    try desk.register(registration("there"))
    desk.expect(["there", "b", "a"], from: start)
    #expect(!desk.isExpected("there") && desk.isAway("a") && desk.nextDeadline == start + 3_000)
    #expect(desk.overdue(start + 2_999).isEmpty && desk.overdue(start + 3_000) == ["a", "b"])
    #expect([desk.stopExpecting("a"), desk.stopExpecting("a"), desk.isAway("a")] == [true, false, false])
    _ = desk.leases.register(node: "a", incarnation: 1, at: start)
    #expect(!desk.isAway("a"))
    _ = desk.leases.lost(node: "a", incarnation: 1, at: start + 100)
    #expect(desk.isAway("a"))
    desk.stopExpecting()
    #expect(desk.expectsNobody && desk.nextDeadline == start + 3_100, "leases go on")
    _ = desk.leases.tick(start + 3_100)
    #expect(!desk.isAway("a") && desk.nextDeadline == nil)
  }

  @Test("a module may still come from a host that is not greeted yet, or known by its screens alone; never from one that is greeted")
  func mayOffer() throws {
    var desk = HostDesk(settings: HostLeaseStateMachine.Settings())
    #expect(!desk.mayOffer("Home", of: "shop"))
    try desk.register(registration("a"))
    #expect(desk.mayOffer("Home", of: "shop") && !desk.mayOffer("Other", of: "shop") && !desk.mayOffer("Home", of: "bank"))
    let join = desk.registry.joins
    #expect(desk.greet("a", join: join) == true)
    #expect(!desk.mayOffer("Home", of: "shop"), "it can be asked")
    desk.expect(["b"], from: start)
    #expect(desk.mayOffer("Other", of: "bank"))
  }

  @Test("a host is taken in once, with the last scene of its last attempt")
  func joining() {
    var desk = HostDesk(settings: HostLeaseStateMachine.Settings())
    let first = desk.join("a", after: 2, token: 1)
    #expect(desk.arrived(for: "a", attempt: first) == false)
    #expect([desk.leave("a"), desk.leave("a")] == [1, nil])
    let second = desk.join("a", after: 2, token: 2)
    #expect(desk.arrived(for: "a", attempt: first) == false, "an earlier attempt counts for nothing")
    #expect((1...3).map { _ in desk.arrived(for: "a", attempt: second) } == [false, true, false])
    #expect(!desk.isJoining)
    _ = desk.join("b", after: 1, token: 4)
    _ = desk.join("a", after: 1, token: 3)
    #expect(desk.takeJoining() == [3, 4] && !desk.isJoining)
  }

  @Test("K3: what a host was to make again is forgotten with it")
  func lanes() throws {
    var desk = HostDesk(settings: HostLeaseStateMachine.Settings())
    let scene = SceneIdentity(name: "main", app: "shop", incarnation: 1)
    func order(_ screen: UInt32) -> (ResumeOrder, ResumeLane.Key) {
      let resumption = Resumption(
        screen: ScreenID(screen), lease: 2, module: ModuleAddress(name: "Home"), host: "a", input: [], state: nil, nextTurn: 1,
        parent: nil, children: [], deadline: .zero)
      let link = SceneLinks.Key(screen: ScreenID(screen), lease: 2)
      return (ResumeOrder(scene: scene, resumption: resumption, shown: nil), ResumeLane.Key(link: link, scene: scene))
    }
    for screen: UInt32 in [1, 2, 3] { desk.append(order(screen).0, order(screen).1, for: "a", at: start) }
    #expect(desk.next(for: "a", start)?.key == order(1).1)
    #expect(desk.next(for: "b", start)?.key == nil)
    #expect(desk.keeps(order(1).1, at: "a", start + 5_000) == start + 3_000)
    desk.dropOrders()
    #expect(desk.next(for: "a", start)?.key == nil)
    #expect(desk.keeps(order(1).1, at: "a", start) != nil, "what is under way is still answered")
    desk.lose("a")
    #expect(desk.keeps(order(1).1, at: "a", start) == nil)
  }
}
