import CommandKit
import DiffKit
import Glibc
import MinervaWire
import Testing

/// A directory of its own for a test's files, removed with it.
final class Workspace {
  let path: String

  init() throws {
    var template = Array("/tmp/diffkit-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIX(errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  struct POSIX: Error {
    let code: Int32
    init(_ code: Int32) { self.code = code }
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  private var names: [String] = []

  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let place = "\(path)/\(name)"
    names.append(name)
    guard let stream = fopen(place, "w") else { throw POSIX(errno) }
    fwrite(bytes, 1, bytes.count, stream)
    fclose(stream)
    return place
  }

  func file(_ name: String, _ text: String) throws -> String { try file(name, Array(text.utf8)) }
}

/// Runs `minerva diff` in this process.
///
/// - Returns: What it printed, and its exit code; an error is printed as the program would.
func runDiff(_ words: [String], in workspace: Workspace? = nil) async throws -> (out: String, code: ExitCode) {
  let template = "/tmp/diffkit-out-\(getpid())-\(UInt64.random(in: 0 ... .max))"
  let descriptor = open(template, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  defer {
    close(descriptor)
    unlink(template)
  }
  let output = Output(descriptor: descriptor)
  let console = Console(out: output, notices: output, terminal: .plain, environment: [:])
  var code: ExitCode
  do {
    let shared: [OptionDefinition] = [.flag("json", "one JSON object a line")]
    let root = CommandDefinition("minerva", "Test", options: shared, subcommands: [DiffCommand.definition])
    code = try await DiffCommand.run(try CommandParser(root).parse(["diff"] + words), console)
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
  var text = String(decoding: bytes, as: UTF8.self)
  if let workspace {
    text = text.split(separator: workspace.path + "/", omittingEmptySubsequences: false).joined()
  }
  return (text, code)
}
