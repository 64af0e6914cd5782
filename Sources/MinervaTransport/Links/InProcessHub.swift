import MinervaWire
import Synchronization

/// Where buses of one process find each other without a socket: the same links, the same frames, handed from loop to loop.
public final class InProcessHub: Sendable {
  private struct State {
    var listeners: [String: Listener] = [:]
    var publishers: [String: [ObjectIdentifier: EventInbox]] = [:]
  }

  /// A bus that listens under a name.
  struct Listener: Sendable {
    let loop: EventLoop
    let accept: @Sendable (InProcessChannel) -> Void
  }

  /// A subscriber of the events published under a name, with a bounded queue as a socket has: what finds it full is lost to this subscriber, who
  /// sees the gap in the numbers (C06).
  final class EventInbox: Sendable {
    private let loop: EventLoop
    private let prefixes: [[UInt8]]
    private let take: @Sendable (Frame) -> Void
    private let waiting = Atomic<Int>(0)

    init(loop: EventLoop, prefixes: [[UInt8]], take: @escaping @Sendable (Frame) -> Void) {
      self.loop = loop
      self.prefixes = prefixes
      self.take = take
    }

    /// Whether it asked for what begins with these bytes. Asked before anything is queued, as libzmq does: what nobody wants takes no room.
    func wants(_ bytes: UnsafeRawBufferPointer) -> Bool {
      prefixes.contains { $0.count <= bytes.count && bytes.prefix($0.count).elementsEqual($0) }
    }

    fileprivate func post(_ frame: Frame) {
      guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= EventPublisher.highWaterMark else {
        waiting.wrappingSubtract(1, ordering: .relaxed)
        return
      }
      loop.post {
        self.waiting.wrappingSubtract(1, ordering: .relaxed)
        self.take(frame)
      }
    }
  }

  private let state = Mutex(State())

  public init() {}

  /// Takes a name; false when a live bus has it.
  func listen(_ name: String, _ listener: Listener) -> Bool {
    state.withLock { state in
      guard state.listeners[name] == nil else { return false }
      state.listeners[name] = listener
      return true
    }
  }

  func stopListening(_ name: String) { state.withLock { _ = $0.listeners.removeValue(forKey: name) } }

  /// Connects to a name: the dialling end, or nothing when nobody listens.
  func connect(_ name: String, from loop: EventLoop, configure: (InProcessChannel) -> Void) -> InProcessChannel? {
    guard let listener = state.withLock({ $0.listeners[name] }) else { return nil }
    let near = InProcessChannel(loop: loop)
    let far = InProcessChannel(loop: listener.loop)
    configure(near)
    near.far = far
    far.far = near
    listener.loop.post { listener.accept(far) }
    return near
  }

  // MARK: Events

  func subscribe(_ name: String, _ key: ObjectIdentifier, _ inbox: EventInbox) {
    state.withLock { $0.publishers[name, default: [:]][key] = inbox }
  }

  func unsubscribe(_ name: String, _ key: ObjectIdentifier) { state.withLock { $0.publishers[name]?[key] = nil } }

  /// Whether somebody may want the events of a topic, of which these are the first bytes.
  func isHeard(_ name: String, _ prefix: [UInt8]) -> Bool {
    let inboxes = state.withLock { $0.publishers[name] }
    return prefix.withUnsafeBytes { bytes in inboxes?.values.contains { $0.wants(bytes) } ?? false }
  }

  func publish(_ name: String, _ bytes: UnsafeRawBufferPointer) {
    let inboxes = state.withLock { $0.publishers[name] }?.values.filter { $0.wants(bytes) } ?? []
    guard !inboxes.isEmpty, let frame = Frame.copying(bytes) else { return }
    for inbox in inboxes { inbox.post(frame) }
  }
}

/// One end of a connection inside the process. Its callbacks run on its own loop.
final class InProcessChannel: LinkChannel, @unchecked Sendable {
  // `far`, `onFrame` and `onClosed` are set before the channel is shared or on its own loop; `waiting` is atomic.
  fileprivate(set) var far: InProcessChannel?
  var onFrame: ((Frame) -> Void)?
  var onClosed: (() -> Void)?

  private let loop: EventLoop
  private let waiting = Atomic<Int>(0)

  /// Frames that may wait at the other end, as a socket's high-water mark.
  private static let highWaterMark = 256

  fileprivate init(loop: EventLoop) { self.loop = loop }

  func send(_ bytes: UnsafeRawBufferPointer) -> ZeroMQSocket.Sent { send(bytes, []) }

  func send(owned buffer: OutputBuffer) -> ZeroMQSocket.Sent { buffer.withUnsafeBytes { send($0) } }

  func send(_ head: OutputBuffer, _ payloads: [[UInt8]]) -> ZeroMQSocket.Sent { head.withUnsafeBytes { send($0, payloads) } }

  private func send(_ head: UnsafeRawBufferPointer, _ payloads: [[UInt8]]) -> ZeroMQSocket.Sent {
    guard let far else { return .failed }
    guard far.waiting.load(ordering: .relaxed) < Self.highWaterMark else { return .full }
    guard let frame = Frame.copying(head, payloads) else { return .failed }
    far.waiting.add(1, ordering: .relaxed)
    far.loop.post {
      far.waiting.subtract(1, ordering: .relaxed)
      far.onFrame?(frame)
    }
    return .sent
  }

  func close() {
    onFrame = nil
    onClosed = nil
    guard let far else { return }
    self.far = nil
    far.loop.post {
      far.far = nil
      far.onClosed?()
    }
  }
}
