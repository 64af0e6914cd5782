/// A condition that a test waited for did not come to hold in time.
package struct NeverHeld: Error, CustomStringConvertible {
  package let description: String
}

/// Waits until a condition holds, giving way to everybody else meanwhile.
///
/// - Throws: `NeverHeld` after half a minute: a test that waits for ever says nothing of what is wrong.
package func until(_ what: String = "the condition", _ condition: () async throws -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(30)
  while try await !condition() {
    guard ContinuousClock.now < deadline else { throw NeverHeld(description: "\(what) did not come to hold within 30 s") }
    await Task.yield()
  }
}
