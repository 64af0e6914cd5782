import Glibc
import Minerva
import MinervaWire

/// The changes of a book on disk: the start of the run in the first line, then one change a line, each synced before it counts.
///
/// A last line that was torn by a crash never counted, and is cut off when the file is opened.
final class BookFile: Sendable {
  private struct Head: Codable {
    var start: Moment
  }

  /// One line: a change, and the key of the wish it grants.
  struct Line: Codable {
    var key: String?
    var change: BookChange
  }

  /// What a file holds.
  struct Opened {
    var file: BookFile
    var book: WorkoutBook
    /// The keyed changes, oldest first.
    var granted: [(String, BookChange)]
  }

  private let descriptor: Int32

  /// Opens or makes the file, and reads the book it holds.
  /// - Parameters:
  ///   - path: Where it is; the file is made with mode 0600.
  ///   - start: The start of the run, for a file that is new.
  /// - Returns: The book with every whole change applied.
  static func open(_ path: String, start: Moment) throws -> Opened {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("open", path) }
    let file = BookFile(descriptor: descriptor)
    let (lines, whole) = try file.lines(path)
    guard ftruncate(descriptor, off_t(whole)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else { throw failure("truncate", path) }
    guard let first = lines.first else {
      try file.append(Head(start: start), path)
      return Opened(file: file, book: WorkoutBook(start: start), granted: [])
    }
    let head = try Payload.decode(Head.self, from: first, as: path, code: "app.store_damaged")
    var book = WorkoutBook(start: head.start)
    var granted: [(String, BookChange)] = []
    for bytes in lines.dropFirst() {
      let line = try Payload.decode(Line.self, from: bytes, as: path, code: "app.store_damaged")
      book.apply(line.change)
      if let key = line.key { granted.append((key, line.change)) }
    }
    return Opened(file: file, book: book, granted: granted.suffix(1_024))
  }

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Appends a change and syncs it.
  func append(_ value: some Encodable, _ path: String) throws {
    var line = try Payload.encode(value)
    line.append(UInt8(ascii: "\n"))
    var written = 0
    while written < line.count {
      let count = line[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("write", path) }
      written += count
    }
    guard fdatasync(descriptor) == 0 else { throw Self.failure("sync", path) }
  }

  /// The whole lines of the file, and how many bytes they take.
  private func lines(_ path: String) throws -> ([[UInt8]], Int) {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure("read", path) }
      if count == 0 { break }
      bytes.append(contentsOf: chunk[..<count])
    }
    guard let last = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return ([], 0) }
    let lines = bytes[..<last].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    return (lines, last + 1)
  }

  private static func failure(_ what: String, _ path: String) -> MinervaError {
    MinervaError("app.store_unavailable", "cannot \(what) \(path): \(String(cString: strerror(errno)))")
  }
}
