import Glibc

/// Reads the bytes of a script as lines (D04): LF, CRLF, a byte-order mark and a missing last newline are the same.
package enum ScriptText {
  /// The size up to which a script is read.
  package static let limit = 16 << 20

  /// Returns the text with LF line ends and without a byte-order mark; refuses UTF-16, NUL, a lone CR and bytes that are no UTF-8.
  package static func decode(_ bytes: [UInt8], file: String?) throws(ParseError) -> String {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw ParseError(.encoding, "this is UTF-16; save it as UTF-8", at: SourcePosition(file: file))
    }
    let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    var lines = 1
    var result: [UInt8] = []
    result.reserveCapacity(body.count)
    var previous: UInt8 = 0
    for byte in body {
      if previous == 0x0D, byte != 0x0A {
        throw ParseError(.encoding, "a line ends with CR alone; save it with LF or CRLF", at: SourcePosition(file: file, line: lines))
      }
      if byte == 0 {
        throw ParseError(.encoding, "a NUL byte; this is no UTF-8 text", at: SourcePosition(file: file, line: lines))
      }
      if byte == 0x0A { lines += 1 }
      if byte != 0x0D { result.append(byte) }
      previous = byte
    }
    if previous == 0x0D {
      throw ParseError(.encoding, "a line ends with CR alone; save it with LF or CRLF", at: SourcePosition(file: file, line: lines))
    }
    guard let text = String(validating: result, as: UTF8.self) else {
      throw ParseError(.encoding, "not UTF-8", at: SourcePosition(file: file, line: faultyLine(in: result)))
    }
    return text
  }

  private static func faultyLine(in bytes: [UInt8]) -> Int {
    var line = 1
    for piece in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if String(validating: piece, as: UTF8.self) == nil { return line }
      line += 1
    }
    return line
  }

  /// Reads a file, `-` being standard input.
  package static func read(_ path: String) throws(ParseError) -> String {
    try decode(try FileBytes.read(path, limit: limit), file: path)
  }
}

/// The bytes of a file or of standard input, up to a limit.
package enum FileBytes {
  package static func read(_ path: String, limit: Int) throws(ParseError) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= limit else {
        throw ParseError(.file, "\(path) is larger than \(limit >> 20) MiB", at: SourcePosition())
      }
    }
  }

  /// Whether there is a file of that name, and no device or pipe.
  static func isFile(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }

  /// Writes a new file, or replaces one.
  package static func write(_ text: String, to path: String) throws(ParseError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw ParseError(.file, "cannot write \(path): \(String(cString: strerror(errno)))", at: SourcePosition(file: path))
    }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw ParseError(.file, "cannot write \(path): \(String(cString: strerror(errno)))", at: SourcePosition(file: path))
      }
      sent += count
    }
  }

  /// Writes a file beside and puts it in place, so that a reader sees the old one or the new one; private to its owner.
  package static func replace(_ path: String, with text: String) throws(ParseError) {
    let beside = path + ".new"
    unlink(beside)
    try write(text, to: beside)
    guard chmod(beside, 0o600) == 0, rename(beside, path) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> ParseError {
    ParseError(.file, "cannot read \(path): \(String(cString: strerror(errno)))", at: SourcePosition(file: path))
  }
}
