import Glibc

/// The lines typed before, in a file that only its owner reads.
///
/// Not kept: lines that begin with a space, empty ones, and what the caller knows to hold a secret. One entry a line; line ends inside of
/// an entry are written `\n`, backslashes twice.
package struct HistoryFile: Sendable {
  package static let limit = 1_000
  private let path: String

  package init(path: String) { self.path = path }

  /// Reads the newest entries, oldest first; none when there is no such file.
  package func load() -> [String] {
    guard let bytes = try? FileBytes.read(path, limit: 16 << 20) else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.suffix(Self.limit).map { Self.unescaped(String($0)) }
  }

  /// Appends an entry; a file that cannot be written is no reason to disturb.
  package func append(_ line: String) {
    guard Self.isKept(line) else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // A file of ours that others may read is closed to them again.
    fchmod(descriptor, 0o600)
    let bytes = Array((Self.escaped(line) + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  package static func isKept(_ line: String) -> Bool {
    !line.hasPrefix(" ") && !line.allSatisfy(\.isWhitespace) && line.utf8.count <= 16_384
  }

  private static func escaped(_ line: String) -> String {
    String(
      line.flatMap { character -> [Character] in
        switch character {
        case "\\": ["\\", "\\"]
        case "\n": ["\\", "n"]
        default: [character]
        }
      })
  }

  private static func unescaped(_ line: String) -> String {
    var result = ""
    var isEscape = false
    for character in line {
      if isEscape {
        result.append(character == "n" ? "\n" : character)
        isEscape = false
      } else if character == "\\" {
        isEscape = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}
