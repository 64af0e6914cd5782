internal import Glibc

extension RuntimeDirectory {
  /// The value that the process which holds a name here was given for an option; nil when there is none.
  package func argument(_ option: String, of name: String) -> String? {
    guard let pid = LockFile.holder(of: lockPath(name)), let text = ProcessSample.read("/proc/\(pid)/cmdline") else { return nil }
    let words = text.split(separator: "\0")
    guard let index = words.firstIndex(of: Substring(option)), index + 1 < words.count else { return nil }
    return String(words[index + 1])
  }

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
