import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// A reader of the scene's events around the product's subscriber, and the screens that it believes to be open.
final class ReaderParty: Party {
  private let cluster: Cluster
  private let process: SimulatedProcess
  private let broker: Dialler
  private(set) var machine = SubscriberStateMachine<SceneEvent>()
  private var alarm: Alarm?
  private var isStarted = false
  /// The screens that stand and have not begun to leave.
  private(set) var open: Set<ScreenID> = []
  private(set) var epoch: UInt64 = 0
  private var pending: SceneSnapshot?

  private var world: World { cluster.world }

  init(cluster: Cluster, process: SimulatedProcess) {
    self.cluster = cluster
    self.process = process
    broker = Dialler(process: process, peer: Cluster.broker)
    alarm = Alarm(world: cluster.world, process: process) { [unowned self] in perform(machine.tick(world.now)) }
  }

  func started() { broker.dial() }

  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) {
    guard broker.connected(connection, dialled: dialled) else { return }
    let isFirst = !isStarted
    isStarted = true
    perform(isFirst ? machine.start(at: world.now) : machine.connectionLost(at: world.now))
  }

  func disconnected(_ connection: SimulatedNetwork.Connection) {
    if broker.disconnected(connection) { perform(machine.connectionLost(at: world.now)) }
  }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    guard connection === broker.connection, case .snapshot(let request, let snapshot) = message else { return }
    pending = snapshot
    perform(machine.snapshot(request, through: snapshot.event, publisher: snapshot.epoch, at: world.now))
    pending = nil
  }

  func heard(_ message: Message) {
    guard isStarted, case .event(let event) = message else { return }
    var number = event.number
    // The planted fault: whatever comes is taken for the next.
    if world.fault == .gapIgnored, event.epoch == epoch, let last = machine.lastApplied, number > last { number = last + 1 }
    perform(machine.event(event, number: number, publisher: event.epoch, at: world.now))
  }

  private func perform(_ actions: [SubscriberStateMachine<SceneEvent>.Action]) {
    for action in actions {
      switch action {
      case .requestSnapshot(let request): broker.send(.look(request: request))
      case .reset(let through):
        guard let pending else { continue }
        open = pending.tree.standing
        epoch = pending.epoch
        check(through)
      case .apply(let event, let number):
        open.apply(event)
        check(number)
      case .incomplete(let reason): world.ledger.count("readers: \(reason)")
      case .complete:
        world.ledger.count("readers: complete")
        world.note(process.name, "complete at \(machine.lastApplied ?? 0) of \(epoch)", machine.lastApplied ?? 0)
      }
    }
    alarm?.arm(machine.nextDeadline)
  }

  /// What it shows is what the broker's events say at the same place.
  private func check(_ number: UInt64) {
    guard let truth = cluster.truth.sights[Truth.Place(epoch: epoch, event: number)] else { return }
    world.ledger.require(
      open == truth, "complete means complete", "\(process.name) sees \(open.sorted()) at event \(number), the scene had \(truth.sorted())")
  }

  /// All is quiet: it has everything.
  func checkRest(_ state: SceneState?) {
    let last = cluster.truth.feed[epoch] ?? 0
    world.ledger.require(
      machine.isComplete && machine.lastApplied == last, "complete means complete",
      "\(process.name) is at \(machine.lastApplied ?? 0) of \(last), complete \(machine.isComplete)")
    guard let standing = state?.tree.standing else { return }
    world.ledger.require(
      open == standing, "complete means complete", "\(process.name) sees \(open.sorted()), the scene has \(standing.sorted())")
  }
}
