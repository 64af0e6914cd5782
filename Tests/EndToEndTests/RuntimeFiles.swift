import Glibc

/// What stands in a directory.
enum RuntimeFiles {
  static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
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

  /// The size of a file in bytes; 0 when it is not there.
  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Overwrites bytes of a file.
  static func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) {
    let descriptor = open(path, O_WRONLY)
    guard descriptor >= 0 else { return }
    pwrite(descriptor, bytes, bytes.count, off_t(offset))
    close(descriptor)
  }

  /// The text of a file; empty when it cannot be read.
  static func text(_ path: String) -> String { String(decoding: bytes(path), as: UTF8.self) }

  /// The bytes of a file; empty when it cannot be read.
  static func bytes(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes
  }
}
