import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol

/// What those who look ask the broker, and what it publishes.
extension BrokerParty {
  /// A reader's question for a snapshot.
  struct Look {
    var connection: SimulatedNetwork.Connection
    var request: UInt64
    var floor: UInt64
  }

  // MARK: Renderers

  func hear(_ report: RendererReport, over connection: SimulatedNetwork.Connection) {
    let name = connection.dialler.name
    note("\(name): \(report)")
    let token = token()
    if case .attached = report { attaching[token] = connection }
    perform(machine.renderer(BrokerParty.scene, report: report, token: token, node: name, now: now))
  }

  func attached(_ connection: SimulatedNetwork.Connection, _ reply: BrokerAction.Reply) {
    let isPrimary = if case .done = reply { true } else { false }
    ledger.count(isPrimary ? "broker: renderers attached" : "broker: renderers refused")
    process.send(.attached(isPrimary), over: connection)
  }

  // MARK: Readers

  func look(_ request: UInt64, over connection: SimulatedNetwork.Connection) {
    let token = token()
    looks[token] = Look(connection: connection, request: request, floor: truth.lastSaid)
    perform(machine.look(BrokerParty.scene, renderings: false, token: token, now: now))
  }

  func looked(_ look: Look, _ reply: BrokerAction.Reply) {
    guard case .looked(let snapshot) = reply else { return note("\(look.connection.dialler.name) is refused: \(reply)") }
    note("\(look.connection.dialler.name) gets what is up to event \(snapshot.event) of \(snapshot.epoch)", snapshot.event)
    check(snapshot, floor: look.floor)
    process.send(.snapshot(request: look.request, snapshot), over: look.connection)
  }

  // MARK: Events

  func published(_ event: SceneEvent) {
    if case .process(let process) = event.kind { ledger.processEvent(process, at: world.now) }
    guard event.scene == BrokerParty.scene.name else { return }
    checkPublished(event)
    for name in Cluster.readers { world.network.publish(.event(event), from: process.name, to: world.process(name)) }
    guard case .transition = event.kind else { return }
    for name in Cluster.renderers { world.network.publish(.event(event), from: process.name, to: world.process(name)) }
  }
}
