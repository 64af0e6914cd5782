import CZeroMQ
import Glibc

/// The monotonic clock, the only one that decides liveness, deadlines and backoff (C07).
package enum MonotonicTime {
  /// Milliseconds since an arbitrary start.
  package static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
