import Glibc
import MinervaSupervision
import MinervaWire
import Testing

@Suite("Runtime directory") struct RuntimeDirectoryTests {
  private func code(_ body: () throws(MinervaError) -> Void) -> MinervaError.Code? {
    do throws(MinervaError) { try body() } catch { return error.code }
    return nil
  }

  private func privateDirectory(_ body: (RuntimeDirectory) throws -> Void) throws {
    let directory = try RuntimeDirectory.makePrivate(prefix: "minerva-test")
    defer { directory.remove() }
    try body(directory)
  }

  @Test("Option before environment before session before temporary; empty counts as unset")
  func order() {
    let full = ["MINERVA_RUNTIME": "/env", "XDG_RUNTIME_DIR": "/run/user/7", "TMPDIR": "/scratch"]
    #expect(RuntimeDirectory.choose(option: "/opt/../x", environment: { full[$0] }).origin == .option)
    #expect(RuntimeDirectory.choose(environment: { full[$0] }).path == "/env")
    let session = RuntimeDirectory.choose(environment: { $0 == "MINERVA_RUNTIME" ? "" : full[$0] })
    #expect(session.path == "/run/user/7/minerva")
    #expect(session.origin == .session)
    #expect(RuntimeDirectory.choose(environment: { _ in nil }).path == "/tmp/minerva-\(geteuid())")
    #expect(RuntimeDirectory.choose(option: "relative/./d", environment: { _ in nil }).path.hasSuffix("/relative/d"))
  }

  @Test("It is created with mode 0700, parents too")
  func created() throws {
    try privateDirectory { outer in
      let inner = try RuntimeDirectory.open(option: outer.path + "/a/b")
      var status = stat()
      #expect(stat(inner.path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700)
      try inner.check()
    }
  }

  @Test("A directory that others may enter is refused, with the command that mends it")
  func wrongMode() throws {
    try privateDirectory { directory in
      chmod(directory.path, 0o755)
      do throws(MinervaError) {
        try directory.prepare()
        Issue.record("accepted mode 755")
      } catch {
        #expect(error.code == .unsafeDirectory)
        #expect(error.message.contains("chmod 700 \(directory.path)"))
      }
      #expect(code { () throws(MinervaError) in _ = try directory.dialledPath("broker") } == .unsafeDirectory)
      chmod(directory.path, 0o700)
    }
  }

  @Test("A directory of another user is refused", .enabled(if: geteuid() == 0))
  func wrongOwner() throws {
    try privateDirectory { outer in
      let directory = try RuntimeDirectory.open(option: outer.path + "/theirs")
      #expect(chown(directory.path, 4321, 4321) == 0)
      #expect(code { () throws(MinervaError) in try directory.check() } == .unsafeDirectory)
      #expect(code { () throws(MinervaError) in _ = try directory.dialledPath("broker") } == .unsafeDirectory)
    }
  }

  @Test("A file or a link in its place is refused")
  func notADirectory() throws {
    try privateDirectory { outer in
      let file = RuntimeDirectory.choose(option: outer.path + "/file")
      close(open(file.path, O_CREAT | O_WRONLY, 0o600))
      #expect(code { () throws(MinervaError) in try file.prepare() } == .unsafeDirectory)
      let link = RuntimeDirectory.choose(option: outer.path + "/link")
      symlink(outer.path, link.path)
      #expect(code { () throws(MinervaError) in try link.prepare() } == .unsafeDirectory)
    }
  }

  @Test("C04: a socket path of 107 bytes is taken, of 108 refused with the limit and the way out")
  func pathLimit() throws {
    let base = "/tmp/\(getpid())"
    let name = "broker"
    let fits = base + String(repeating: "d", count: 107 - base.utf8.count - "/broker.sock".utf8.count)
    #expect(try RuntimeDirectory.choose(option: fits).socketPath(name).utf8.count == 107)
    do throws(MinervaError) {
      _ = try RuntimeDirectory.choose(option: fits + "d").endpoint(name)
      Issue.record("accepted 108 bytes")
    } catch {
      #expect(error.code == .endpointInvalid)
      #expect(error.message.contains("107") && error.message.contains("--runtime"))
    }
    // What is refused for its length is not created either.
    for (path, names) in [(fits + "d", ["broker"]), (fits, ["broker", "supervisor"])] {
      let directory = RuntimeDirectory.choose(option: path)
      #expect(code { () throws(MinervaError) in try directory.prepare(for: names) } == .endpointInvalid)
      #expect(access(path, F_OK) != 0, "\(path)")
    }
    // Bytes count, not characters.
    let umlauts = base + String(repeating: "ö", count: 50)
    #expect(code { () throws(MinervaError) in _ = try RuntimeDirectory.choose(option: umlauts).socketPath(name) } == .endpointInvalid)
  }
}

@Suite("Lock file") struct LockFileTests {
  private func with(_ body: (RuntimeDirectory) throws -> Void) throws {
    let directory = try RuntimeDirectory.makePrivate(prefix: "minerva-test")
    defer { directory.remove() }
    try body(directory)
  }

  private func code(_ body: () throws(MinervaError) -> Void) -> MinervaError.Code? {
    do throws(MinervaError) { try body() } catch { return error.code }
    return nil
  }

  /// Binds a stream socket; the descriptor keeps listening.
  private func listen(at path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    Glibc.listen(descriptor, 5)
    return descriptor
  }

  @Test("C04: a second broker is refused with the first one's process id")
  func secondRefused() throws {
    try with { directory in
      let lock = try LockFile.acquire(directory.lockPath("broker"))
      do throws(MinervaError) {
        _ = try LockFile.acquire(directory.lockPath("broker"))
        Issue.record("locked twice")
      } catch {
        #expect(error.code == .endpointTaken)
        #expect(error.message.contains("process \(getpid())"))
      }
      #expect(LockFile.holder(of: directory.lockPath("broker")) == getpid())
      lock.release()
      lock.release()
      #expect(LockFile.holder(of: directory.lockPath("broker")) == nil)
      #expect(access(lock.path, F_OK) != 0, "nothing is left behind")
      _ = try LockFile.acquire(directory.lockPath("broker"))
    }
  }

  @Test("C04: the lock of a killed process does not block the next one (starts a process)")
  func staleLock() throws {
    try with { directory in
      let path = directory.lockPath("broker")
      let holder = try SpawnedProcess.start(
        ProcessSpecification(
          name: "holder", kind: "test", executable: "/bin/sh",
          arguments: ["-c", "exec 9<>\(path); flock 9; echo $$ >&9; echo > \(directory.path)/ready; exec sleep 60"], output: .discard))
      defer { holder.terminate(grace: .zero) }
      #expect(eventually { access(directory.path + "/ready", F_OK) == 0 })
      #expect(LockFile.holder(of: path) == holder.pid)
      #expect(code { () throws(MinervaError) in _ = try LockFile.acquire(path) } == .endpointTaken)
      holder.signal(SIGKILL)
      #expect(holder.wait(atMost: .seconds(5)) == .signal(SIGKILL))
      _ = try LockFile.acquire(path)
    }
  }

  @Test("C04: a stale socket is replaced, a live one refused, a file of any other kind left alone")
  func sockets() throws {
    try with { directory in
      let lock = try LockFile.acquire(directory.lockPath("broker"))
      let path = try directory.socketPath("broker")
      try lock.clearSocket(at: path)

      let live = listen(at: path)
      #expect(code { () throws(MinervaError) in try lock.clearSocket(at: path) } == .endpointTaken)
      #expect(access(path, F_OK) == 0)
      close(live)
      // Closed without an unlink, as kill -9 leaves it.
      // A child that another test starts right now may hold a copy of the socket until it executes its program.
      #expect(eventually { !LockFile.answers(path) })
      try lock.clearSocket(at: path)
      #expect(access(path, F_OK) != 0)

      close(open(path, O_CREAT | O_WRONLY, 0o600))
      #expect(code { () throws(MinervaError) in try lock.clearSocket(at: path) } == .endpointTaken)
      #expect(access(path, F_OK) == 0, "a regular file is never deleted")
      unlink(path)
      symlink("/etc/passwd", path)
      #expect(code { () throws(MinervaError) in try lock.clearSocket(at: path) } == .endpointTaken)
    }
  }

  @Test("Taken and let go by many threads at once: never two holders")
  func contended() async throws {
    let directory = try RuntimeDirectory.makePrivate(prefix: "minerva-test")
    defer { directory.remove() }
    let path = directory.lockPath("x")
    let witness = directory.path + "/witness"
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            guard let lock = try? LockFile.acquire(path) else { continue }
            #expect(mkdir(witness, 0o700) == 0, "two holders")
            rmdir(witness)
            lock.release()
          }
        }
      }
    }
  }
}

/// Asks again and again, at most twenty seconds, whether something became true.
func eventually(_ condition: () -> Bool) -> Bool {
  let deadline = MonotonicTime.now + .seconds(20)
  while !condition() {
    guard MonotonicTime.now < deadline else { return false }
    usleep(2_000)
  }
  return true
}
