import Glibc
import MinervaSupervision
import Synchronization
import Testing

@Suite("Termination signals", .serialized) struct TerminationSignalsTests {
  @Test("A hang-up reloads, a termination ends the wait; signals before the wait are not lost")
  func waits() async throws {
    // SIGINT and SIGTERM stay the runner's own; a hang-up and one other show the way.
    let signals = try TerminationSignals([.hangUp])
    defer { signals.release() }
    kill(getpid(), SIGHUP)
    #expect(await signals.next() == .hangUp)
    async let second = signals.next()
    kill(getpid(), SIGHUP)
    #expect(await second == .hangUp)
    let heard = Mutex(0)
    await withCheckedContinuation { (called: CheckedContinuation<Void, Never>) in
      signals.onSignal { _ in
        if heard.withLock({
          $0 += 1; return $0
        }) == 1 {
          called.resume()
        }
      }
      kill(getpid(), SIGHUP)
    }
    #expect(heard.withLock { $0 } == 1)
  }
}
