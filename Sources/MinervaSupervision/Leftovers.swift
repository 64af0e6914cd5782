internal import CPosix
internal import Glibc

/// What a supervisor that was killed has left in its runtime directory.
///
/// Its children end by themselves when their line closes (`ParentWatch`). One that is stopped cannot notice, and what
/// is killed cannot take its socket and lock away: the next supervisor, or `minerva down`, does both here.
package struct Leftovers: Sendable, Hashable {
  /// A process that outlived its supervisor and has now ended.
  package struct Child: Sendable, Hashable {
    package let name: String
    package let pid: Int32
  }

  /// The processes that were still there, in the order of their names.
  package private(set) var ended: [Child] = []
  /// The names of the sockets and locks that were removed, in order.
  package private(set) var cleared: [String] = []

  package var isEmpty: Bool { ended.isEmpty && cleared.isEmpty }

  /// What was done, a line each.
  package var lines: [String] {
    var lines: [String] = []
    if !ended.isEmpty {
      lines.append("ended \(ended.map { "\($0.name) (pid \($0.pid))" }.joined(separator: ", ")), left by a supervisor that was killed")
    }
    if !cleared.isEmpty { lines.append("cleared \(cleared.joined(separator: ", ")), left by processes that were killed") }
    return lines
  }

  /// Ends the children of a dead supervisor and removes the files of processes that are gone.
  ///
  /// Processes that were started by hand in the directory go on, and so does everything that is no socket and no lock.
  ///
  /// - Parameters:
  ///   - lock: the supervisor's lock, held by the caller: no other supervisor lives in the directory.
  ///   - patience: how long the children may take for a clean end before they are killed.
  package static func clear(in runtime: RuntimeDirectory, under lock: LockFile, patience: Duration = .seconds(3)) async -> Leftovers {
    var result = Leftovers()
    let orphans = Orphan.all(in: runtime)
    result.ended = orphans.map { Child(name: $0.name, pid: $0.pid) }
    // One that was stopped reads the end of its line once it goes on, and ends as the others do.
    for orphan in orphans { orphan.signal(SIGCONT) }
    let stubborn = await Orphan.remaining(of: orphans, within: patience)
    for orphan in stubborn { orphan.signal(SIGKILL) }
    _ = await Orphan.remaining(of: stubborn, within: .seconds(5))
    if let socket = try? runtime.socketPath("supervisor"), removeSocket(socket, under: lock) { result.cleared.append("supervisor.sock") }
    for name in lockNames(in: runtime) {
      // Who gets the lock knows that its owner is gone, and keeps a new one away meanwhile.
      guard let own = try? LockFile.acquire(runtime.lockPath(name)) else { continue }
      for socketName in name == "broker" ? [name, "events"] : [name] {
        guard let socket = try? runtime.socketPath(socketName), removeSocket(socket, under: own) else { continue }
        result.cleared.append("\(socketName).sock")
      }
      own.release()
      result.cleared.append("\(name).lock")
    }
    result.cleared.sort()
    return result
  }

  /// Removes a stale socket; false when there is none or it is not ours to remove.
  private static func removeSocket(_ path: String, under lock: LockFile) -> Bool {
    guard access(path, F_OK) == 0 else { return false }
    return (try? lock.clearSocket(at: path)) != nil
  }

  /// The names of the locks in a directory but the supervisor's, in order.
  fileprivate static func lockNames(in runtime: RuntimeDirectory) -> [String] {
    guard let directory = opendir(runtime.path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".lock"), name != "supervisor.lock" { names.append(String(name.dropLast(5))) }
    }
    return names.sorted()
  }
}

/// A supervised process whose supervisor is gone; a pidfd keeps the signals from whoever gets its number later.
private final class Orphan: Sendable {
  let name: String
  let pid: Int32
  private let descriptor: Int32

  private init(name: String, pid: Int32, descriptor: Int32) {
    self.name = name
    self.pid = pid
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Those that hold a lock in a directory.
  static func all(in runtime: RuntimeDirectory) -> [Orphan] {
    var seen: Set<Int32> = [getpid()]
    var found: [Orphan] = []
    for name in Leftovers.lockNames(in: runtime) {
      let path = runtime.lockPath(name)
      guard let pid = LockFile.holder(of: path), pid > 1, seen.insert(pid).inserted else { continue }
      let descriptor = cposix_pidfd_open(pid)
      guard descriptor >= 0 else { continue }
      let orphan = Orphan(name: name, pid: pid, descriptor: descriptor)
      // Looked at behind the pidfd: the number is still the holder's, and what we read of it is about the same process.
      guard isSupervised(pid), LockFile.holder(of: path) == pid else { continue }
      found.append(orphan)
    }
    return found
  }

  func signal(_ number: Int32) { _ = cposix_pidfd_signal(descriptor, number) }

  /// Those that have not ended in time.
  static func remaining(of orphans: [Orphan], within time: Duration) async -> [Orphan] {
    let deadline = MonotonicTime.now + time
    var left = orphans
    while true {
      left.removeAll(where: \.hasEnded)
      guard !left.isEmpty, MonotonicTime.now < deadline, !Task.isCancelled else { return left }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  private var hasEnded: Bool {
    var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&set, 1, 0) > 0
  }

  /// Whether a process was started with a supervisor's line: its first environment says so for as long as it lives.
  private static func isSupervised(_ pid: Int32) -> Bool {
    let descriptor = open("/proc/\(pid)/environ", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    let line = Array("\(ParentLine.variable)=".utf8)
    return bytes.split(separator: 0).contains { $0.starts(with: line) }
  }
}
