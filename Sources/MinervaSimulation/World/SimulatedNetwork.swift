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

    func side(of process: SimulatedProcess) -> Side { process === dialler ? .dialler : .listener }

    fileprivate func end(_ side: Side) -> (process: SimulatedProcess, life: UInt64) {
      side == .dialler ? (dialler, diallerLife) : (listener, listenerLife)
    }
  }

  private unowned let world: World
  private var connections: [Connection] = []
  private var cuts: [[String]: Moment] = [:]
  private var ids: UInt64 = 0
  /// The longest time a frame is under way, in milliseconds; chaos changes it.
  var slowness: Int64 = 5
  /// How often a published message is lost.
  var loss = 0.02

  init(world: World) { self.world = world }

  private func key(_ a: String, _ b: String) -> [String] { a < b ? [a, b] : [b, a] }
  private func isCut(_ connection: Connection) -> Bool { cuts[key(connection.dialler.name, connection.listener.name)] != nil }

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
    if connection.open.contains(side) { pass(frame, over: connection, to: side.other) }
  }

  private func pass(_ frame: Frame, over connection: Connection, to side: Side) {
    guard connection.open.contains(side) else { return forget(connection) }
    if isCut(connection) { connection.held.append((side, frame)) } else { carry(frame, over: connection, to: side) }
  }

  private func carry(_ frame: Frame, over connection: Connection, to side: Side) {
    let arrival = max(connection.lastArrival[side] ?? .zero, world.agenda.now + world.random.milliseconds(0...slowness))
    connection.lastArrival[side] = arrival
    world.agenda.at(arrival) { [self] in
      guard connection.open.contains(side) else { return }
      // What is under way when a link is cut waits with the rest.
      if isCut(connection) { return connection.held.append((side, frame)) }
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

  /// Sends beside the connections: may be lost, doubled, reordered.
  func publish(_ message: Message, from name: String, to target: SimulatedProcess) {
    guard cuts[key(name, target.name)] == nil, !world.random.happens(loss) else { return }
    let life = target.life
    for _ in 0..<(world.random.happens(0.02) ? 2 : 1) {
      let slow = world.random.happens(0.02) ? slowness * 10 : slowness
      world.agenda.after(world.random.milliseconds(1...slow)) { target.run(life) { target.party?.heard(message) } }
    }
  }

  // MARK: Chaos

  func cut(_ a: String, _ b: String) {
    if cuts[key(a, b)] == nil { cuts[key(a, b)] = world.now }
  }

  func heal(_ a: String, _ b: String) {
    guard cuts.removeValue(forKey: key(a, b)) != nil else { return }
    for connection in connections where key(connection.dialler.name, connection.listener.name) == key(a, b) {
      let held = connection.held
      connection.held.removeAll()
      for (side, frame) in held { carry(frame, over: connection, to: side) }
    }
  }

  func healAll() { for cut in cuts.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) { heal(cut[0], cut[1]) } }

  /// A process was killed: its kernel closes its connections.
  func killed(_ process: SimulatedProcess) {
    for connection in connections where connection.dialler === process || connection.listener === process {
      close(connection, by: process)
    }
  }

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
