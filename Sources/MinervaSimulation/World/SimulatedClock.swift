/// The two clocks of a simulated machine: a monotonic one that only the agenda moves, and a wall clock that leaps as chaos likes (C07).
package struct SimulatedClock: Sendable {
  /// How far the wall clock is ahead of the monotonic one, in milliseconds.
  package private(set) var wallOffset: Int64 = 1_700_000_000_000

  package mutating func jump(by milliseconds: Int64) { wallOffset += milliseconds }
}
