package import CommandKit
import Glibc

/// What a command printed and how it ended, run in this process; errors are printed as the program would.
package struct CommandRun: Equatable {
  package var out: String
  package var code: ExitCode

  package init(_ out: String, _ code: ExitCode) {
    self.out = out
    self.code = code
  }

  /// Runs a command that the words behind a program's name call.
  package init(_ words: [String], of root: CommandDefinition, body: (ParsedCommand, Console) throws -> ExitCode) throws {
    let printed = try Printed()
    self = try printed.run(ended: Result { try body(try CommandParser(root).parse(words), printed.console) })
  }

  /// Runs a command that waits.
  package init(_ words: [String], of root: CommandDefinition, body: (ParsedCommand, Console) async throws -> ExitCode) async throws {
    let printed = try Printed()
    let end: Result<ExitCode, any Error>
    do {
      end = .success(try await body(try CommandParser(root).parse(words), printed.console))
    } catch {
      end = .failure(error)
    }
    self = try printed.run(ended: end)
  }
}

/// A console whose lines go to a file without a name.
private final class Printed {
  let console: Console
  private let descriptor: Int32

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/printed-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw TestFolder.Failure(code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
    let output = Output(descriptor: descriptor)
    console = Console(out: output, notices: output, terminal: .plain, environment: [:])
  }

  deinit { close(descriptor) }

  func run(ended end: Result<ExitCode, any Error>) throws -> CommandRun {
    var code = ExitCode.done
    do {
      code = try end.get()
    } catch {
      try console.out.lines(ErrorWords.lines(for: error))
      code = ErrorWords.exitCode(for: error)
    }
    try console.out.flush()
    lseek(descriptor, 0, SEEK_SET)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return CommandRun(String(decoding: bytes, as: UTF8.self), code)
  }
}
