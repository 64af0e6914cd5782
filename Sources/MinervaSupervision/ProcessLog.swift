internal import CPosix
internal import Glibc

/// The lines of a process's log: those of services, supervisors and of `print` begin with the time, `2026-11-30T20:21:05.123Z `.
///
/// What a process writes past all that, as its last words in a crash, stands without.
package enum ProcessLog {
  /// One line.
  package struct Line: Sendable, Hashable {
    /// When it was written, RFC 3339 in UTC with milliseconds; nil when it does not say.
    package var time: String?
    package var text: String

    package init(time: String?, text: String) {
      self.time = time
      self.text = text
    }

    /// Takes a line of a log apart.
    package init(_ line: some StringProtocol) {
      let head = Array(line.utf8.prefix(25))
      let isStamped =
        head.count == 25
        && head.enumerated().allSatisfy { index, byte in
          let expected = ProcessLog.pattern[index]
          return expected == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == expected
        }
      time = isStamped ? String(decoding: head.dropLast(), as: UTF8.self) : nil
      text = isStamped ? String(decoding: line.utf8.dropFirst(25), as: UTF8.self) : String(line)
    }

    /// What the supervisor says of a process; nil for the process's own lines.
    package var supervision: Substring? {
      text.hasPrefix(ProcessLog.supervisor) ? text.dropFirst(ProcessLog.supervisor.count) : nil
    }

    /// Whether it is where a crash report begins.
    package var isCrash: Bool { text.contains("Fatal error: ") || text.hasPrefix("*** ") }
  }

  fileprivate static let pattern = Array("0000-00-00T00:00:00.000Z ".utf8)
  fileprivate static let supervisor = "supervisor  "

  /// The time now, as lines begin with it.
  package static var stamp: String {
    var text = [CChar](repeating: 0, count: 32)
    cposix_stamp(&text)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Adds what the supervisor has to say of a process to its log; a log that cannot be written is nobody's failure.
  static func add(_ text: String, to path: String) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = Array("\(stamp) \(supervisor)\(text)\n".utf8)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  /// What the last generation of a process said last: the head of its crash report, its error, else its last line; nil when it said nothing.
  package static func lastWords(at path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let size = lseek(descriptor, 0, SEEK_END)
    let count = pread(descriptor, &bytes, bytes.count, max(0, size - off_t(bytes.count)))
    guard count > 0 else { return nil }
    return lastWords(of: bytes[..<count].split(separator: 0x0A).map { Line(String(decoding: $0, as: UTF8.self)) })
  }

  /// The same of lines.
  package static func lastWords(of lines: [Line]) -> String? {
    // From the end of the life before: what fails at once may be heard of before its start is written.
    let isEnd = { (line: Line) in line.supervision?.contains(" ended") == true }
    var rest = Array(lines.reversed())[...]
    if let end = rest.firstIndex(where: isEnd), rest[..<end].allSatisfy({ $0.supervision != nil }) { rest = rest[(end + 1)...] }
    let life = rest.prefix { !isEnd($0) }.filter { $0.supervision == nil }
    // Behind an error stands what to do about it.
    let head = life.last(where: \.isCrash) ?? life.first { $0.text.hasPrefix("error ") }
    return (head ?? life.first { line in line.text.contains { !$0.isWhitespace } })?.text
  }
}
