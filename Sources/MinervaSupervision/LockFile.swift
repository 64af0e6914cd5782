internal import CPosix
internal import Glibc
package import MinervaWire
internal import Synchronization

/// A name held by this process alone, for as long as it lives: `flock` on a file with the holder's process id in it.
///
/// The kernel lets go of the lock when the process dies, however it dies, so a stale file never blocks. libzmq
/// needs this: a second bind of an `ipc` path succeeds and steals the first one's clients.
package final class LockFile: Sendable {
  package let path: String
  private let descriptor: Mutex<Int32>

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = Mutex(descriptor)
  }

  deinit { release() }

  /// Takes the lock at once or refuses.
  ///
  /// - Throws: `bus.endpoint_taken` with the holder's process id; `bus.unsafe_directory`, `runtime.file`.
  package static func acquire(_ path: String) throws(MinervaError) -> LockFile {
    // A holder that lets go removes the file first: what we then locked has no name any more, so we look again.
    for _ in 0..<64 {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else {
        let code: MinervaError.Code = errno == EACCES ? .unsafeDirectory : .runtimeFile
        throw MinervaError(code, "cannot open the lock \(path); check the owner of its directory", errno: errno)
      }
      guard takes(descriptor) else {
        let failure = errno
        let holder = readHolder(descriptor)
        close(descriptor)
        guard failure == EWOULDBLOCK else {
          throw MinervaError(.runtimeFile, "cannot lock \(path)", errno: failure)
        }
        let who = holder.map { "process \($0)" } ?? "another process"
        throw MinervaError(.endpointTaken, "\(path) is held by \(who); stop it, or choose another directory with --runtime DIR")
      }
      var ours = stat()
      var named = stat()
      guard fstat(descriptor, &ours) == 0, lstat(path, &named) == 0, ours.st_ino == named.st_ino, ours.st_dev == named.st_dev else {
        close(descriptor)
        continue
      }
      let text = Array("\(getpid())\n".utf8)
      guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count else {
        let failure = errno
        close(descriptor)
        throw MinervaError(.runtimeFile, "cannot write the lock \(path)", errno: failure)
      }
      return LockFile(path: path, descriptor: descriptor)
    }
    throw MinervaError(.endpointTaken, "\(path) changes hands all the time; try again")
  }

  /// Locks at once, or within the moment for which another process only looks whether the lock is held.
  private static func takes(_ descriptor: Int32) -> Bool {
    for _ in 0..<100 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard errno == EWOULDBLOCK else { return false }
      sched_yield()
      errno = EWOULDBLOCK
    }
    return false
  }

  /// The process id in a lock that is held, or nil when nobody holds it.
  package static func holder(of path: String) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
    return readHolder(descriptor)
  }

  /// Lets go and removes the file. Idempotent.
  package func release() {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else { return }
      unlink(path)
      close(descriptor)
      descriptor = -1
    }
  }

  /// Makes the path free for a bind: a stale socket is removed, anything else is left where it is.
  ///
  /// - Throws: `bus.endpoint_taken` when somebody answers at the socket, `bus.endpoint_taken` when a file of another kind
  ///   stands there, `runtime.file`.
  package func clearSocket(at path: String) throws(MinervaError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw MinervaError(.runtimeFile, "cannot look at \(path)", errno: errno) }
      return
    }
    guard cposix_is_socket(status.st_mode) != 0 else {
      throw MinervaError(.endpointTaken, "\(path) is not a socket and is left as it is; move it away or choose another --runtime DIR")
    }
    guard !Self.answers(path) else {
      throw MinervaError(.endpointTaken, "another process listens at \(path); stop it, or choose another directory with --runtime DIR")
    }
    guard unlink(path) == 0 || errno == ENOENT else {
      throw MinervaError(.runtimeFile, "cannot remove the stale socket \(path)", errno: errno)
    }
  }

  /// Whether a process accepts connections at a socket. The listener sees a connection that says nothing.
  package static func answers(_ path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count <= RuntimeDirectory.socketPathLimit else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else { return false }
    defer { close(probe) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    // A full backlog (EAGAIN) is a listener too.
    return result == 0 || errno == EAGAIN || errno == EINPROGRESS
  }

  private static func readHolder(_ descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
  }
}
