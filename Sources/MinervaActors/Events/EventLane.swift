import MinervaProtocol
import MinervaTransport
import MinervaWire

/// A peer's subscription to one topic: what the state machine lets go goes out over the peer's link. Confined to the loop.
final class EventLane {
  let topic: String
  /// What the peer may do; an event it may not hear is not offered.
  let grant: PeerGrant
  private let link: Link
  private var machine = EventLaneStateMachine<[UInt8]>()

  init(topic: String, grant: PeerGrant, over link: Link) {
    self.topic = topic
    self.grant = grant
    self.link = link
  }

  /// How many events wait.
  var waiting: Int { machine.waiting }

  /// Whether something could go out that the link did not take.
  var isStuck: Bool { machine.next != nil }

  func grant(_ events: UInt32) {
    machine.grant(events)
    flush()
  }

  func publish(_ message: [UInt8]) {
    machine.publish(message, bytes: message.count)
    flush()
  }

  /// Sends what there is credit for, as far as the link takes it.
  func flush() {
    while let message = machine.next {
      let buffer = OutputBuffer(capacity: message.count)
      buffer.append(message)
      do throws(MinervaError) {
        try link.send(buffer, isList: message.count > link.limits.messageBytes)
      } catch {
        guard error.code == .tooLarge else { return }
        // It can never go out; the next event's number shows that it is missing.
      }
      machine.sent()
    }
  }
}
