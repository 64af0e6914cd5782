internal import Glibc

extension RuntimeDirectory {
  /// Has the process that holds a name here read its files again (SIGHUP).
  ///
  /// One that is only starting is waited for, as it may have read them before they changed: until it serves, or for as long as `patience`.
  ///
  /// - Returns: The process; nil when none holds the name.
  @discardableResult
  package func hangUp(_ name: String, patience: Duration = .seconds(5)) async -> Int32? {
    let clock = ContinuousClock()
    let deadline = clock.now + patience
    while let pid = LockFile.holder(of: lockPath(name)), pid > 1 {
      if isServed(name) { return kill(pid, SIGHUP) == 0 ? pid : nil }
      guard clock.now < deadline else { return nil }
      try? await clock.sleep(for: .milliseconds(20))
    }
    return nil
  }
}
