@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import Testing

/// Hosts that come and go while their scenes are not in memory.
extension RestTests {
  @Test("K3: a host that is lost while a scene rests takes nothing from the hosts that stay")
  func othersStay() {
    var machine = Machine()
    machine.register("shop-1", modules: ["Home"])
    machine.register("shop-2", modules: ["Detail"])
    machine.open("Home", txn: "a")
    machine.settle()
    machine.open("Detail", txn: "b")
    for _ in 0..<3 { machine.settle() }
    #expect(machine.host(of: ScreenID(1)) == "shop-1" && machine.host(of: ScreenID(2)) == "shop-2")
    machine.rests(true)
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "killed", pid: 1, now: machine.now))
    machine.read()
    machine.commit()
    let state = machine.broker.scenes["main"]?.state
    #expect(state?.screen(ScreenID(1))?.isSuspended == true)
    #expect(state?.screen(ScreenID(2))?.isSuspended == false && state?.screen(ScreenID(2))?.lease == 1)
  }

  @Test("K3: a host that is lost while a scene is not in memory suspends it, and takes it back")
  func hostsComeAndGoMeanwhile() {
    var machine = asleep()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "gone", pid: 1, now: machine.now))
    #expect(machine.isReading, "its screens must be told")
    machine.read()
    machine.commit()
    #expect(machine.broker.scenes["main"]?.state.suspended.count == 2)
    machine.register(
      "shop-1", running: (1...2).map { RunningCoordinator(scene: machine.identity, screen: ScreenID($0), handled: 0, lease: 1) })
    machine.settle()
    #expect(machine.broker.scenes["main"]?.state.suspended.isEmpty == true)
    #expect(machine.broker.scenes["main"]?.state.screen(ScreenID(2))?.lease == 1, "the same lives")
  }

  @Test("K3: the loss of a host with a part in many scenes reads a window of them at a time, and tells all")
  func manyAreTold() {
    var machine = Machine()
    machine.register("shop-1")
    let names = (0..<100).map { "s\($0)" }
    for name in names {
      machine.request(.open(Command.Opening(ModuleAddress(name: "Home"), via: .push)), txn: "a", scene: name)
      for _ in 0..<3 { machine.settle() }
      machine.rests(true, scene: name)
    }
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "gone", pid: 1, now: machine.now))
    #expect(machine.actions.count { if case .load = $0 { true } else { false } } == DormantScenes.window)
    machine.read()
    machine.commit()
    #expect(machine.broker.scenes.count == 100)
    #expect(machine.broker.scenes.values.allSatisfy { $0.state.suspended.count == 1 })
  }

  @Test("K3: a host that is another one when its scene is read makes the screens again")
  func hostsAreReplacedMeanwhile() {
    var machine = asleep()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "gone", pid: 1, now: machine.now))
    machine.register("shop-1", incarnation: 2)
    machine.settle()
    machine.read()
    machine.settle()
    machine.settle()
    #expect(machine.broker.scenes["main"]?.state.suspended.isEmpty == true)
    #expect(machine.broker.scenes["main"]?.state.screen(ScreenID(2))?.lease == 2)
  }

  @Test("K3: a host that never comes back loses its screens, in memory or not")
  func hostsAreLostForGood() {
    var machine = asleep()
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "gone", pid: 1, now: machine.now))
    machine.read()
    machine.commit()
    machine.wait(3_300)
    machine.commit()
    machine.wait(300)
    machine.commit()
    #expect(machine.stack.isEmpty || machine.broker.scenes["main"]?.state.coordinatorCount == 1, "a placeholder at most")
  }

  @Test("A host is taken in when the scenes that it speaks of are in memory; one that is lost before is not")
  func joiningWaits() {
    var machine = asleep()
    machine = Machine(surveying: machine, epoch: 2)
    #expect(machine.broker.scenes.isEmpty, "nothing is read at the start")
    let running = (1...2).map { RunningCoordinator(scene: machine.identity, screen: ScreenID($0), handled: 0, lease: 1) }
    let early = machine.register("shop-1", running: running)
    #expect(machine.reply(to: early) == nil)
    machine.take(machine.broker.lost("shop-1", incarnation: 1, reason: "gone", pid: 1, now: machine.now))
    #expect(machine.refusal(of: early) == "bus.peer_lost")
    let token = machine.register("shop-1", running: running)
    machine.read()
    machine.settle()
    guard case .registered(let receipt) = machine.reply(to: token) else {
      Issue.record("not taken in")
      return
    }
    #expect(receipt.forgotten.isEmpty, "its coordinators are known")
    #expect(machine.broker.scenes["main"]?.state.screen(ScreenID(2))?.lease == 1)
    #expect(machine.broker.scenes["main"]?.state.suspended.isEmpty == true)
  }

  @Test("N15: a host that waits for a scene which another broker took is taken in without it, after the others that it waits for")
  func disownedWhileJoined() throws {
    var machine = asleep()
    ghost(&machine, "other")
    machine.rests(true, scene: "other")
    machine = Machine(surveying: machine, epoch: 2)
    let running = ["main", "other"].map {
      RunningCoordinator(scene: SceneIdentity(name: $0, app: "shop", incarnation: 1), screen: ScreenID(1), handled: 0, lease: 1)
    }
    let token = machine.register("shop-1", running: running)
    machine.take(machine.broker.disown(["main"], now: machine.now))
    #expect(machine.reply(to: token) == nil, "the other is still read")
    machine.read()
    machine.settle()
    guard case .registered(let receipt) = machine.reply(to: token) else {
      Issue.record("met with silence")
      return
    }
    #expect(receipt.forgotten.map(\.scene.name).contains("main"))
    #expect(machine.broker.openScenes.map(\.name) == ["other"])
    #expect(!machine.broker.hosts.isJoining, "scenes come to rest again")
  }
}
