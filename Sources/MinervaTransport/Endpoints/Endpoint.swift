/// An address that a bus listens on or dials.
///
/// Three forms exist: `ipc:///directory/socket` (a socket file, at most 107 bytes of path), `tcp://host:port` (CURVE only, or
/// loopback with the insecure option) and `inproc://name` (the in-process hub, no socket at all). Port `0` or `*` asks the system
/// for a free port; what `listen` returns names it.
public enum Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// A socket file at an absolute path.
  case ipc(path: String)
  /// A host name or address and a port.
  case tcp(host: String, port: UInt16)
  /// A name in an in-process hub.
  case inProcess(name: String)

  /// The longest path of a socket file in bytes: `sun_path` without its terminator.
  public static let longestPath = 107

  /// Reads an endpoint as people write it.
  ///
  /// - Throws: `EndpointError` with a text that says what is wrong and what to write instead.
  public init(_ text: String) throws(EndpointError) {
    if let path = text.remainder(after: "ipc://") {
      self = .ipc(path: path)
    } else if let address = text.remainder(after: "tcp://") {
      guard let colon = address.lastIndex(of: ":") else {
        throw EndpointError("\(text): a tcp endpoint needs a port, as in tcp://127.0.0.1:7000")
      }
      let digits = address[address.index(after: colon)...]
      let host = String(address[..<colon])
      guard let port = digits == "*" ? 0 : UInt16(digits) else { throw EndpointError("\(text): the port must be 0 to 65535 or *") }
      self = .tcp(host: host, port: port)
    } else if let name = text.remainder(after: "inproc://") {
      self = .inProcess(name: name)
    } else {
      throw EndpointError("\(text): an endpoint starts with ipc://, tcp:// or inproc://")
    }
    try validate()
  }

  /// Checks what can be checked without touching the system.
  ///
  /// - Throws: `EndpointError` for an empty or overlong path, a relative path, an empty host or name.
  public func validate() throws(EndpointError) {
    switch self {
    case .ipc(let path):
      let length = path.utf8.count
      guard path.hasPrefix("/") else { throw EndpointError("\(self): the path of a socket file must be absolute") }
      guard length <= Self.longestPath else {
        throw EndpointError(
          "\(self): the path has \(length) bytes and the system allows \(Self.longestPath); choose a shorter runtime directory")
      }
      guard !path.utf8.contains(0) else { throw EndpointError("the path of a socket file holds a zero byte") }
    case .tcp(let host, _):
      guard !host.isEmpty, host.utf8.count <= 255 else { throw EndpointError("\(self): a host of 1 to 255 bytes is needed") }
      guard !host.utf8.contains(where: { $0 <= 32 || $0 == 59 || $0 == 64 }) else {
        throw EndpointError("\(self): the host holds a character it may not")
      }
    case .inProcess(let name):
      guard !name.isEmpty, name.utf8.count <= 255 else { throw EndpointError("\(self): a name of 1 to 255 bytes is needed") }
    }
  }

  /// The endpoint as people and libzmq write it.
  public var description: String {
    switch self {
    case .ipc(let path): "ipc://\(path)"
    case .tcp(let host, let port): "tcp://\(host):\(port)"
    case .inProcess(let name): "inproc://\(name)"
    }
  }

  /// The endpoint as a process says it before it listens: nothing while the port is the system's choice.
  package var statedAtStart: String? { if case .tcp(_, 0) = self { nil } else { description } }

  /// The endpoint with the port of another one where it leaves the port open.
  package func withPort(of other: Endpoint) -> Endpoint {
    if case (.tcp(let host, 0), .tcp(_, let port)) = (self, other) { .tcp(host: host, port: port) } else { self }
  }

  /// True for a tcp endpoint that only this machine can reach.
  public var isLoopback: Bool {
    guard case .tcp(let host, _) = self else { return false }
    return host == "localhost" || host == "[::1]" || host == "::1" || Self.isLoopbackIPv4(host)
  }

  private static func isLoopbackIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil } && parts[0] == "127"
  }
}

/// Why an endpoint cannot be used, in words for people.
public struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what to write instead.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension String {
  fileprivate func remainder(after prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}
