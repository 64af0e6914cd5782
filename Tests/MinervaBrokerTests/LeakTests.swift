@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import Testing

/// What hosts hold, compared with what scenes know (K4).
@Suite("Leaks (K4)")
struct LeakTests {
  /// A scene with `s1 Home` and `s2 Detail` upon it, both in one host.
  private func opened(hosts: [String] = ["shop-1"]) -> Machine {
    var machine = Machine()
    for host in hosts { machine.register(host) }
    machine.open("Home", txn: "a")
    machine.settle()
    machine.open("Detail", txn: "b")
    machine.settle()
    return machine
  }

  private func held(
    _ machine: Machine, _ screen: UInt32, lease: UInt32 = 1, parent: UInt32? = nil, ended: Int? = nil,
    handler: HostInspection.Handler? = nil, tasks: [HostInspection.Task] = [], remains: HostInspection.Remains? = nil
  ) -> HostInspection.Coordinator {
    HostInspection.Coordinator(
      scene: machine.identity, screen: ScreenID(screen), module: screen == 1 ? "Home" : "Detail", lease: lease,
      parent: parent.map { ScreenID($0) }, age: 9_000, ended: ended, handler: handler, tasks: tasks, remains: remains)
  }

  private func leaks(_ machine: Machine, _ held: [HostInspection.Coordinator]) -> [Leak] {
    machine.broker.leaks(in: "main", by: ["shop-1": HostInspection(coordinators: held)])
  }

  private func texts(_ leaks: [Leak]) -> [String] { leaks.map { "\($0.kind.rawValue) \($0.screen): \($0.text)" } }

  @Test("K4: what runs for an open screen is no leak, whatever it does within its time")
  func nothing() {
    let machine = opened()
    let busy = held(
      machine, 2, handler: .init(message: nil, age: 4_999), tasks: [.init(place: "Detail.swift:1", age: 100_000)])
    #expect(leaks(machine, [held(machine, 1), busy]) == [])
  }

  @Test("K4: a coordinator and a task whose screen is gone are named with why, age and owners")
  func gone() {
    var machine = opened()
    machine.request(.back(count: 1, in: nil), txn: "c")
    machine.settle()
    let rest = held(machine, 2, parent: 1, ended: 4_200, tasks: [.init(place: "Detail.swift:31", age: 8_000)], remains: .held)
    let found = leaks(machine, [held(machine, 1), rest])
    #expect(texts(found) == ["task s2: removed at #\(seq(of: found)) (popped); its task from Detail.swift:31 goes on"])
    #expect(found.first?.age == 4_200)
    #expect(found.first?.owners == ["s1 Home"])
    #expect(found.first?.host == "shop-1")
    // What the task held goes on being held without it.
    let alone = held(machine, 2, parent: 1, ended: 4_300, remains: .held)
    #expect(texts(leaks(machine, [held(machine, 1), alone])).map { $0.hasSuffix("its coordinator is still held in memory") } == [true])
    // The host was never told, or did not listen.
    #expect(
      texts(leaks(machine, [held(machine, 1), held(machine, 2)])).map { $0.hasSuffix("(popped); its coordinator still runs") } == [true])
    #expect(leaks(machine, [held(machine, 1), held(machine, 2)]).map(\.kind) == [.coordinator])
  }

  private func seq(of leaks: [Leak]) -> String {
    let text = leaks.first?.text ?? ""
    return text.split(separator: "#").last?.split(separator: " ").first.map(String.init) ?? ""
  }

  @Test("K4: a screen that no host runs is named, those of lost hosts, of silent ones and what is being made are not")
  func ownerless() {
    var machine = opened()
    #expect(texts(leaks(machine, [held(machine, 1)])) == ["screen s2: shop-1 runs no coordinator for it"])
    #expect(leaks(machine, [held(machine, 1)]).first?.owners == ["s1 Home"])
    #expect(texts(leaks(machine, [held(machine, 1), held(machine, 2, lease: 3)])).count == 2)
    #expect(machine.broker.leaks(in: "main", by: [:]) == [])
    machine.open("Detail", txn: "c")
    machine.commit()
    #expect(leaks(machine, [held(machine, 1), held(machine, 2)]) == [])
    #expect(leaks(machine, [held(machine, 1), held(machine, 2), held(machine, 3)]) == [])
    machine.settle()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.settle()
    #expect(machine.broker.hostsToInspect == [])
    #expect(machine.broker.leaks(in: "main", by: [:]) == [])
  }

  @Test("K4: a coordinator without a screen is no leak, nor is a screen without a host")
  func screenless() {
    var machine = opened()
    machine.request(.launch(module: ModuleAddress(name: "Home"), input: []), txn: "c")
    machine.settle()
    var unhosted = Command.Opening(ModuleAddress(name: "Home"))
    unhosted.unhosted = true
    machine.request(.open(unhosted), txn: "d")
    machine.settle()
    #expect(leaks(machine, [held(machine, 1), held(machine, 2), held(machine, 3)]) == [])
    #expect(texts(leaks(machine, [held(machine, 1), held(machine, 2)])) == ["screen s3: shop-1 runs no coordinator for it"])
  }

  @Test("K4: a handler is over its deadline when nobody waits for it any more, or after the time of a request")
  func handlers() {
    var machine = opened()
    machine.request(.act(.id(ScreenID(2)), .tap(row: "slow", action: nil)), txn: "c")
    machine.commit()
    let young = held(machine, 2, handler: .init(message: 1, age: 60_000))
    #expect(leaks(machine, [held(machine, 1), young]) == [])
    machine.wait(5_001)
    machine.commit()
    let late = leaks(machine, [held(machine, 1), held(machine, 2, handler: .init(message: 1, age: 5_001))])
    #expect(texts(late) == ["handler s2: its handler of message 1 is over its deadline"])
    #expect(late.first?.age == 5_001)
    let own = leaks(machine, [held(machine, 1, handler: .init(message: nil, age: 5_001)), held(machine, 2)])
    #expect(texts(own) == ["handler s1: its handler of work of its own is over its deadline"])
  }

  @Test("K4: what is left of a scene that is over is a leak of all scenes, and of no other one")
  func overScenes() {
    let machine = opened()
    let other = HostInspection.Coordinator(
      scene: SceneIdentity(name: "gone", app: "shop", incarnation: 1), screen: ScreenID(7), module: "Detail", lease: 1,
      parent: ScreenID(3), age: 9_000)
    let inspection = ["shop-1": HostInspection(coordinators: [held(machine, 1), held(machine, 2), other])]
    #expect(machine.broker.leaks(in: "main", by: inspection) == [])
    let all = machine.broker.leaks(in: nil, by: inspection)
    #expect(texts(all) == ["coordinator s7: its scene shop/gone#1 is over; its coordinator still runs"])
    #expect(all.first?.owners == ["s3, gone"])
  }

  @Test("K4: a scene at rest is compared when it is asked for, or when a host that runs it does not speak of it")
  func resting() {
    var machine = opened()
    for _ in 0..<3 { machine.settle() }
    machine.rests(true)
    #expect(machine.broker.asleep(of: [:], in: "main") == ["main"])
    #expect(machine.broker.asleep(of: [:], in: "other") == [])
    #expect(machine.broker.asleep(of: ["shop-1": HostInspection(coordinators: [])], in: nil) == ["main"], "its screens may be nobody's")
    #expect(machine.broker.asleep(of: ["shop-1": HostInspection(coordinators: [held(machine, 1)])], in: nil) == ["main"])
    #expect(machine.broker.asleep(of: ["shop-2": HostInspection(coordinators: [])], in: nil) == [])
    machine.take(machine.broker.wake("main"))
    machine.read()
    #expect(texts(leaks(machine, [held(machine, 1)])) == ["screen s2: shop-1 runs no coordinator for it"])
  }

  @Test("K4: whoever may see one app's scenes sees no leak of another's whose scene had the same name")
  func namesUsedAgain() {
    let machine = opened()
    let other = HostInspection.Coordinator(
      scene: SceneIdentity(name: "main", app: "bank", incarnation: 3), screen: ScreenID(7), module: "Account", lease: 1, parent: nil,
      age: 9_000)
    let inspection = ["shop-1": HostInspection(coordinators: [held(machine, 1), other])]
    #expect(machine.broker.leaks(in: "main", by: inspection).map(\.module) == ["Detail", "Account"])
    #expect(machine.broker.leaks(in: nil, by: inspection) { $0.app == "shop" }.map(\.module) == ["Detail"])
    #expect(machine.broker.leaks(in: "main", by: inspection) { $0.app == "bank" }.map(\.module) == ["Account"])
  }
}
