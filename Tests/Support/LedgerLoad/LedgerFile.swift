import Foundation
import Glibc
import Synchronization

/// The log of a caller: one line an entry, each whole in the file before anything follows from it.
package final class LedgerFile: Sendable {
  private let descriptor: Int32

  /// Opens the log; what earlier lives wrote stays.
  package init?(_ path: String) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  package func append(_ entry: LedgerEntry) throws {
    var line = [UInt8](try JSONEncoder().encode(entry))
    line.append(UInt8(ascii: "\n"))
    // One call a line: two lanes never mix, and a killed process has written a line or has not.
    guard write(descriptor, line, line.count) == line.count else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  /// What all lives of a caller have written, in order.
  package static func read(_ path: String) throws -> [LedgerEntry] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    let decoder = JSONDecoder()
    return try data.split(separator: UInt8(ascii: "\n")).map { try decoder.decode(LedgerEntry.self, from: Data($0)) }
  }
}
