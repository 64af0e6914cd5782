import Glibc
package import MinervaWire

/// A file's bytes, read once and checked to be UTF-8 text, and where its lines are.
///
/// LF and CRLF end a line alike, a byte order mark is no part of the first, and a missing end of the last line makes no difference (D04).
package struct TextLines: Sendable {
  package let path: String
  let bytes: [UInt8]
  private let start: Int

  /// Reads a file, or with `-` standard input.
  ///
  /// - Throws: `file.unreadable`, `file.too_large` from 4 GiB, `parse.encoding` with the line.
  package init(path: String) throws(MinervaError) {
    try self.init(path: path, bytes: TextLines.read(path))
  }

  /// Takes bytes that were read already.
  package init(path: String, bytes: [UInt8]) throws(MinervaError) {
    self.path = path
    self.bytes = bytes
    start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard bytes.count < Int(UInt32.max) else {
      throw MinervaError(.fileTooLarge, "\(path) has \(bytes.count) bytes; fewer than 4294967295 are possible")
    }
    if let fault = bytes.withUnsafeBufferPointer(UTF8Check.firstFault) {
      let line = 1 + bytes[..<fault].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
      let what = bytes[fault] == 0 ? "a zero byte, as in UTF-16 or a binary file" : "bytes that are not UTF-8"
      throw MinervaError(.parseEncoding, "\(path): line \(line) holds \(what)")
    }
  }

  /// Calls `body` with the bounds of each line in `bytes`, its end left out.
  func forEach(_ body: (_ line: Int, _ start: Int, _ end: Int) throws(MinervaError) -> Void) throws(MinervaError) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(MinervaError) -> Void in
      guard let base = buffer.baseAddress else { return }
      var at = start
      var line = 1
      while at < buffer.count {
        let found = memchr(base + at, 0x0A, buffer.count - at)
        let stop = found.map { base.distance(to: $0.assumingMemoryBound(to: UInt8.self)) } ?? buffer.count
        let end = stop > at && found != nil && buffer[stop - 1] == 0x0D ? stop - 1 : stop
        try body(line, at, end)
        at = stop + 1
        line += 1
      }
    }
  }

  private static func read(_ path: String) throws(MinervaError) -> [UInt8] {
    func refused(_ what: String) -> MinervaError { MinervaError(.fileUnreadable, "\(path): \(what)") }
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw refused(String(cString: strerror(errno))) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw refused(String(cString: strerror(errno))) }
    guard facts.st_mode & S_IFMT != S_IFDIR else { throw refused("is a directory") }
    guard facts.st_size < Int(UInt32.max) else {
      throw MinervaError(.fileTooLarge, "\(path) has \(facts.st_size) bytes; fewer than 4294967295 are possible")
    }
    var bytes: [UInt8] = []
    // A pipe has no size; one byte more than a file's size sees its end without growing.
    var room = max(65_536, Int(facts.st_size) + 1)
    var failure: Int32 = 0
    while room > 0, bytes.count < Int(UInt32.max) {
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, used in
        while count < buffer.count {
          let got = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
          if got < 0, errno == EINTR { continue }
          if got < 0 { failure = errno }
          if got <= 0 { break }
          count += got
        }
        used = count
      }
      guard failure == 0 else { throw refused(String(cString: strerror(failure))) }
      let isLast = count < room
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
      room = isLast ? 0 : max(room, bytes.count)
    }
    return bytes
  }
}

/// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF; and no zero bytes, which no text holds.
enum UTF8Check {
  /// The place of the first byte that is wrong, or nil.
  static func firstFault(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let raw = UnsafeRawBufferPointer(bytes)
    var at = 0
    while at < bytes.count {
      // Eight characters of ASCII at a time; a zero among them shows by the borrow.
      while at + 8 <= bytes.count {
        let word = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        if (word | (word &- 0x0101_0101_0101_0101)) & 0x8080_8080_8080_8080 != 0 { break }
        at += 8
      }
      guard at < bytes.count else { return nil }
      let first = bytes[at]
      if first > 0, first < 0x80 {
        at += 1
        continue
      }
      let (length, lower, upper): (Int, UInt8, UInt8)
      switch first {
      case 0xC2...0xDF: (length, lower, upper) = (2, 0x80, 0xBF)
      case 0xE0: (length, lower, upper) = (3, 0xA0, 0xBF)
      case 0xED: (length, lower, upper) = (3, 0x80, 0x9F)
      case 0xE1...0xEF: (length, lower, upper) = (3, 0x80, 0xBF)
      case 0xF0: (length, lower, upper) = (4, 0x90, 0xBF)
      case 0xF1...0xF3: (length, lower, upper) = (4, 0x80, 0xBF)
      case 0xF4: (length, lower, upper) = (4, 0x80, 0x8F)
      default: return at
      }
      guard at + length <= bytes.count, (lower...upper).contains(bytes[at + 1]) else { return at }
      for further in 2..<max(2, length) where bytes[at + further] & 0xC0 != 0x80 { return at }
      at += length
    }
    return nil
  }
}
