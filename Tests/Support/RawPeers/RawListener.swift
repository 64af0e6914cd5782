import Glibc
package import MinervaTransport

/// A port that accepts and never speaks by itself: an attempt to reach it runs on until somebody answers in its place. It ends with the object.
package final class RawListener {
  package let endpoint: Endpoint
  private let descriptor: Int32

  /// Listens on a free port of loopback; nothing when the system has none.
  package init?() {
    descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 4) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isListening else { return nil }
    endpoint = .tcp(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }

  /// The next connection; nothing when none comes within ten seconds.
  package func accepted() -> RawConnection? {
    var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&set, 1, 10_000) > 0 else { return nil }
    let connection = accept(descriptor, nil, nil)
    return connection >= 0 ? RawConnection(accepted: connection) : nil
  }
}
