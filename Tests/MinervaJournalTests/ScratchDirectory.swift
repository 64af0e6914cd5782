import CSQLite
import Glibc
import MinervaJournal
import MinervaWire
import Testing

/// A directory of a test's own, removed with all in it when the last reference goes.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var pattern = Array("\(parent)/minerva-journal-test-XXXXXX".utf8CString)
    guard mkdtemp(&pattern) != nil else { throw Failure(errno: errno) }
    path = String(decoding: pattern.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  var file: String { "\(path)/journal.db" }

  /// The names in the directory.
  var names: [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Overwrites bytes of a file in the directory.
  func damage(_ name: String, at offset: Int, with bytes: [UInt8]) {
    let descriptor = open("\(path)/\(name)", O_WRONLY)
    guard descriptor >= 0 else { return }
    pwrite(descriptor, bytes, bytes.count, off_t(offset))
    close(descriptor)
  }

  /// Copies a file of the directory byte by byte, as a crash at this moment would find it.
  func copy(_ name: String, to target: String) {
    let source = open("\(path)/\(name)", O_RDONLY)
    guard source >= 0 else { return }
    defer { close(source) }
    let destination = open("\(path)/\(target)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard destination >= 0 else { return }
    defer { close(destination) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { return }
      write(destination, buffer, count)
    }
  }

  /// The bytes of a file.
  func bytes(of name: String) -> [UInt8] {
    let descriptor = open("\(path)/\(name)", O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: size(of: name))
    let count = read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  /// Writes scenes with so many records each, and closes the file.
  func fill(_ scenes: [String], upTo count: UInt64) async throws {
    let journal = try await SQLiteJournal.open(file)
    for scene in scenes { try await journal.append(JournalRules.entries(scene, 1...count), epoch: journal.epoch) }
    await journal.close()
  }

  /// Runs SQL on the closed file.
  func run(_ sql: String) {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open(file, &handle) == SQLITE_OK else {
      Issue.record("cannot open \(file)")
      return
    }
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
  }

  /// The number of a table's rows in the closed file.
  func count(_ table: String) -> Int {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(handle)
    }
    guard sqlite3_open(file, &handle) == SQLITE_OK,
      sqlite3_prepare_v2(handle, "SELECT count(*) FROM \(table)", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { return -1 }
    return Int(sqlite3_column_int64(statement, 0))
  }

  func truncate(_ name: String, to size: Int) { Glibc.truncate("\(path)/\(name)", off_t(size)) }

  func size(of name: String) -> Int {
    var status = stat()
    return stat("\(path)/\(name)", &status) == 0 ? Int(status.st_size) : 0
  }

  struct Failure: Error { let errno: Int32 }
}
