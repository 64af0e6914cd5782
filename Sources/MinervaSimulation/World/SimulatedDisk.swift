package import MinervaWire

/// A disk that forgets at a crash whatever no completed sync covers.
///
/// Appends are visible at once and safe only after a sync. A crash keeps some prefix of what was not safe, perhaps cut in the middle of a record or
/// with its last byte wrong. A sync that failed has thrown its data away: it stays visible until the crash and is gone after, and later syncs do not
/// bring it back (what Linux does; "fsyncgate", 2018).
package final class SimulatedDisk {
  package struct SyncFailed: Error {}

  private var bytes: [UInt8] = []
  private var safe = 0
  private var poisoned = false
  /// How many of the next syncs fail.
  package var failingSyncs = 0

  package init() {}

  /// What a reader sees now.
  package var contents: [UInt8] { bytes }

  package func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  /// Starts a sync: what it will cover when it completes.
  package func beginSync() -> Int { bytes.count }

  package func completeSync(_ covered: Int) throws(SyncFailed) {
    if failingSyncs > 0 {
      failingSyncs -= 1
      poisoned = true
    }
    guard !poisoned else { throw SyncFailed() }
    safe = max(safe, covered)
  }

  /// The machine or the process dies.
  package func crash(using random: inout SplitMix64) {
    let kept = poisoned ? safe : safe + Int.random(in: 0...bytes.count - safe, using: &random)
    bytes.removeSubrange(kept...)
    if kept > safe, random.happens(0.3) { bytes[kept - 1] ^= 0x40 }
    poisoned = false
    failingSyncs = 0
  }

  /// Cuts the tail that recovery found torn, and makes what is left safe.
  package func truncate(to count: Int) {
    bytes.removeSubrange(count...)
    safe = bytes.count
  }

  /// What is written so far survives from now on: the few bytes that an opening writes before it goes on.
  package func secure() { safe = bytes.count }

  /// Gives up what no completed sync covers, after a sync that failed.
  package func forgetUnsafe() {
    bytes.removeSubrange(safe...)
    poisoned = false
  }
}
