import MinervaWire

/// Says something to another process again for as long as it is wanted: a full window is refused at once, and a process that stands still
/// answers nothing until it goes on or counts as lost. Returns whether it was said.
///
/// - Parameters:
///   - isWanted: Asked before each attempt; an attempt ends the loop as well when the process is gone.
///   - isRefused: Called for each attempt that is made again.
package func insist(
  isolation: isolated (any Actor)? = #isolation, while isWanted: () -> Bool, isRefused: () -> Void = {}, _ say: () async throws -> Void
) async -> Bool {
  while isWanted() {
    do {
      try await say()
      return true
    } catch let error as MinervaError where error.code == .backpressure || error.code == .deadline {
      isRefused()
      try? await Task.sleep(for: .milliseconds(error.retryAfterMilliseconds ?? 20))
    } catch {
      return false
    }
  }
  return false
}
