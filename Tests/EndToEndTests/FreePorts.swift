import Glibc
import MinervaWire

/// Ports of loopback for brokers of tests.
enum FreePorts {
  /// A port that nobody listens on now, as on the next one, where a broker publishes its events.
  static func pair() throws -> UInt16 {
    for _ in 0..<50 {
      guard let first = taken(0) else { break }
      defer { close(first.descriptor) }
      guard first.port < .max, let second = taken(first.port + 1) else { continue }
      close(second.descriptor)
      return first.port
    }
    throw MinervaError(.endpointTaken, "no two free ports in a row on loopback")
  }

  private static func taken(_ port: UInt16) -> (descriptor: Int32, port: UInt16)? {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0 }
    }
    guard isBound else {
      close(descriptor)
      return nil
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }
}
