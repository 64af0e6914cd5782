package import CommandKit
import Glibc
import MinervaSupervision
import Synchronization

/// Lines of a pipe or file, by the rules of scripts (D04), as they arrive.
package final class PipeLineReader: LineReader {
  private struct State {
    var buffer: [UInt8] = []
    var line = 0
    var isAtEnd = false
  }

  private let descriptor: Int32
  private let name: String
  private let state = Mutex(State())
  private let console: Console

  package init(_ console: Console, descriptor: Int32 = STDIN_FILENO, name: String = "standard input") {
    self.console = console
    self.descriptor = descriptor
    self.name = name
  }

  package var isInteractive: Bool { false }
  package var source: String? { name }

  package func read(prompt: String) async throws(ParseError) -> LineInput {
    let result: Result<LineInput, ParseError> = await withCheckedContinuation { continuation in
      let started = SystemThread.start(named: "input") { continuation.resume(returning: self.next()) }
      if !started { continuation.resume(returning: .success(.end)) }
    }
    return try result.get()
  }

  /// Blocks until a whole line is there.
  private func next() -> Result<LineInput, ParseError> {
    while true {
      let (known, isAtEnd) = state.withLock { state in (Self.take(&state), state.isAtEnd) }
      if let known { return decode(known) }
      if isAtEnd { return .success(.end) }
      var piece = [UInt8](repeating: 0, count: 16_384)
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      let reason = count < 0 ? String(cString: strerror(errno)) : nil
      let line = state.withLock { state in
        if count > 0 { state.buffer += piece[..<count] } else { state.isAtEnd = true }
        // Half a line is none when the rest of it cannot be read.
        if count < 0 { state.buffer = [] }
        return state.line + 1
      }
      if let reason { return .failure(ParseError(.file, "cannot read \(name): \(reason)", at: SourcePosition(file: name, line: line))) }
    }
  }

  /// Takes a line out of the buffer; what is left at the end of the input is a line too.
  private static func take(_ state: inout State) -> (bytes: [UInt8], line: Int)? {
    guard let end = state.buffer.firstIndex(of: 0x0A) else {
      guard state.isAtEnd || state.buffer.count > Lexer.limit, !state.buffer.isEmpty else { return nil }
      state.line += 1
      defer { state.buffer = [] }
      return (state.buffer, state.line)
    }
    state.line += 1
    defer { state.buffer.removeFirst(end + 1) }
    return (Array(state.buffer[...end]), state.line)
  }

  private func decode(_ line: (bytes: [UInt8], line: Int)) -> Result<LineInput, ParseError> {
    // A byte-order mark belongs to the first line alone.
    let bytes = line.line > 1 && line.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [0xEF, 0xBB, 0xBF] + line.bytes : line.bytes
    do throws(ParseError) {
      let text = try ScriptText.decode(bytes, file: name)
      return .success(.line(text.hasSuffix("\n") ? String(text.dropLast()) : text))
    } catch {
      return .failure(ParseError(error.code, error.message, at: SourcePosition(file: name, line: line.line)))
    }
  }

  package func interrupt() {}
  package func remember(_ line: String, in memory: LineMemory) {}
  package func notice(_ lines: [String]) { try? console.out.lines(lines) }
  package func close() {}
}
