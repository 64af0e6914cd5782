import CommandKit
import Glibc
import JournalKit
import MinervaWire

/// What a command printed and how it ended.
struct Ran: Equatable {
  var out: String
  var code: ExitCode

  init(_ out: String, _ code: ExitCode) {
    self.out = out
    self.code = code
  }
}

/// A directory of a test's own, removed with it, and the command run in this process.
final class Place: Sendable {
  let path: String

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/journalkit-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  struct Failure: Error { let code: Int32 }

  deinit {
    for name in names { unlink(file(name)) }
    rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  var names: [String] {
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

  func write(_ name: String, _ text: String) throws {
    guard let stream = fopen(file(name), "w") else { throw Failure(code: errno) }
    fputs(text, stream)
    fclose(stream)
  }

  func bytes(_ name: String) throws -> [UInt8] {
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

  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  /// Writes over the last place where a file holds these bytes.
  func overwrite(_ name: String, find: [UInt8], with new: [UInt8]) throws {
    let all = try bytes(name)
    guard let place = all.indices.last(where: { all[$0...].starts(with: find) }) else { throw Failure(code: ENOENT) }
    let descriptor = open(file(name), O_WRONLY)
    defer { close(descriptor) }
    pwrite(descriptor, new, new.count, off_t(place))
  }

  private static let root = CommandDefinition(
    "minerva", "Test",
    options: [.value("runtime", .directory, "the directory of sockets, locks and logs"), .flag("json", "one JSON object a line")],
    subcommands: [JournalCommand.definition])

  func help(_ path: [String]) -> String { Program.help(Self.root, for: path, width: 80) }

  /// Runs `minerva journal`; errors are printed as the program would, and the directory is called DIR.
  func run(_ words: [String]) throws -> Ran {
    let name = "\(path).out-\(UInt64.random(in: 0 ... .max))"
    let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    defer {
      close(descriptor)
      unlink(name)
    }
    let output = Output(descriptor: descriptor)
    let console = Console(out: output, notices: output, terminal: .plain, environment: [:])
    var code: ExitCode
    do {
      code = try JournalCommand.run(try CommandParser(Self.root).parse(["journal"] + words), console)
    } catch {
      try output.lines(ErrorWords.lines(for: error))
      code = ErrorWords.exitCode(for: error)
    }
    try output.flush()
    lseek(descriptor, 0, SEEK_SET)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return Ran(String(decoding: bytes, as: UTF8.self).replacing(path, with: "DIR"), code)
  }
}
