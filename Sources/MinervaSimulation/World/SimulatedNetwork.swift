import MinervaProtocol

/// Links between processes that are slow, cut and healed.
///
/// A connection keeps the order of its messages, as TCP does, and loses what is under way when it breaks; different links take different time, so
/// messages reorder across them. A killed peer is noticed in milliseconds; a cut or a stopped peer only when the heartbeats have been missed.
/// Published messages go beside the connections and are lost, doubled and reordered.
final class SimulatedNetwork {
  final class Connection {
    let id: UInt64
    let dialler: SimulatedProcess
    let listener: SimulatedProcess
    let diallerLife: UInt64
    let listenerLife: UInt64
    fileprivate var lastArrival: [Moment] = [.zero, .zero]
    fileprivate(set) var isOpen = true
    /// Messages that wait for a cut link, oldest first, with the end they go to.
    fileprivate var held: [(toListener: Bool, message: Message)] = []

    fileprivate init(id: UInt64, dialler: SimulatedProcess, listener: SimulatedProcess) {
      self.id = id
      self.dialler = dialler
      self.listener = listener
      diallerLife = dialler.life
      listenerLife = listener.life
    }

    /// The other end.
    func peer(of name: String) -> String { dialler.name == name ? listener.name : dialler.name }
  }

  /// How long missed heartbeats take to be noticed, in milliseconds.
  static let heartbeatTimeout: Int64 = 1_500

  private unowned let world: World
  private var connections: [Connection] = []
  private var cuts: Set<[String]> = []
  private var ids: UInt64 = 0
  /// The longest time a message is under way, in milliseconds; chaos changes it.
  var slowness: Int64 = 5
  /// How often a published message is lost.
  var loss = 0.02

  init(world: World) { self.world = world }

  private func key(_ a: String, _ b: String) -> [String] { a < b ? [a, b] : [b, a] }
  private func isCut(_ connection: Connection) -> Bool { cuts.contains(key(connection.dialler.name, connection.listener.name)) }

  // MARK: Connections

  /// Tries to connect; either `connected` at both ends or `dialFailed` follows.
  func dial(from dialler: SimulatedProcess, to listener: SimulatedProcess) {
    let life = dialler.life
    world.agenda.after(world.random.milliseconds(1...slowness)) { [self] in
      guard dialler.life == life else { return }
      guard listener.isRunning, !cuts.contains(key(dialler.name, listener.name)) else {
        return dialler.run(life) { dialler.party?.dialFailed(listener.name) }
      }
      ids += 1
      let connection = Connection(id: ids, dialler: dialler, listener: listener)
      connections.append(connection)
      listener.run(connection.listenerLife) { listener.party?.connected(connection, dialled: false) }
      dialler.run(life) { dialler.party?.connected(connection, dialled: true) }
      if !dialler.isRunning { watch(connection) }
    }
  }

  /// One end closes: the other learns of it.
  func close(_ connection: Connection, by name: String) {
    let other = connection.dialler.name == name ? connection.listener : connection.dialler
    end(connection, telling: [other], after: world.random.milliseconds(1...slowness))
  }

  func send(_ message: Message, over connection: Connection, from name: String) {
    guard connection.isOpen else { return }
    let toListener = connection.dialler.name == name
    if isCut(connection) { return connection.held.append((toListener, message)) }
    carry(message, connection, toListener)
  }

  private func carry(_ message: Message, _ connection: Connection, _ toListener: Bool) {
    let direction = toListener ? 1 : 0
    let arrival = max(connection.lastArrival[direction], world.agenda.now + world.random.milliseconds(0...slowness))
    connection.lastArrival[direction] = arrival
    let target = toListener ? connection.listener : connection.dialler
    let life = toListener ? connection.listenerLife : connection.diallerLife
    world.agenda.at(arrival) { [self] in
      // What is under way when a link is cut waits with the rest.
      if connection.isOpen, isCut(connection) { return connection.held.append((toListener, message)) }
      // What has arrived is read even if the connection has ended since, before its end is.
      guard connection.isOpen else { return }
      target.run(life) { target.party?.received(message, over: connection) }
    }
  }

  private func end(_ connection: Connection, telling ends: [SimulatedProcess], after delay: Int64) {
    guard connection.isOpen else { return }
    connection.isOpen = false
    connection.held.removeAll()
    connections.removeAll { $0 === connection }
    for process in ends {
      let life = process === connection.listener ? connection.listenerLife : connection.diallerLife
      world.agenda.after(delay) { process.run(life) { process.party?.disconnected(connection) } }
    }
  }

  // MARK: Publishing

  /// Sends beside the connections: may be lost, doubled, reordered.
  func publish(_ message: Message, from name: String, to target: SimulatedProcess) {
    guard !cuts.contains(key(name, target.name)), !world.random.happens(loss) else { return }
    let life = target.life
    for _ in 0..<(world.random.happens(0.02) ? 2 : 1) {
      let slow = world.random.happens(0.02) ? slowness * 10 : slowness
      world.agenda.after(world.random.milliseconds(1...slow)) { target.run(life) { target.party?.heard(message) } }
    }
  }

  // MARK: Chaos

  func cut(_ a: String, _ b: String) {
    cuts.insert(key(a, b))
    for connection in connections where isCut(connection) { watch(connection) }
  }

  func heal(_ a: String, _ b: String) {
    cuts.remove(key(a, b))
    for connection in connections where !isCut(connection) {
      let held = connection.held
      connection.held.removeAll()
      for (toListener, message) in held { carry(message, connection, toListener) }
    }
  }

  func healAll() { for cut in cuts.sorted(by: { $0.lexicographicallyPrecedes($1) }) { heal(cut[0], cut[1]) } }

  /// A process was killed: its peers notice at once, unless a cut is between.
  func killed(_ process: SimulatedProcess) {
    for connection in connections where connection.dialler === process || connection.listener === process {
      let other = connection.dialler === process ? connection.listener : connection.dialler
      if isCut(connection) { watch(connection) } else { end(connection, telling: [other], after: world.random.milliseconds(1...5)) }
    }
  }

  /// A process was stopped: its peers notice by its heartbeats.
  func stopped(_ process: SimulatedProcess) {
    for connection in connections where connection.dialler === process || connection.listener === process { watch(connection) }
  }

  /// Ends a connection after the heartbeat timeout, if what is wrong with it still is.
  private func watch(_ connection: Connection) {
    world.agenda.after(world.random.milliseconds(SimulatedNetwork.heartbeatTimeout - 500...SimulatedNetwork.heartbeatTimeout)) { [self] in
      guard connection.isOpen else { return }
      func isHealthy(_ process: SimulatedProcess, _ life: UInt64) -> Bool { process.life == life && process.isRunning }
      let healthy = isHealthy(connection.dialler, connection.diallerLife) && isHealthy(connection.listener, connection.listenerLife)
      guard !healthy || isCut(connection) else { return }
      end(connection, telling: [connection.dialler, connection.listener], after: 0)
    }
  }
}
