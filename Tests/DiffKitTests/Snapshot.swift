import Glibc
import Testing

/// Compares a text with the file of that name beside the tests; `MINERVA_SNAPSHOTS=write` writes the file instead.
func expectSnapshot(_ text: String, _ name: String, file: String = #filePath, at location: SourceLocation = #_sourceLocation) {
  let path = file.split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" } + "/Snapshots/\(name)"
  if getenv("MINERVA_SNAPSHOTS") != nil {
    guard let stream = fopen(path, "w") else { return #expect(Bool(false), "cannot write \(path)", sourceLocation: location) }
    fputs(text, stream)
    fclose(stream)
    return
  }
  guard let stream = fopen(path, "r") else { return #expect(Bool(false), "no snapshot \(path)", sourceLocation: location) }
  defer { fclose(stream) }
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = fread(&piece, 1, piece.count, stream)
    guard count > 0 else { break }
    bytes += piece[..<count]
  }
  let stored = String(decoding: bytes, as: UTF8.self)
  let old = stored.split(separator: "\n", omittingEmptySubsequences: false)
  let new = text.split(separator: "\n", omittingEmptySubsequences: false)
  let line = zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? min(old.count, new.count)
  #expect(stored == text, "\(name) differs from its snapshot at line \(line + 1)", sourceLocation: location)
}
