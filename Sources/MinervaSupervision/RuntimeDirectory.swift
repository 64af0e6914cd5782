internal import CPosix
internal import Glibc
package import MinervaWire

/// The directory, private to a user, that holds the sockets, locks and logs of one set of services.
///
/// It is created with mode 0700 and refused when it belongs to somebody else or others may enter it: whoever can
/// reach a socket in it can command the broker.
package struct RuntimeDirectory: Sendable, Hashable {
  /// Where the path came from, for `doctor`.
  package enum Origin: String, Sendable, Hashable, Codable {
    case option, environment, session, temporary
  }

  /// The absolute path, without a trailing slash.
  package let path: String
  package let origin: Origin

  /// The longest path of a Unix socket: `sockaddr_un.sun_path` less its terminating zero.
  package static let socketPathLimit = 107

  /// Chooses a directory, nothing created yet: option, then `MINERVA_RUNTIME`, then `$XDG_RUNTIME_DIR/minerva`, then
  /// one of the user's own under the temporary directory (the same for each call, so that shells find services).
  ///
  /// - Parameters:
  ///   - option: what `--runtime` said.
  ///   - environment: looks a variable up; empty counts as unset.
  package static func choose(
    option: String? = nil, environment: (String) -> String? = RuntimeDirectory.variable
  ) -> RuntimeDirectory {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let option, !option.isEmpty { return RuntimeDirectory(path: absolute(option), origin: .option) }
    if let path = value("MINERVA_RUNTIME") { return RuntimeDirectory(path: absolute(path), origin: .environment) }
    if let session = value("XDG_RUNTIME_DIR"), session.hasPrefix("/") {
      return RuntimeDirectory(path: absolute(session + "/minerva"), origin: .session)
    }
    return RuntimeDirectory(path: "\(temporary(value("TMPDIR")))/minerva-\(geteuid())", origin: .temporary)
  }

  /// Chooses a directory as `choose` does, creates it where it is missing and checks it.
  ///
  /// - Parameter names: whose sockets are to have room in it.
  /// - Throws: `bus.unsafe_directory`, `runtime.file`, `bus.endpoint_invalid`.
  package static func open(
    option: String? = nil, for names: [String] = ["broker"], environment: (String) -> String? = RuntimeDirectory.variable
  ) throws(MinervaError) -> RuntimeDirectory {
    let chosen = choose(option: option, environment: environment)
    try chosen.prepare(for: names)
    return chosen
  }

  /// Makes a new directory that nobody else uses, for a private set of services; the caller removes it.
  package static func makePrivate(prefix: String = "minerva") throws(MinervaError) -> RuntimeDirectory {
    // `mkdtemp` puts its own letters in place of the six.
    let pattern = "\(temporary(variable("TMPDIR")))/\(prefix)-" + String(repeating: "X", count: 6)
    var bytes = Array(pattern.utf8CString)
    guard mkdtemp(&bytes) != nil else {
      throw MinervaError(.runtimeFile, "cannot make a private directory like \(pattern); set TMPDIR to a writable one", errno: errno)
    }
    let made = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return RuntimeDirectory(path: made, origin: .temporary)
  }

  /// Creates the directory, parents too, where it is missing, and checks it.
  ///
  /// - Parameter names: whose sockets are to have room in it; without that nothing is created (C04).
  package func prepare(for names: [String] = ["broker"]) throws(MinervaError) {
    for name in names { _ = try socketPath(name) }
    var partial = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
      partial += "/\(part)"
      guard mkdir(partial, 0o700) != 0 else { continue }
      let failure = errno
      guard failure != EEXIST, failure != EISDIR, failure != EROFS || !Self.exists(partial) else { continue }
      throw MinervaError(.runtimeFile, "cannot create \(partial); choose another runtime directory with --runtime DIR", errno: failure)
    }
    try check()
  }

  /// Checks that the path is a directory of this user that nobody else may enter.
  package func check() throws(MinervaError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw MinervaError(
        .runtimeFile, "cannot look at the runtime directory \(path); create it or choose another with --runtime DIR", errno: errno)
    }
    guard cposix_is_directory(status.st_mode) != 0 else {
      let kind = cposix_is_link(status.st_mode) != 0 ? "a symbolic link" : "not a directory"
      throw MinervaError(.unsafeDirectory, "\(path) is \(kind); remove it or choose another runtime directory with --runtime DIR")
    }
    guard status.st_uid == geteuid() else {
      throw MinervaError(
        .unsafeDirectory,
        "\(path) belongs to user \(status.st_uid), we run as \(geteuid()); choose a directory of your own with --runtime DIR")
    }
    let mode = status.st_mode & 0o777
    guard mode & 0o077 == 0 else {
      throw MinervaError(.unsafeDirectory, "\(path) has mode \(String(mode, radix: 8)), others may enter it; run: chmod 700 \(path)")
    }
  }

  /// The path of a socket of that name.
  ///
  /// - Throws: `bus.endpoint_invalid` past 107 bytes.
  package func socketPath(_ name: String) throws(MinervaError) -> String {
    let result = "\(path)/\(name).sock"
    let length = result.utf8.count
    guard length <= Self.socketPathLimit else {
      throw MinervaError(
        .endpointInvalid,
        "the socket path \(result) has \(length) bytes, the system allows \(Self.socketPathLimit); "
          + "choose a runtime directory of at most \(Self.socketPathLimit - name.utf8.count - 6) bytes with --runtime DIR")
    }
    return result
  }

  /// The ZeroMQ endpoint of a socket of that name: `ipc://` and its path.
  package func endpoint(_ name: String) throws(MinervaError) -> String {
    "ipc://" + (try socketPath(name))
  }

  /// The path of the lock of that name.
  package func lockPath(_ name: String) -> String { "\(path)/\(name).lock" }

  /// Whether a process holds a name here and has made its socket; asked without a connection to it.
  package func isServed(_ name: String) -> Bool {
    guard let path = try? socketPath(name) else { return false }
    return access(path, F_OK) == 0 && LockFile.holder(of: lockPath(name)) != nil
  }

  /// The path of the socket to dial for a name; `nil` when nobody serves it here.
  ///
  /// Whoever owns the directory is behind its sockets. A path that others can make first, as the one under the temporary
  /// directory, would hand every password that is typed to their broker: so the directory is checked before each dialling.
  ///
  /// - Throws: `bus.unsafe_directory` when the directory is not this user's alone; `bus.endpoint_invalid` past 107 bytes.
  package func dialledPath(_ name: String) throws(MinervaError) -> String? {
    let socket = try socketPath(name)
    guard Self.exists(path) else { return nil }
    try check()
    return isServed(name) ? socket : nil
  }

  /// The directory of the log files; created when a process is started with a log.
  package var logDirectory: String { "\(path)/logs" }

  /// The path of a process's log file.
  package func logPath(_ name: String) -> String { "\(logDirectory)/\(name).log" }

  /// Removes the directory and all in it, not following links; for private directories at their end.
  package func remove() { Self.removeTree(path) }

  /// A variable of this process's environment.
  package static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  private static func temporary(_ variable: String?) -> String {
    guard let variable, variable.hasPrefix("/") else { return "/tmp" }
    return absolute(variable)
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private static func absolute(_ path: String) -> String {
    var whole = path
    if !whole.hasPrefix("/"), let current = getcwd(nil, 0) {
      whole = String(cString: current) + "/" + whole
      free(current)
    }
    let parts = whole.split(separator: "/").filter { $0 != "." }
    return "/" + parts.joined(separator: "/")
  }

  private static func removeTree(_ path: String) {
    if unlink(path) == 0 || errno == ENOENT { return }
    guard let directory = opendir(path) else { return }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    closedir(directory)
    for name in names { removeTree("\(path)/\(name)") }
    rmdir(path)
  }
}
