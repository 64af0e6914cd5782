import MinervaWire

internal import CPosix
internal import Glibc

/// The clock that nobody can set: all deadlines and backoffs count on it, wall time is for display alone.
package enum MonotonicTime {
  /// The time since an arbitrary origin, equal for all processes of a machine.
  package static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// The wall clock in milliseconds since 1970, for display.
  package static var wallMilliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// A duration as `poll` takes it: rounded up, so that nobody wakes before the time and spins.
  package static func milliseconds(_ duration: Duration) -> Int32 {
    Int32(clamping: max(0, duration.millisecondsRoundedUp))
  }
}
