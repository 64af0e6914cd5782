import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol

/// The renderers and the readers around the broker.
extension BrokerOnDisk {
  /// A reader's question for a snapshot.
  struct Look {
    var reader: Int
    var connection: UInt64
    var request: UInt64
    var floor: UInt64
  }

  /// One thing that happens to someone who looks.
  func viewerStep() {
    if random.happens(0.4) { return rendererStep(Int.random(in: 0..<renderers.count, using: &random)) }
    let index = Int.random(in: 0..<readers.count, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case _ where !readers[index].isConnected: if random.happens(0.2) { connectReader(index) }
    case ..<70: for _ in 0..<8 { _ = readers[index].hearEvent(at: now, ledger) }
    case ..<84: _ = hear(reader: index)
    case ..<98: _ = take(reader: index)
    default: disconnectReader(index)
    }
  }

  // MARK: Renderers

  private func rendererStep(_ index: Int) {
    switch Int.random(in: 0..<100, using: &random) {
    case _ where !renderers[index].isConnected: if random.happens(0.2) { renderers[index].connect(connection()) }
    case ..<20:
      guard !renderers[index].isPrimary, !attaching.values.contains(where: { $0.renderer == index }) else { return }
      let token = token()
      attaching[token] = (index, renderers[index].connection)
      report(.attached(renderer: renderers[index].name, takesOver: random.happens(0.3)), of: index, token)
    case ..<90:
      guard !renderers[index].shown.isEmpty else { return }
      let transition = renderers[index].shown.removeFirst()
      report(.acknowledged(renderer: renderers[index].name, transition: transition), of: index, token())
    case ..<95: report(.lost(renderer: renderers[index].name), of: index, token())
    default:
      note("\(renderers[index].name) dies")
      ledger.count("broker: renderers lost")
      renderers[index].disconnect()
      perform(machine.lost(renderers[index].name, incarnation: 1, reason: "by chaos", pid: 1, now: now))
    }
  }

  private func report(_ report: RendererReport, of index: Int, _ token: CallToken) {
    note("\(renderers[index].name): \(report)")
    if case .lost = report { renderers[index].isPrimary = false }
    perform(machine.renderer(BrokerOnDisk.scene, report: report, token: token, node: renderers[index].name, now: now))
  }

  func attached(_ index: Int, _ connection: UInt64, _ reply: BrokerAction.Reply) {
    guard renderers[index].connection == connection else { return }
    if case .done = reply {
      ledger.count("broker: renderers attached")
      renderers[index].isPrimary = true
      for other in renderers.indices where other != index { renderers[other].isPrimary = false }
    } else {
      ledger.count("broker: renderers refused")
    }
  }

  // MARK: Readers

  func connectReader(_ index: Int) { readers[index].connect(connection(), at: now, ledger) }

  func disconnectReader(_ index: Int) { readers[index].disconnect(at: now, ledger) }

  func readersTick() { for index in readers.indices { readers[index].tick(now, ledger) } }

  /// The broker hears a reader's next question.
  func hear(reader index: Int) -> Bool {
    guard readers[index].isConnected, !readers[index].outbox.isEmpty else { return false }
    let request = readers[index].outbox.removeFirst()
    let token = token()
    looks[token] = Look(reader: index, connection: readers[index].connection, request: request, floor: truth.lastSaid)
    perform(machine.look(BrokerOnDisk.scene, renderings: false, token: token, now: now))
    return true
  }

  func take(reader index: Int) -> Bool {
    var any = readers[index].take(at: now, ledger)
    while readers[index].hearEvent(at: now, ledger) { any = true }
    return any
  }

  func looked(_ look: Look, _ reply: BrokerAction.Reply) {
    guard case .looked(let snapshot) = reply else { return note("\(readers[look.reader].name) is refused: \(reply)") }
    note("\(readers[look.reader].name) gets what is up to event \(snapshot.event) of \(snapshot.epoch)", snapshot.event)
    check(snapshot, floor: look.floor)
    if readers[look.reader].connection == look.connection { readers[look.reader].inbox.append((look.request, snapshot)) }
  }

  // MARK: Events

  func published(_ event: SceneEvent) {
    guard event.scene == BrokerOnDisk.scene.name else { return }
    checkPublished(event)
    if case .transition(let transition) = event.kind {
      for index in renderers.indices where renderers[index].isConnected && !random.happens(0.1) {
        renderers[index].shown.append(transition.number)
      }
    }
    for index in readers.indices { readers[index].publish(event, using: &random) }
  }
}
