import Glibc
package import MinervaTransport

/// A plain connection to an endpoint: what telnet, a port scan or an HTTP client makes. It ends with the object.
package final class RawConnection {
  private let descriptor: Int32

  /// Connects over ipc or, on loopback, over tcp; nothing when nobody listens.
  package init?(_ endpoint: Endpoint) {
    switch endpoint {
    case .ipc(let path): descriptor = Self.connected(path: path)
    case .tcp(_, let port): descriptor = Self.connected(port: port)
    case .inProcess: descriptor = -1
    }
    guard descriptor >= 0 else { return nil }
    boundWrites()
  }

  /// A connection that a listener accepted.
  init(accepted descriptor: Int32) {
    self.descriptor = descriptor
    boundWrites()
  }

  /// Has a write end after some seconds: who hangs up without reading on leaves the system to find out, and that takes it up to minutes.
  private func boundWrites() {
    var time = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Writes bytes; false when the other end has hung up or took only a part, or none for five seconds.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
    bytes.isEmpty || Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Introduces itself as a socket of a kind without security, and waits until the other end has done the same: what comes before that it would
  /// take for a part of the handshake.
  package func shakesHands(as kind: String = "DEALER") -> Bool {
    guard write(ZMTP.greeting + ZMTP.ready(as: kind)), read(ZMTP.greeting.count) != nil, let head = read(2) else { return false }
    return read(Int(head[1])) != nil
  }

  /// Reads one frame of a message; nothing when none comes within ten seconds.
  package func frame() -> [UInt8]? {
    guard let flags = read(1)?.first, let length = read(flags & 2 == 0 ? 1 : 8) else { return nil }
    return read(length.reduce(0) { $0 << 8 | Int($1) })
  }

  /// Reads so many bytes; nothing when they do not come within ten seconds.
  private func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var taken = 0
    while taken < count {
      var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&set, 1, 10_000) > 0 else { return nil }
      let more = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + taken, count - taken, 0) }
      guard more > 0 else { return nil }
      taken += more
    }
    return bytes
  }

  /// Waits until the other end hangs up, throwing away what it says; false when it has not in time.
  package func hangsUp(withinMilliseconds limit: Int32) -> Bool {
    let deadline = ContinuousClock.now + .milliseconds(Int64(limit))
    var piece = [UInt8](repeating: 0, count: 4_096)
    // It may go on to ask for signs of life meanwhile.
    while ContinuousClock.now < deadline {
      var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&set, 1, limit) > 0 else { return false }
      guard recv(descriptor, &piece, piece.count, 0) > 0 else { return true }
    }
    return false
  }

  private static func connected(path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return -1 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return connected(AF_UNIX, &address)
  }

  private static func connected(port: UInt16) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return connected(AF_INET, &address)
  }

  private static func connected<Address>(_ family: Int32, _ address: inout Address) -> Int32 {
    let descriptor = Glibc.socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return -1 }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) }
    }
    guard result == 0 else {
      close(descriptor)
      return -1
    }
    return descriptor
  }
}

/// Connects, says something and hangs up; true when it could.
package func shout(_ bytes: [UInt8], at endpoint: Endpoint) -> Bool { RawConnection(endpoint)?.write(bytes) ?? false }

/// ZMTP 3.0 as bytes, for frames that libzmq itself would never send.
package enum ZMTP {
  /// The greeting of a peer without security.
  package static let greeting: [UInt8] =
    [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 3, 0] + Array("NULL".utf8) + [UInt8](repeating: 0, count: 16 + 1 + 31)

  /// The command that ends the handshake of a DEALER.
  package static let ready = ready(as: "DEALER")

  /// The command that ends the handshake of a socket of a kind.
  package static func ready(as kind: String) -> [UInt8] {
    let body = [5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, UInt8(kind.utf8.count)] + Array(kind.utf8)
    return [4, UInt8(body.count)] + body
  }

  /// A frame of a message: its last one, or one that is followed by more.
  package static func frame(_ body: [UInt8], more: Bool = false) -> [UInt8] {
    [more ? 3 : 2] + (0..<8).map { UInt8(truncatingIfNeeded: UInt64(body.count) >> (56 - 8 * $0)) } + body
  }

  /// The head of a frame that claims a length.
  package static func head(claiming length: UInt64) -> [UInt8] { [2] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) } }
}

/// How many descriptors this process has open.
package func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return 0 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}
