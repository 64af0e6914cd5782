import Glibc
package import MinervaWire

/// The lines of a file or of standard input, one after the other, whatever its size.
package struct FileLines {
  private let path: String
  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// - Throws: `file.unreadable`.
  package init(_ path: String) throws(MinervaError) {
    self.path = path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  package func end() { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// The next line without its end, or nil behind the last.
  /// - Throws: `file.unreadable` when the system gives no more of it, which is not its end.
  package mutating func next() throws(MinervaError) -> [UInt8]? {
    while true {
      if let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return Array(pending[start..<end])
      }
      if isAtEnd {
        guard start < pending.count else { return nil }
        defer { start = pending.count }
        return Array(pending[start...])
      }
      pending.removeFirst(start)
      start = 0
      var piece = [UInt8](repeating: 0, count: 1 << 18)
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(path) }
      if count > 0 { pending += piece[..<count] } else { isAtEnd = true }
    }
  }

  private static func failure(_ path: String) -> MinervaError {
    MinervaError(.fileUnreadable, "cannot read \(path): \(String(cString: strerror(errno)))")
  }
}
