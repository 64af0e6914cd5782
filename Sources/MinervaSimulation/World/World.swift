import MinervaProtocol
import MinervaWire

/// Everything of one simulated run: time, chance, machines, and the ledger that watches.
final class World {
  let agenda = Agenda()
  var random: SplitMix64
  var clock = SimulatedClock()
  let ledger: Ledger
  let disk = SimulatedDisk()
  let fault: Simulation.Fault?
  private(set) var network: SimulatedNetwork!
  private(set) var processes: [String: SimulatedProcess] = [:]
  private(set) var names: [String] = []

  /// The lines of a traced run; nothing is built otherwise.
  private(set) var trace: [String]?
  /// A fingerprint over everything that happened: equal for equal seeds.
  private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325

  init(seed: UInt64, fault: Simulation.Fault?, tracing: Bool) {
    random = SplitMix64(seed: seed)
    self.fault = fault
    trace = tracing ? [] : nil
    ledger = Ledger()
    network = SimulatedNetwork(world: self)
  }

  var now: Moment { agenda.now }

  private var lastID: UInt64 = 0

  /// A number nobody has had.
  func ids() -> UInt64 {
    lastID += 1
    return lastID
  }

  func add(_ name: String, launch: @escaping (SimulatedProcess) -> any Party) {
    processes[name] = SimulatedProcess(name: name, ordinal: names.count, world: self, launch: launch)
    names.append(name)
  }

  func process(_ name: String) -> SimulatedProcess { processes[name]! }

  /// Writes down that something happened.
  func note(_ who: String, _ what: @autoclosure () -> String, _ number: UInt64 = 0) {
    digest = (digest ^ UInt64(bitPattern: now.milliseconds) ^ number &* 31 ^ UInt64(who.utf8.count)) &* 0x100_0000_01b3
    if trace != nil { trace?.append("\(now.milliseconds) \(who): \(what())") }
  }

  /// The run is over: parties, connections and what they were still to do hold each other, and are let go.
  func end() {
    agenda.clear()
    for name in names { process(name).kill() }
    network.forgetAll()
  }

  // MARK: Processes

  func kill(_ name: String) {
    let process = process(name)
    guard process.state != .dead else { return }
    note(name, "killed")
    process.kill()
    if name == Cluster.broker {
      ledger.count("broker: crashes")
      disk.crash(using: &random)
    }
    ledger.processEnded(name, process.life)
    network.killed(process)
  }

  func start(_ name: String) {
    let process = process(name)
    guard process.state == .dead else { return }
    note(name, "started", process.life + 1)
    process.start()
  }

  /// Kills a process from within, and lets its supervisor start it again.
  func crash(_ name: String, restartAfter delay: Int64) {
    kill(name)
    agenda.after(delay) { [self] in start(name) }
  }

  func stop(_ name: String) {
    let process = process(name)
    guard process.isRunning else { return }
    note(name, "stopped")
    process.stop(at: now)
  }

  func resume(_ name: String) {
    let process = process(name)
    guard process.state == .stopped else { return }
    note(name, "resumed")
    process.resume(at: now)
  }
}

/// A timer of a party: the next moment its machine wants to be called, and no more than one entry of the agenda for it.
final class Alarm {
  private let world: World
  private let process: SimulatedProcess
  private let life: UInt64
  private let ring: () -> Void
  private var armed: Moment?

  init(world: World, process: SimulatedProcess, ring: @escaping () -> Void) {
    self.world = world
    self.process = process
    life = process.life
    self.ring = ring
  }

  func arm(_ moment: Moment?) {
    guard let moment else { return }
    if let armed, armed <= moment, armed >= world.now { return }
    armed = moment
    world.agenda.at(moment) { [self] in
      process.run(life) { [self] in
        guard armed == moment else { return }
        armed = nil
        ring()
      }
    }
  }
}
