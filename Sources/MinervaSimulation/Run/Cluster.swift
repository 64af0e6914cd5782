import MinervaBrokerCore
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// One broker, three hosts of two apps, two workers, two callers, two renderers and two readers, and some seconds of chaos; then all is healed,
/// and nobody may be left waiting.
final class Cluster {
  static let broker = "broker"
  static let hosts: [(name: String, app: ScriptedApp)] = [("shop-1", .shop), ("shop-2", .shop), ("bank-1", .bank)]
  static let workers = ["worker-1", "worker-2"]
  static let callers = ["caller-1", "caller-2"]
  static let renderers = ["phone", "tablet"]
  static let readers = ["reader-1", "reader-2"]

  /// Until when chaos reigns, new jobs are wanted, and anything is asked; and when all must have come to rest.
  static let calm = Moment(milliseconds: 5_600)
  static let lastJob = Moment(milliseconds: 6_000)
  static let lastWish = Moment(milliseconds: 6_400)
  static let end = Moment(milliseconds: 11_700)

  let world: World
  let truth = Truth()
  /// Every request ever made, by its txn, and the txns in order.
  var wishes: [String: Wish] = [:]
  var txns: [String] = []
  private var wallLead: Int64 = 0
  private let firstWall: Int64

  init(seed: UInt64, fault: Simulation.Fault?, tracing: Bool) {
    world = World(seed: seed, fault: fault, tracing: tracing)
    firstWall = world.clock.wallOffset
    let world = world
    world.add(Cluster.broker) { [unowned self] in BrokerParty(cluster: self, process: $0) }
    for (name, app) in Cluster.hosts { world.add(name) { [unowned world] in HostParty(world: world, process: $0, app: app) } }
    for name in Cluster.workers { world.add(name) { [unowned world] in WorkerParty(world: world, process: $0) } }
    for name in Cluster.callers { world.add(name) { [unowned self] in CallerParty(cluster: self, process: $0) } }
    for name in Cluster.renderers { world.add(name) { [unowned world] in RendererParty(world: world, process: $0) } }
    for name in Cluster.readers { world.add(name) { [unowned self] in ReaderParty(cluster: self, process: $0) } }
  }

  /// The broker's present life.
  var brokerParty: BrokerParty? { world.process(Cluster.broker).party as? BrokerParty }

  /// Runs to the end or to the first broken rule.
  func run() -> Simulation.Outcome {
    for name in world.names { world.agenda.after(world.random.milliseconds(0...50)) { [world] in world.start(name) } }
    chaos()
    inspect()
    world.agenda.at(Cluster.calm) { [unowned self] in heal() }
    var steps = 0
    var end = Cluster.end
    while world.ledger.violation == nil, end <= Cluster.end + 500 {
      while world.ledger.violation == nil, world.agenda.step(until: end) { steps += 1 }
      // A reader asks again when it has heard nothing for a while: the last such question gets its answer.
      if Cluster.readers.allSatisfy({ (world.process($0).party as? ReaderParty)?.machine.isComplete == true }) { break }
      end = end + 100
    }
    if world.ledger.violation == nil { settle() }
    defer { world.end() }
    return Simulation.Outcome(
      steps: steps, digest: world.digest,
      violation: world.ledger.violation.map { Simulation.Violation(rule: $0.rule, text: $0.text, at: world.now) },
      counters: world.ledger.counters, trace: world.trace)
  }

  // MARK: Chaos

  private func chaos() {
    world.agenda.after(world.random.milliseconds(40...320)) { [unowned self] in
      guard world.now < Cluster.calm else { return }
      strike()
      chaos()
    }
  }

  private func strike() {
    let name = world.random.happens(0.2) ? Cluster.broker : world.names.randomElement(using: &world.random) ?? Cluster.broker
    let pause = world.random.milliseconds(world.random.happens(0.8) ? 20...1_500 : 1_500...4_500)
    switch Int.random(in: 0..<12, using: &world.random) {
    case 0, 1:
      let name = world.random.happens(0.3) ? Cluster.hosts.randomElement(using: &world.random)?.name ?? name : name
      if name != Cluster.broker, world.random.happens(0.3) {
        // Its host's network goes first: nobody hears of the death.
        world.network.cut(name, Cluster.broker)
        world.agenda.after(world.random.milliseconds(50...700)) { [world] in world.network.heal(name, Cluster.broker) }
      }
      world.kill(name)
      // Some come back only when they have been given up.
      let isLate = name != Cluster.broker && world.random.happens(0.3)
      world.agenda.after(world.random.milliseconds(isLate ? 2_800...3_900 : 20...1_000)) { [world] in world.start(name) }
    case 2:
      world.stop(name)
      world.agenda.after(pause) { [world] in world.resume(name) }
    case 3, 4, 5:
      guard let other = other(than: name) else { return }
      world.note("chaos", "cuts \(name) from \(other) for \(pause) ms")
      world.network.cut(name, other)
      world.agenda.after(pause) { [world] in world.network.heal(name, other) }
    case 6, 7, 8:
      guard let other = other(than: name) else { return }
      world.note("chaos", "resets what connects \(name) and \(other)")
      world.ledger.count("resets")
      world.network.reset(name, other)
    case 9:
      let jump = ([60_000, -3_600_000, 43_200_000] as [Int64]).randomElement(using: &world.random) ?? 0
      world.note("chaos", "moves the wall clock by \(jump) ms")
      world.clock.jump(by: jump)
    case 10:
      guard world.random.happens(0.6) else { return }
      world.disk.failingSyncs = 1
      world.note("chaos", "fails the next sync")
    default:
      world.network.slowness = world.random.milliseconds(2...120)
      world.network.loss = Double.random(in: 0...0.3, using: &world.random)
      world.note("chaos", "slows the network to \(world.network.slowness) ms")
    }
  }

  private func other(than name: String) -> String? {
    let other = name != Cluster.broker && world.random.happens(0.8) ? Cluster.broker : world.names.randomElement(using: &world.random)
    return other == name ? nil : other
  }

  private func heal() {
    world.note("chaos", "ends")
    world.network.slowness = 5
    world.network.loss = 0
    world.disk.failingSyncs = 0
    world.network.healAll()
    // Whoever is dead comes back by itself.
    for name in world.names { world.resume(name) }
  }

  /// The time by a clock that leaps forward with the one on the wall, and never back.
  var wallTime: Moment {
    wallLead = max(wallLead, world.clock.wallOffset - firstWall)
    return world.now + wallLead
  }

  // MARK: Checks

  private func inspect() {
    world.agenda.after(250) { [unowned self] in
      for (process, connection) in world.network.unnoticed(after: 2_500) {
        world.ledger.broken("silence is noticed", "\(process.name) has not noticed that \(connection.peer(of: process.name)) is away")
      }
      inspect()
    }
  }

  /// A call has heard nothing: it must have met a broker that could not answer for so long.
  func checkSilence(_ question: Question, since sent: Moment, of caller: SimulatedProcess) {
    if case .lease = question { return }
    let broker = world.process(Cluster.broker)
    guard let reachable = world.network.reachableSince(caller.name, broker.name), broker.isRunning, let party = brokerParty,
      party.machine.isServing
    else { return }
    let quiet = [sent, reachable, party.servingSince, broker.disturbedUntil, caller.disturbedUntil].max() ?? sent
    let wait = world.now - quiet
    world.ledger.require(wait < 3_300, "no question is met with silence", "\(caller.name) heard nothing on \(question) for \(wait) ms")
  }

  /// All is healed and quiet: everybody must have come to rest.
  private func settle() {
    let ledger = world.ledger
    ledger.settled(at: world.now)
    for name in Cluster.callers {
      ledger.require((world.process(name).party as? CallerParty)?.isIdle == true, "nobody waits for ever", "\(name) is not at rest")
    }
    for name in Cluster.workers {
      ledger.require((world.process(name).party as? WorkerParty)?.isIdle == true, "nobody waits for ever", "\(name) is still at work")
    }
    guard let broker = brokerParty else { return ledger.broken("nobody waits for ever", "there is no broker") }
    broker.checkRest(Cluster.hosts.compactMap { (world.process($0.name).party as? HostParty)?.script })
    for name in Cluster.readers { (world.process(name).party as? ReaderParty)?.checkRest(broker.state) }
  }
}
