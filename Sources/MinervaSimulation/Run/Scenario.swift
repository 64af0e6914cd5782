import MinervaProtocol

/// One broker, two hosts, three workers, two callers, two subscribers, and ten seconds of chaos; then all is healed, and nobody may be left waiting.
struct Scenario {
  static let broker = "broker"
  static let hosts = ["host-1", "host-2"]
  static let workers = ["worker-1", "worker-2", "worker-3"]
  static let clients = ["client-1", "client-2"]
  static let subscribers = ["subscriber-1", "subscriber-2"]

  /// Until when chaos reigns, until when wishes are made, and when all must have come to rest.
  static let lastChaos = Moment(milliseconds: 11_000)
  static let lastWish = Moment(milliseconds: 12_000)
  static let end = Moment(milliseconds: 21_000)

  let world: World

  init(seed: UInt64, fault: Simulation.Fault?, tracing: Bool) {
    world = World(seed: seed, fault: fault, tracing: tracing)
    let world = world
    world.add(Scenario.broker) { [unowned world] in BrokerParty(world: world, process: $0) }
    for name in Scenario.hosts { world.add(name) { [unowned world] in HostParty(world: world, process: $0) } }
    for name in Scenario.workers { world.add(name) { [unowned world] in WorkerParty(world: world, process: $0) } }
    for name in Scenario.clients { world.add(name) { [unowned world] in ClientParty(world: world, process: $0) } }
    for name in Scenario.subscribers { world.add(name) { [unowned world] in SubscriberParty(world: world, process: $0) } }
  }

  /// Runs to the end or to the first broken rule.
  func run() -> Simulation.Outcome {
    for name in world.names { world.agenda.after(world.random.milliseconds(0...50)) { [world] in world.start(name) } }
    chaos()
    inspect()
    world.agenda.at(Scenario.lastChaos) { heal() }
    var steps = 0
    while world.ledger.violation == nil, world.agenda.step(until: Scenario.end) { steps += 1 }
    if world.ledger.violation == nil { settle() }
    return Simulation.Outcome(
      steps: steps, digest: world.digest,
      violation: world.ledger.violation.map { Simulation.Violation(rule: $0.rule, text: $0.text, at: world.now) },
      counters: world.ledger.counters, trace: world.trace)
  }

  // MARK: Chaos

  private func chaos() {
    world.agenda.after(world.random.milliseconds(100...700)) {
      guard world.now < Scenario.lastChaos else { return }
      strike()
      chaos()
    }
  }

  private func strike() {
    let name = world.names.randomElement(using: &world.random) ?? Scenario.broker
    let pause = world.random.milliseconds(world.random.happens(0.7) ? 20...3_000 : 3_000...9_000)
    switch Int.random(in: 0..<10, using: &world.random) {
    case 0, 1:
      world.kill(name)
      world.agenda.after(world.random.milliseconds(50...1_500)) { world.start(name) }
    case 2, 3:
      world.stop(name)
      world.agenda.after(pause) { world.resume(name) }
    case 4, 5, 6:
      let other = world.random.happens(0.7) ? Scenario.broker : world.names.randomElement(using: &world.random) ?? Scenario.broker
      guard other != name else { return }
      world.note("chaos", "cuts \(name) from \(other) for \(pause) ms")
      world.network.cut(name, other)
      world.agenda.after(pause) { world.network.heal(name, other) }
    case 7:
      let jump = ([60_000, -3_600_000, 43_200_000] as [Int64]).randomElement(using: &world.random) ?? 0
      world.note("chaos", "moves the wall clock by \(jump) ms")
      world.clock.jump(by: jump)
    case 8:
      world.disk.failingSyncs = 1
      world.note("chaos", "fails the next sync")
    default:
      world.network.slowness = world.random.milliseconds(2...120)
      world.network.loss = Double.random(in: 0...0.3, using: &world.random)
      world.note("chaos", "slows the network to \(world.network.slowness) ms")
    }
  }

  private func heal() {
    world.note("chaos", "ends")
    world.network.slowness = 5
    world.network.loss = 0
    world.disk.failingSyncs = 0
    world.network.healAll()
    for name in world.names {
      world.resume(name)
      world.start(name)
    }
  }

  // MARK: Checks

  private func inspect() {
    world.agenda.after(250) {
      for (process, connection) in world.network.unnoticed(after: 2_500) {
        world.ledger.broken("silence is noticed", "\(process.name) has not noticed that \(connection.peer(of: process.name)) is away")
      }
      for name in Scenario.subscribers { (world.process(name).party as? SubscriberParty)?.check() }
      inspect()
    }
  }

  /// All is healed and quiet: everybody must have come to rest.
  private func settle() {
    let ledger = world.ledger
    ledger.settled(at: world.now)
    for name in Scenario.clients {
      ledger.require((world.process(name).party as? ClientParty)?.isIdle == true, "nobody waits for ever", "\(name) is not at rest")
    }
    for name in Scenario.hosts {
      ledger.require((world.process(name).party as? HostParty)?.isRegistered == true, "nobody waits for ever", "\(name) is not registered")
    }
    for name in Scenario.workers {
      ledger.require((world.process(name).party as? WorkerParty)?.isIdle == true, "nobody waits for ever", "\(name) is still at work")
    }
    for name in Scenario.subscribers {
      let party = world.process(name).party as? SubscriberParty
      ledger.require(
        party?.isComplete == true && party?.last == UInt64(ledger.history.count), "nobody waits for ever",
        "\(name) is at \(party?.last ?? 0) of \(ledger.history.count), complete \(party?.isComplete ?? false)")
    }
  }
}
