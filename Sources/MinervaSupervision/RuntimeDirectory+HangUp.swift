internal import Glibc
package import MinervaWire

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
  /// Also one that is only starting, and may have read them before they changed: a service takes its signals before it takes its name, and
  /// keeps what comes until it serves. Whether its socket is still there says nothing: it may be reached by another door.
  ///
  /// - Returns: The process; nil when none holds the name.
  /// - Throws: `runtime.file` when the system does not let it be told.
  @discardableResult
  package func hangUp(_ name: String) throws(MinervaError) -> Int32? {
    while let pid = LockFile.holder(of: lockPath(name)), pid > 1 {
      if kill(pid, SIGHUP) == 0 { return pid }
      let failure = errno
      // One that has ended meanwhile holds nothing any more.
      guard failure == ESRCH, LockFile.holder(of: lockPath(name)) != pid else {
        throw MinervaError(.runtimeFile, "cannot send SIGHUP to process \(pid), which holds \(lockPath(name))", errno: failure)
      }
    }
    return nil
  }
}
