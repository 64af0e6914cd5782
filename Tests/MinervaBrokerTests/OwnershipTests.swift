import Minerva
import MinervaActors
import MinervaBroker
import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaTransport
import MinervaWire
import Testing

/// Ownership in which another broker has the scene `theirs`.
private struct SharedOwnership: SceneOwnership {
  func claim(_ scene: String, completion: @escaping JournalCompletion<SceneClaim>) {
    completion(.success(scene == "theirs" ? .elsewhere(epoch: 7, hint: "tcp://10.0.0.2:7788") : .ours(epoch: 1)))
  }
  func onLoss(_ handler: @escaping @Sendable ([String]?) -> Void) {}
}

@Suite("Who owns a scene")
struct OwnershipTests {
  @Test("A scene of another broker is answered with bus.not_owner and where to ask; every refusal names the epoch")
  func othersScenesAreRefused() async throws {
    let hub = InProcessHub()
    let interfaces = try await FixedInterfaces.learn()
    var bus = BusSettings(node: "broker", kind: "broker", interfaces: interfaces.catalogue)
    bus.hub = hub
    let settings = BrokerSettings(
      endpoints: [.inProcess(name: "broker")], events: [.inProcess(name: "events")], version: "0", bus: bus)
    let broker = try await Broker.start(
      settings, journal: MemoryJournal(), ownership: SharedOwnership(), epoch: 1, interfaces: interfaces)
    let client = try await Client.connect(to: .inProcess(name: "broker"), hub: hub)
    let look: (String) async -> MinervaError? = { scene in
      do { _ = try await client.snapshot(of: SceneAddress(name: scene)) } catch { return error as? MinervaError }
      return nil
    }
    let theirs = await look("theirs")
    #expect(theirs?.code == .notOwner)
    #expect(theirs?.details["owner"] == "tcp://10.0.0.2:7788" && theirs?.details["epoch"] == "7")
    let ours = await look("ours")
    #expect(ours?.code == .sceneAppRequired && ours?.details["epoch"] == "1")
    await client.close()
    await broker.close()
  }

  @Test("Whoever waits for a scene that another broker took is told, and nothing of it is left")
  func lossesAreTold() {
    var machine = Machine()
    machine.register("shop-1")
    let home = Command.Action.open(Command.Opening(ModuleAddress(name: "Home"), via: .push))
    let token = machine.request(home, txn: "a", scene: "lost")
    let kept = machine.request(home, txn: "b", scene: "kept")
    machine.take(machine.broker.disown(["lost"], now: machine.now))
    machine.settle()
    #expect(machine.refusal(of: token) == "bus.not_owner")
    #expect(machine.reply(to: kept) != nil && machine.refusal(of: kept) == nil)
    #expect(Set(machine.broker.scenes.keys) == ["kept"])
  }
}
