import MinervaProtocol
import MinervaWire

/// One end of a link: the product's machine between a simulated connection and a party.
final class LinkEnd {
  private let world: World
  private unowned let process: SimulatedProcess
  /// Whom this end dials; nobody for an accepted one.
  private let peer: String?
  private var machine: LinkStateMachine
  private(set) var connection: SimulatedNetwork.Connection? {
    didSet {
      if oldValue?.link(of: process) === self { oldValue?.use(by: nil, of: process) }
      connection?.use(by: self, of: process)
    }
  }
  private var alarm: Alarm?
  /// Who is at the other end, while the link is up.
  private(set) var peerIntroduction: Introduction?

  /// All parties of a simulation are of one build.
  private static let api = ExposedNames(["simulated"], number: 1).version

  init(world: World, process: SimulatedProcess, dialling peer: String?) {
    self.world = world
    self.process = process
    self.peer = peer
    let settings = LinkStateMachine.Settings(
      introduction: Introduction(
        node: process.name, incarnation: process.incarnation, kind: "simulated", pid: Int32(truncatingIfNeeded: process.life), version: "0"),
      api: LinkEnd.api)
    machine = peer == nil ? .accepted(settings) : .dialled(settings, seed: world.random.next())
    alarm = Alarm(world: world, process: process) { [weak self] in
      guard let self else { return }
      perform(machine.tick(at: now))
    }
  }

  private var now: Int64 { world.now.milliseconds }

  var isUp: Bool { machine.isUp }
  var isDialled: Bool { peer != nil }

  /// Begins to reach the peer, and keeps at it.
  func start() { perform(machine.start(at: now)) }

  /// The other end has connected.
  func accept(_ connection: SimulatedNetwork.Connection) { self.connection = connection }

  func send(_ message: Message) {
    guard machine.isUp, let connection else { return }
    machine.spoke(at: now)
    world.network.send(.message(message), over: connection, from: process)
  }

  /// The link is up but useless: it is given up and tried again.
  func drop() { perform(machine.violated(.badMessage("useless"), at: now)) }

  /// Its process is gone, or does not use it any more.
  func letGo() { connection?.use(by: nil, of: process) }

  /// Its peer has connected again: this connection is dead, and its loss was not yet seen.
  func replace() {
    let connection = connection
    perform(machine.disconnected("it connected again", at: now))
    if let connection { world.network.close(connection, by: process) }
  }

  func received(_ frame: SimulatedNetwork.Frame, over connection: SimulatedNetwork.Connection) {
    guard connection === self.connection else { return }
    machine.heard(at: now)
    switch frame {
    case .hello(let hello): perform(machine.received(hello: hello, objection: process.objection(to: hello.from, on: self), at: now))
    case .welcome(let welcome): perform(machine.received(welcome: welcome, objection: nil, at: now))
    case .reject(let reject): perform(machine.received(reject: reject, at: now))
    case .ping: perform(machine.receivedPing(at: now))
    case .pong: break
    case .goodbye(let reason): perform(machine.receivedGoodbye(reason: reason, at: now))
    case .message(let message): if machine.isUp { process.party?.received(message, over: connection) }
    case .closed: perform(machine.disconnected("closed", at: now))
    }
    arm()
  }

  private func perform(_ actions: [LinkStateMachine.Action]) {
    for action in actions {
      switch action {
      case .dial: dial()
      case .hangUp: hangUp()
      case .sendHello(let hello): send(.hello(hello))
      case .sendWelcome(let welcome): send(.welcome(welcome))
      case .sendReject(let reject): send(.reject(reject))
      case .sendPing: send(.ping)
      case .sendPong: send(.pong)
      case .sendGoodbye(let reason): send(.goodbye(reason))
      case .up(let session):
        peerIntroduction = session.peer
        if let connection { process.party?.connected(connection, dialled: peer != nil) }
      case .down(let error):
        peerIntroduction = nil
        world.note(process.name, "link down: \(error.message)")
        if let connection { process.party?.disconnected(connection) }
      case .attemptFailed: if let peer { process.party?.dialFailed(peer) }
      case .ended: process.forget(self)
      }
    }
    arm()
  }

  private func arm() {
    // The planted fault: nobody listens for the silence of a peer.
    guard world.fault != .silenceUnheard || !machine.isUp else { return }
    let next = machine.nextTick
    alarm?.arm(next == .max ? nil : Moment(milliseconds: next))
  }

  private func send(_ frame: SimulatedNetwork.Frame) {
    if let connection { world.network.send(frame, over: connection, from: process) }
  }

  private func hangUp() {
    guard let connection else { return }
    self.connection = nil
    world.network.close(connection, by: process)
  }

  private func dial() {
    guard let peer else { return }
    hangUp()
    world.network.dial(from: process, to: world.process(peer)) { [weak self] connection in
      guard let self else { return }
      guard let connection else { return perform(machine.refused(MinervaError(.unreachable, "nobody listens"), at: now)) }
      // An answer to a dial given up meanwhile.
      guard self.connection == nil, machine.isReaching else { return world.network.close(connection, by: process) }
      self.connection = connection
      perform(machine.connected(at: now))
    }
  }
}
