@testable import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaRecording
import MinervaWire
import Testing

/// Scenes that begin as others were, by the machine alone (D2).
@Suite("The broker and forks")
struct ForkTests {
  private func opened() -> Machine {
    var machine = Machine()
    machine.register("shop-1")
    machine.settle()
    _ = machine.open("Home", txn: "a", via: .root)
    machine.settle()
    _ = machine.open("Detail", txn: "b")
    machine.settle()
    return machine
  }

  private func fork(_ machine: inout Machine, as name: String? = nil) throws -> CallToken {
    let slot = try #require(machine.broker.scenes["main"])
    let token: CallToken = 9_000 + UInt64(machine.actions.count)
    let name = name ?? machine.broker.forkName(of: "main", at: slot.state.seq)
    machine.take(
      machine.broker.fork(slot.state, at: slot.state.time.milliseconds, of: slot.identity, as: name, token: token, now: machine.now))
    return token
  }

  @Test("D2, N16: a fork is answered when its first record is durable, under a name that nobody has")
  func answered() throws {
    var machine = opened()
    let seq = try #require(machine.broker.scenes["main"]?.state.seq)
    let first = try fork(&machine)
    #expect(machine.reply(to: first) == nil, "answered before it is durable")
    machine.settle()
    guard case .begun(let identity) = machine.reply(to: first) else {
      Issue.record("no answer")
      return
    }
    #expect(identity.name == "main@\(seq)")
    #expect(machine.broker.forkName(of: "main", at: seq) == "main@\(seq)-2")
    let taken = try fork(&machine, as: "main")
    #expect(machine.refusal(of: taken) == "scene.exists")
    let bad = try fork(&machine, as: "a/b")
    #expect(machine.refusal(of: bad) == "scene.bad_name")
  }

  @Test("D2: hosts resume the fork's coordinators at once, and the scene it comes from does not move")
  func resumed() throws {
    var machine = opened()
    let before = try #require(machine.broker.scenes["main"]?.state)
    machine.actions = []
    _ = try fork(&machine)
    machine.settle()
    let name = "main@\(before.seq)"
    let state = try #require(machine.broker.scenes[name]?.state)
    #expect(state.tree.layers[0].stack.map(\.id) == before.tree.layers[0].stack.map(\.id))
    #expect(state.coordinators.map(\.summary.screen) == before.coordinators.map(\.summary.screen))
    // Another life than the one that runs for the other scene.
    #expect(state.coordinators.allSatisfy { $0.lease == 2 && $0.summary.host == "shop-1" }, "\(state.coordinators)")
    #expect(state.suspended.isEmpty, "\(state.suspended.map(\.summary))")
    #expect(machine.broker.scenes["main"]?.state == before)
    // A restarted broker has both.
    let again = try Machine(restarting: machine, epoch: 2)
    #expect(again.broker.scenes[name]?.state.treeHash == state.treeHash)
  }

  @Test("D2, P4: a saved scene begins on another broker under its name, where its hosts resume it; what no scene can be is refused")
  func restored() throws {
    let machine = opened()
    let saved = try #require(machine.broker.scenes["main"]?.state)
    var other = Machine()
    other.register("shop-1")
    other.settle()
    let image = SceneImage(at: saved.time.milliseconds, state: saved)
    other.take(other.broker.restore(image, as: nil, token: 9_001, now: other.now))
    #expect(other.reply(to: 9_001) == nil, "answered before it is durable")
    other.settle()
    guard case .begun(let identity) = other.reply(to: 9_001) else {
      Issue.record("no answer")
      return
    }
    #expect(identity.name == "main" && identity.app == saved.app)
    let state = try #require(other.broker.scenes["main"]?.state)
    #expect(state.treeHash == saved.treeHash && state.suspended.isEmpty)
    // The name is taken now.
    other.take(other.broker.restore(image, as: nil, token: 9_002, now: other.now))
    other.settle()
    guard case .begun(let second) = other.reply(to: 9_002) else {
      Issue.record("no second answer")
      return
    }
    #expect(second.name == "main@\(saved.seq)")
    for at in [UInt64.max, UInt64(Int64.max) - 1, SceneTime.last.milliseconds] {
      other.take(other.broker.restore(SceneImage(at: at, state: saved), as: "late", token: 9_003, now: other.now))
      #expect(other.refusal(of: 9_003) == "recording.damaged", "\(at)")
      #expect(other.broker.scenes["late"] == nil)
    }
  }

  @Test("P3: at the end of a scene's time its clock stands still, and the broker goes on, also after a restart")
  func endOfTime() throws {
    let saved = try #require(opened().broker.scenes["main"]?.state)
    var machine = Machine()
    machine.register("shop-1")
    machine.settle()
    machine.take(
      machine.broker.restore(SceneImage(at: SceneTime.last.milliseconds - 1, state: saved), as: nil, token: 9_001, now: machine.now))
    machine.settle()
    machine.wait(10)
    _ = machine.open("Detail", txn: "late")
    machine.settle()
    let state = try #require(machine.broker.scenes["main"]?.state)
    #expect(state.time == .last && state.tree.layers[0].stack.count == saved.tree.layers[0].stack.count + 1)
    let again = try Machine(restarting: machine, epoch: 2)
    #expect(again.broker.scenes["main"]?.state.treeHash == state.treeHash)
  }
}
