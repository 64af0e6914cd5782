import MinervaProtocol

/// A reader of the events: the product's machine, and a digest of what it was told to apply.
final class SubscriberParty: Party {
  private let world: World
  private let process: SimulatedProcess
  private let broker: Dialler
  private var machine = SubscriberStateMachine<UInt64>()
  private var alarm: Alarm?
  private var started_ = false
  /// The digest of the state it shows.
  private(set) var digest: UInt64 = 0
  private var snapshotDigest: UInt64 = 0

  init(world: World, process: SimulatedProcess) {
    self.world = world
    self.process = process
    broker = Dialler(process: process, peer: Scenario.broker)
    alarm = Alarm(world: world, process: process) { [unowned self] in perform(machine.tick(world.now)) }
  }

  var isComplete: Bool { machine.isComplete }
  var last: UInt64? { machine.lastApplied }

  func started() { broker.dial() }

  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) {
    guard broker.connected(connection, dialled: dialled) else { return }
    let first = !started_
    started_ = true
    perform(first ? machine.start(at: world.now) : machine.connectionLost(at: world.now))
  }

  func disconnected(_ connection: SimulatedNetwork.Connection) {
    if broker.disconnected(connection) { perform(machine.connectionLost(at: world.now)) }
  }

  func received(_ message: Message, over connection: SimulatedNetwork.Connection) {
    guard case .snapshot(let request, let through, let publisher, let digest) = message else { return }
    snapshotDigest = digest
    perform(machine.snapshot(request, through: through, publisher: publisher, at: world.now))
  }

  func heard(_ message: Message) {
    guard started_ else { return }
    switch message {
    case .event(let number, let publisher, let value):
      var number = number
      // The planted fault: whatever comes is taken for the next.
      if world.fault == .gapIgnored, let last = machine.lastApplied, number > last { number = last + 1 }
      perform(machine.event(value, number: number, publisher: publisher, at: world.now))
    case .watermark(let number, let publisher):
      if world.fault == .gapIgnored { return }
      perform(machine.watermark(number, publisher: publisher, at: world.now))
    default: break
    }
  }

  private func perform(_ actions: [SubscriberStateMachine<UInt64>.Action]) {
    for action in actions {
      switch action {
      case .requestSnapshot(let request): broker.send(.snapshotRequest(request))
      case .reset: digest = snapshotDigest
      case .apply(let value, let number):
        digest = Ledger.digest(digest, value)
        world.note(process.name, "applies \(number)", number)
      case .incomplete(let reason):
        world.ledger.count("subscribers: \(reason)")
        world.note(process.name, "incomplete: \(reason)")
      case .complete: world.note(process.name, "complete at \(machine.lastApplied ?? 0)", machine.lastApplied ?? 0)
      }
    }
    check()
    alarm?.arm(machine.nextDeadline)
  }

  /// Compares what is shown with what is true.
  func check() {
    world.ledger.subscriberState(
      process.name, complete: machine.isComplete, last: machine.lastApplied, digest: digest, running: process.isRunning,
      disturbedUntil: process.disturbedUntil, at: world.now)
  }
}
