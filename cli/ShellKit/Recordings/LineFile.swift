import Glibc
import MinervaWire

/// A file that lines are written to as they come; private to its owner, since it holds what people did.
final class LineFile {
  private let path: String
  private let descriptor: Int32

  /// Makes the file, or empties the one that is there.
  ///
  /// - Throws: `file.unwritable`.
  init(_ path: String) throws(MinervaError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure }
  }

  deinit { close(descriptor) }

  /// Writes whole lines behind what is there.
  func write(_ lines: [String]) throws(MinervaError) {
    guard !lines.isEmpty else { return }
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure }
      sent += count
    }
  }

  private var failure: MinervaError {
    MinervaError(.fileUnwritable, "cannot write \(path): \(String(cString: strerror(errno)))")
  }
}
