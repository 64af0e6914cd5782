import MinervaProtocol

/// A party's link to one peer, by the product's machine: it dials, notices, and dials again.
final class Dialler {
  private let process: SimulatedProcess
  private let peer: String
  private var link: LinkEnd?
  private(set) var connection: SimulatedNetwork.Connection?

  init(process: SimulatedProcess, peer: String) {
    self.process = process
    self.peer = peer
  }

  func dial() { link = process.link(to: peer) }

  /// Takes a connection of ours; false for one of somebody else's.
  func connected(_ connection: SimulatedNetwork.Connection, dialled: Bool) -> Bool {
    guard dialled, connection.listener.name == peer else { return false }
    self.connection = connection
    return true
  }

  /// The link is down. False for somebody else's.
  func disconnected(_ connection: SimulatedNetwork.Connection) -> Bool {
    guard connection === self.connection else { return false }
    self.connection = nil
    return true
  }

  func drop() { link?.drop() }

  func send(_ message: Message) { link?.send(message) }
}
