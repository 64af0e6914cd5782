import Glibc

/// A directory of a test's own, removed with it.
package final class TestFolder: Sendable {
  package let path: String

  /// A call of the system failed.
  package struct Failure: Error {
    package let code: Int32
  }

  package init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/folder-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { unlink(file(name)) }
    rmdir(path)
  }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  package var names: [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Writes a file and returns its path.
  @discardableResult
  package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    guard let stream = fopen(file(name), "w") else { throw Failure(code: errno) }
    fwrite(bytes, 1, bytes.count, stream)
    fclose(stream)
    return file(name)
  }

  @discardableResult
  package func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

  package func bytes(_ name: String) throws -> [UInt8] {
    guard let stream = fopen(file(name), "r") else { throw Failure(code: errno) }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&piece, 1, piece.count, stream)
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }

  package func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  /// Writes over the last place where a file holds these bytes.
  package func overwrite(_ name: String, find: [UInt8], with new: [UInt8]) throws {
    let all = try bytes(name)
    guard let place = all.indices.last(where: { all[$0...].starts(with: find) }) else { throw Failure(code: ENOENT) }
    let descriptor = open(file(name), O_WRONLY)
    defer { close(descriptor) }
    pwrite(descriptor, new, new.count, off_t(place))
  }
}
