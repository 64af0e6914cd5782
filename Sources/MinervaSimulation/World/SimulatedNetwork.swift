import MinervaProtocol
import MinervaWire

/// Links between processes that are slow, cut and healed.
///
/// A connection keeps the order of its frames, as TCP does; different connections take different time, so messages reorder across them. A cut holds
/// what is under way and says nothing to anybody: noticing it is the business of the product's link. A killed process ends its connections, as its
/// kernel does. Published messages go beside the connections and are lost, doubled and reordered.
final class SimulatedNetwork {
  /// What travels over a connection.
  enum Frame {
    case hello(Hello)
    case welcome(Welcome)
    case reject(Reject)
    case ping
    case pong
    case goodbye(String)
    case message(Message)
    /// The other end has closed.
    case closed
  }

  /// Which end of a connection.
  enum Side {
    case dialler
    case listener

    var other: Side { self == .dialler ? .listener : .dialler }
  }

  final class Connection {
    let id: UInt64
    let dialler: SimulatedProcess
    let listener: SimulatedProcess
    let diallerLife: UInt64
    let listenerLife: UInt64
    fileprivate var open: Set<Side> = [.dialler, .listener]
    /// It was reset: what was under way is lost.
    fileprivate var isBroken = false
    /// Its ends cannot reach each other.
    fileprivate var isCut = false
    /// The machines at its ends, while they use it.
    private var links: (dialler: LinkEnd?, listener: LinkEnd?)
    fileprivate var lastArrival: [Side: Moment] = [:]
    /// When each end was reached last: what a healed link had held tells it, late, that its peer lived.
    fileprivate var lastHeard: [Side: Moment] = [:]
    /// Frames that wait for a cut link, oldest first, with the end they go to.
    fileprivate var held: [(to: Side, frame: Frame)] = []

    fileprivate init(id: UInt64, dialler: SimulatedProcess, listener: SimulatedProcess) {
      self.id = id
      self.dialler = dialler
      self.listener = listener
      diallerLife = dialler.life
      listenerLife = listener.life
    }

    /// The other end.
    func peer(of name: String) -> String { dialler.name == name ? listener.name : dialler.name }

    /// Who asked for it.
    var diallerIncarnation: UInt64 { dialler.incarnation(ofLife: diallerLife) }

    func side(of process: SimulatedProcess) -> Side { process === dialler ? .dialler : .listener }

    /// The machine of a process's present life that uses it.
    func link(of process: SimulatedProcess) -> LinkEnd? { process === dialler ? links.dialler : links.listener }

    func use(by link: LinkEnd?, of process: SimulatedProcess) {
      if process === dialler { links.dialler = link } else { links.listener = link }
    }

    fileprivate func end(_ side: Side) -> (process: SimulatedProcess, life: UInt64) {
      side == .dialler ? (dialler, diallerLife) : (listener, listenerLife)
    }
  }

  private unowned let world: World
  private var connections: [Connection] = []
  private var cuts: [[String]: Moment] = [:]
  private var healed: [[String]: Moment] = [:]
  /// When what was published to a process last arrives.
  private var lastPublished: [String: Moment] = [:]
  private var ids: UInt64 = 0
  /// The longest time a frame is under way, in milliseconds; chaos changes it.
  var slowness: Int64 = 5
  /// How often a published message is lost.
  var loss = 0.02

  init(world: World) { self.world = world }

  private func key(_ a: String, _ b: String) -> [String] { a < b ? [a, b] : [b, a] }
  private func joins(_ connection: Connection, _ a: String, _ b: String) -> Bool {
    let (one, other) = (connection.dialler.name, connection.listener.name)
    return (one == a && other == b) || (one == b && other == a)
  }

  // MARK: Connections

  /// Tries to connect. A live peer answers, a dead one refuses, a cut one does neither.
  func dial(from dialler: SimulatedProcess, to listener: SimulatedProcess, _ done: @escaping (Connection?) -> Void) {
    let life = dialler.life
    world.agenda.after(world.random.milliseconds(1...slowness)) { [self] in
      guard dialler.life == life, dialler.state != .dead, cuts[key(dialler.name, listener.name)] == nil else { return }
      guard listener.state != .dead else { return dialler.run(life) { done(nil) } }
      ids += 1
      let connection = Connection(id: ids, dialler: dialler, listener: listener)
      connections.append(connection)
      listener.run(connection.listenerLife) { listener.accepted(connection) }
      dialler.run(life) { done(connection) }
    }
  }

  /// One end closes: what it has sent still arrives, then the other learns of it.
  func close(_ connection: Connection, by process: SimulatedProcess) {
    let side = connection.side(of: process)
    guard connection.open.remove(side) != nil else { return }
    pass(.closed, over: connection, to: side.other)
  }

  func send(_ frame: Frame, over connection: Connection, from process: SimulatedProcess) {
    let side = connection.side(of: process)
    if connection.open.contains(side), !connection.isBroken { pass(frame, over: connection, to: side.other) }
  }

  private func pass(_ frame: Frame, over connection: Connection, to side: Side) {
    guard connection.open.contains(side) else { return forget(connection) }
    if connection.isCut { connection.held.append((side, frame)) } else { carry(frame, over: connection, to: side) }
  }

  private func carry(_ frame: Frame, over connection: Connection, to side: Side) {
    let arrival = max(connection.lastArrival[side] ?? .zero, world.agenda.now + world.random.milliseconds(0...slowness))
    connection.lastArrival[side] = arrival
    world.agenda.at(arrival) { [self] in
      guard connection.open.contains(side), !connection.isBroken else { return }
      // What is under way when a link is cut waits with the rest.
      if connection.isCut { return connection.held.append((side, frame)) }
      if case .closed = frame {
        connection.open.remove(side)
        forget(connection)
      }
      connection.lastHeard[side] = world.now
      // What has arrived is read even if the connection has ended since, before its end is.
      let (process, life) = connection.end(side)
      process.run(life) { process.received(frame, over: connection) }
    }
  }

  private func forget(_ connection: Connection) {
    if connection.open.isEmpty { connections.removeAll { $0 === connection } }
  }

  // MARK: Publishing

  /// Sends beside the connections: in order as a rule, but may be lost, doubled, and overtaken.
  func publish(_ message: Message, from name: String, to target: SimulatedProcess) {
    guard cuts.isEmpty || cuts[key(name, target.name)] == nil, !world.random.happens(loss) else { return }
    let life = target.life
    for _ in 0..<(world.random.happens(0.02) ? 2 : 1) {
      var arrival = world.now + world.random.milliseconds(1...slowness)
      if world.random.happens(0.01) {
        arrival = world.now + world.random.milliseconds(1...slowness * 10)
      } else {
        arrival = max(arrival, lastPublished[target.name] ?? .zero)
        lastPublished[target.name] = arrival
      }
      world.agenda.at(arrival) { target.run(life) { target.party?.heard(message) } }
    }
  }

  // MARK: Chaos

  func cut(_ a: String, _ b: String) {
    guard cuts[key(a, b)] == nil else { return }
    cuts[key(a, b)] = world.now
    for connection in connections where joins(connection, a, b) { connection.isCut = true }
  }

  /// The connections of two processes are reset: what was under way is lost, and both ends learn of it soon.
  func reset(_ a: String, _ b: String) {
    for connection in connections where joins(connection, a, b) { reset(connection) }
  }

  private func reset(_ connection: Connection) {
    guard !connection.isBroken, !connection.isCut else { return }
    connection.isBroken = true
    for side in [Side.dialler, .listener] {
      // Each end in its own time: one may have connected again before the other knows.
      world.agenda.after(world.random.milliseconds(0...(side == .listener ? slowness * 8 : slowness))) { [self] in
        guard connection.open.remove(side) != nil else { return }
        forget(connection)
        let (process, life) = connection.end(side)
        process.run(life) { process.received(.closed, over: connection) }
      }
    }
  }

  /// Since when a pair of processes can reach each other; nothing while they cannot.
  func reachableSince(_ a: String, _ b: String) -> Moment? { cuts[key(a, b)] == nil ? healed[key(a, b)] ?? .zero : nil }

  func heal(_ a: String, _ b: String) {
    guard cuts.removeValue(forKey: key(a, b)) != nil else { return }
    healed[key(a, b)] = world.now
    for connection in connections where joins(connection, a, b) {
      connection.isCut = false
      let held = connection.held
      connection.held.removeAll()
      for (side, frame) in held { carry(frame, over: connection, to: side) }
    }
  }

  func healAll() { for cut in cuts.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) { heal(cut[0], cut[1]) } }

  /// A process was killed: its kernel closes its connections, or resets those on which it had not read everything.
  func killed(_ process: SimulatedProcess) {
    for connection in connections where connection.dialler === process || connection.listener === process {
      if world.random.happens(0.3) { reset(connection) }
      close(connection, by: process)
    }
  }

  /// The run is over: nothing is kept.
  func forgetAll() { connections = [] }

  /// Ends whose peer has been unreachable, and from whom nothing came any more, for longer than the given time, while they were running: they
  /// must have noticed.
  func unnoticed(after milliseconds: Int64) -> [(process: SimulatedProcess, connection: Connection)] {
    let limit = world.now + -milliseconds
    var result: [(SimulatedProcess, Connection)] = []
    for connection in connections {
      let cut = cuts[key(connection.dialler.name, connection.listener.name)].map { $0 < limit } ?? false
      for side in [Side.dialler, .listener] where connection.open.contains(side) {
        let (process, life) = connection.end(side)
        let peer = connection.end(side.other).process
        guard cut || (peer.stoppedSince.map { $0 < limit } ?? false) else { continue }
        guard connection.lastHeard[side].map({ $0 < limit }) ?? true else { continue }
        if process.life == life, process.isRunning, process.disturbedUntil < limit, process.hasLinkUp(over: connection) {
          result.append((process, connection))
        }
      }
    }
    return result
  }
}
