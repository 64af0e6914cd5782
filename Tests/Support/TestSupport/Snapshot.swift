import Glibc

/// Compares a text with the file of that name in the folder `Snapshots` beside a test; `MINERVA_SNAPSHOTS=write` writes the file instead.
/// - Returns: What is wrong, in words for whoever reads the failed test, or `nil` when the two are the same.
package func snapshotMismatch(_ text: String, _ name: String, file: String = #filePath) -> String? {
  let path = file.split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" } + "/Snapshots/\(name)"
  if getenv("MINERVA_SNAPSHOTS") != nil {
    guard let stream = fopen(path, "w") else { return "cannot write \(path)" }
    defer { fclose(stream) }
    return fputs(text, stream) < 0 ? "cannot write \(path)" : nil
  }
  guard let stream = fopen(path, "r") else { return "no snapshot \(path)" }
  defer { fclose(stream) }
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = fread(&piece, 1, piece.count, stream)
    guard count > 0 else { break }
    bytes += piece[..<count]
  }
  let stored = String(decoding: bytes, as: UTF8.self)
  guard stored != text else { return nil }
  let old = stored.split(separator: "\n", omittingEmptySubsequences: false)
  let new = text.split(separator: "\n", omittingEmptySubsequences: false)
  let line = zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? min(old.count, new.count)
  let (expected, found) = (old.dropFirst(line).first ?? "nothing", new.dropFirst(line).first ?? "nothing")
  return "\(name) differs at line \(line + 1): expected \"\(expected)\", got \"\(found)\""
}
