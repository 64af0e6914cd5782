import Glibc

/// The process's environment, read from the kernel's copy of it: `environ` is a mutable global, which Swift 6 refuses to touch.
enum EnvironmentBlock {
  static func entries() -> [(String, String)] {
    let descriptor = open("/proc/self/environ", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes.split(separator: 0).compactMap { entry in
      guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      return (String(decoding: entry[..<equals], as: UTF8.self), String(decoding: entry[(equals + 1)...], as: UTF8.self))
    }
  }
}
