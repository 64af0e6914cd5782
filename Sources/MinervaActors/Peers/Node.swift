import MinervaTransport
import MinervaWire

/// A process by its name: the links that lead to it, and what waits for it. Confined to the loop.
final class Node {
  let name: String
  /// The links that are up; the first one carries our calls.
  var ports: [CallPort] = []
  /// Where it may be dialled when somebody calls it.
  var route: Route?
  /// The link that the address book made for it.
  var dialled: Link?
  /// Calls that wait for the first attempt to reach it.
  var waiting: [OutgoingCall] = []
  /// Those who want to know when it is gone.
  var watchers: [UInt64: (ActorAddress, UnsafeContinuation<Termination, any Error>)] = [:]

  init(_ name: String) { self.name = name }

  var port: CallPort? { ports.first }
  var isIdle: Bool { ports.isEmpty && route == nil && dialled == nil && waiting.isEmpty && watchers.isEmpty }
}

/// A line of the address book: where a node is, and the key that proves it.
struct Route: Hashable {
  let endpoint: Endpoint
  let server: String?
}

/// An endpoint that this process keeps itself connected to. Confined to the loop.
final class Dialled {
  let link: Link
  /// Who waits for the first connection, and until when.
  var waiters: [(token: UInt64, continuation: UnsafeContinuation<Result<String, MinervaError>, Never>, until: Int64)] = []

  init(_ link: Link) { self.link = link }
}
