import MinervaTransport
import MinervaWire

/// The bytes of an answer, in the frame they came in.
@usableFromInline struct Answer: @unchecked Sendable {
  // The frame is immutable and keeps the bytes alive.
  let frame: Frame
  let body: UnsafeRawBufferPointer
}

/// Whoever hears the end of an own call: a task, or a closure on the loop. Told once.
enum CallEnd {
  case task(UnsafeContinuation<Answer, any Error>)
  case closure((Result<Answer, any Error>) -> Void, CallCancellation?)

  @inline(__always) func resume(returning answer: Answer) {
    switch self {
    case .task(let continuation): continuation.resume(returning: answer)
    case .closure(let hear, _): hear(.success(answer))
    }
  }

  @inline(__always) func resume(throwing error: any Error) {
    switch self {
    case .task(let continuation): continuation.resume(throwing: error)
    case .closure(let hear, _): hear(.failure(error))
    }
  }

  /// Whether nobody waits any more, before the end; asked only while it is outstanding.
  var isCancelled: Bool {
    switch self {
    case .task(let continuation): continuation.isTaskCancelled
    case .closure(_, let cancellation): cancellation?.isCancelled ?? false
    }
  }
}

/// How whoever hears a call's end by a closure gives it up before. Confined to the loop.
package final class CallCancellation {
  fileprivate private(set) var isCancelled = false

  package init() {}

  /// The call ends with `bus.cancelled` at the next sweep, and its peer is told.
  package func cancel() { isCancelled = true }
}

/// An own call on its way. Where a task waits nothing of it is reference counted.
struct PendingCall {
  let continuation: CallEnd
  /// When it ends without an answer, in monotonic milliseconds.
  let deadline: Int64
}

extension UnsafeContinuation {
  /// Whether the task that waits was cancelled; asked only while the continuation is outstanding, which keeps the task alive.
  ///
  /// A cancellation handler costs a lock and a record in every call, about a sixth of it, and keeping the task itself costs reference counting;
  /// so the sweep asks the continuation, which is nothing but a reference to the task that waits.
  var isTaskCancelled: Bool {
    guard MemoryLayout<Self>.size == MemoryLayout<UnsafeCurrentTask>.size else { return false }
    return withUnsafeBytes(of: self) { bytes in
      bytes.baseAddress?.assumingMemoryBound(to: UnsafeCurrentTask.self).pointee.isCancelled ?? false
    }
  }
}

/// The calls of one link that wait for an answer, by call id.
///
/// A call id is a slot and the slot's generation: found without hashing, and an answer that comes after its deadline meets a newer generation
/// and is dropped.
struct PendingCalls {
  private struct Slot {
    var generation: UInt64
    /// The next free slot, where this one is free.
    var next = -1
    var call: PendingCall?
    /// Which of the last 64 generations ended with an answer, the latest in the lowest bit.
    var answered: UInt64 = 0
  }

  private var slots: [Slot] = []
  private var free = -1
  private(set) var count = 0
  /// No pending call ends before this; a sweep earlier than that finds nothing.
  private(set) var earliest: Int64 = .max

  private static let slotBits: UInt64 = 20

  @inline(__always) mutating func insert(_ call: PendingCall) -> UInt64 {
    if call.deadline < earliest { earliest = call.deadline }
    count += 1
    let slot = free
    guard slot >= 0 else {
      slots.append(Slot(generation: 1, call: call))
      return 1 << Self.slotBits | UInt64(slots.count - 1)
    }
    free = slots[slot].next
    slots[slot].call = call
    return slots[slot].generation << Self.slotBits | UInt64(slot)
  }

  /// Takes a call out.
  /// - Parameter isAnswered: Whether an answer ends it.
  @inline(__always) mutating func remove(_ identifier: UInt64, isAnswered: Bool = false) -> PendingCall? {
    let slot = Int(identifier & (1 << Self.slotBits - 1))
    guard slot < slots.count, slots[slot].generation == identifier >> Self.slotBits, let call = slots[slot].call else { return nil }
    slots[slot] = Slot(
      generation: slots[slot].generation + 1, next: free, answered: slots[slot].answered << 1 | (isAnswered ? 1 : 0))
    free = slot
    count -= 1
    return call
  }

  /// Whether the call of that id ended with an answer, as far as its slot remembers; one that was given up did not.
  func wasAnswered(_ identifier: UInt64) -> Bool {
    let slot = Int(identifier & (1 << Self.slotBits - 1)), generation = identifier >> Self.slotBits
    guard slot < slots.count, generation < slots[slot].generation else { return false }
    let age = slots[slot].generation - generation
    return age <= 64 && slots[slot].answered >> (age - 1) & 1 == 1
  }

  /// Takes out every call whose task was cancelled, with its id.
  mutating func removeCancelled() -> [(UInt64, PendingCall)] { removeAll { $0.continuation.isCancelled } }

  /// Takes out every call whose time is over, with its id, and finds the next deadline.
  mutating func removeExpired(at now: Int64) -> [(UInt64, PendingCall)] {
    guard now >= earliest else { return [] }
    let expired = removeAll { $0.deadline <= now }
    earliest = slots.reduce(.max) { min($0, $1.call?.deadline ?? .max) }
    return expired
  }

  /// Takes out every call.
  mutating func removeAll() -> [PendingCall] {
    earliest = .max
    return removeAll { _ in true }.map(\.1)
  }

  private mutating func removeAll(where isOver: (PendingCall) -> Bool) -> [(UInt64, PendingCall)] {
    var removed: [(UInt64, PendingCall)] = []
    for slot in slots.indices {
      guard let call = slots[slot].call, isOver(call) else { continue }
      let identifier = slots[slot].generation << Self.slotBits | UInt64(slot)
      if remove(identifier) != nil { removed.append((identifier, call)) }
    }
    return removed
  }
}
