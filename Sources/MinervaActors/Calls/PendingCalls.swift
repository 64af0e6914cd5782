import MinervaTransport
import MinervaWire

/// The bytes of an answer, in the frames they came in.
struct Answer: @unchecked Sendable {
  // The frames are immutable and keep the bytes alive.
  let frames: MessageFrames
  let body: UnsafeRawBufferPointer
}

/// Whoever hears the end of an own call: a task, or a closure on the loop. Told once.
enum CallEnd {
  case task(UnsafeContinuation<Answer, any Error>)
  case closure((Result<Answer, any Error>) -> Void)

  @inline(__always) func resume(returning answer: Answer) {
    switch self {
    case .task(let continuation): continuation.resume(returning: answer)
    case .closure(let hear): hear(.success(answer))
    }
  }

  @inline(__always) func resume(throwing error: any Error) {
    switch self {
    case .task(let continuation): continuation.resume(throwing: error)
    case .closure(let hear): hear(.failure(error))
    }
  }
}

/// An own call on its way.
struct PendingCall {
  let continuation: CallEnd
  /// When it ends without an answer, in monotonic milliseconds.
  let deadline: Int64
  /// The task that waits: it cannot end before the continuation is resumed, so asking whether it is cancelled is safe.
  let waiter: WaitingTask
}

/// A task that waits for an answer.
///
/// A cancellation handler costs a lock and a record in every call, about a sixth of it; so the sweep asks the waiting tasks instead.
struct WaitingTask: @unchecked Sendable {
  // Asked only while its continuation is outstanding, which keeps the task alive; `isCancelled` may be asked from anywhere.
  private let task: UnsafeCurrentTask?

  static var current: WaitingTask { withUnsafeCurrentTask { WaitingTask(task: $0) } }

  /// No task waits: a call that a closure hears the end of is given up by its deadline alone.
  static let none = WaitingTask(task: nil)

  var isCancelled: Bool { task?.isCancelled ?? false }
}

/// The calls of one link that wait for an answer, by call id.
///
/// A call id is a slot and the slot's generation: found without hashing, and an answer that comes after its deadline meets a newer generation
/// and is dropped.
struct PendingCalls {
  private var slots: [PendingCall?] = []
  private var generations: [UInt64] = []
  private var free: [Int] = []
  private(set) var count = 0
  /// No pending call ends before this; a sweep earlier than that finds nothing.
  private(set) var earliest: Int64 = .max

  private static let slotBits: UInt64 = 20

  @inline(__always) mutating func insert(_ call: PendingCall) -> UInt64 {
    if call.deadline < earliest { earliest = call.deadline }
    count += 1
    if let slot = free.popLast() {
      slots[slot] = call
      return generations[slot] << Self.slotBits | UInt64(slot)
    }
    slots.append(call)
    generations.append(1)
    return 1 << Self.slotBits | UInt64(slots.count - 1)
  }

  @inline(__always) mutating func remove(_ identifier: UInt64) -> PendingCall? {
    let slot = Int(identifier & (1 << Self.slotBits - 1))
    guard slot < slots.count, generations[slot] == identifier >> Self.slotBits, let call = slots[slot] else { return nil }
    slots[slot] = nil
    generations[slot] += 1
    free.append(slot)
    count -= 1
    return call
  }

  /// Takes out every call whose task was cancelled, with its id.
  mutating func removeCancelled() -> [(UInt64, PendingCall)] {
    var cancelled: [(UInt64, PendingCall)] = []
    for slot in slots.indices where slots[slot]?.waiter.isCancelled == true {
      let identifier = generations[slot] << Self.slotBits | UInt64(slot)
      if let call = remove(identifier) { cancelled.append((identifier, call)) }
    }
    return cancelled
  }

  /// Takes out every call whose time is over, with its id, and finds the next deadline.
  mutating func removeExpired(at now: Int64) -> [(UInt64, PendingCall)] {
    guard now >= earliest else { return [] }
    var expired: [(UInt64, PendingCall)] = []
    var next = Int64.max
    for slot in slots.indices {
      guard let call = slots[slot] else { continue }
      if call.deadline <= now {
        let identifier = generations[slot] << Self.slotBits | UInt64(slot)
        if let call = remove(identifier) { expired.append((identifier, call)) }
      } else {
        next = min(next, call.deadline)
      }
    }
    earliest = next
    return expired
  }

  /// Takes out every call.
  mutating func removeAll() -> [PendingCall] {
    let calls = slots.compactMap { $0 }
    for slot in slots.indices where slots[slot] != nil {
      slots[slot] = nil
      generations[slot] += 1
      free.append(slot)
    }
    count = 0
    earliest = .max
    return calls
  }
}
