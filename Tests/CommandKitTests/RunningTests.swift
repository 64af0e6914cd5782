import CommandKit
import Glibc
import Testing

@Suite("Running a program")
struct RunningTests {
  private struct Refused: StatedError {
    var statedCode = "nav.stale_ref"
    var statement = "s9 was removed\u{1B}"
    var remedy: String? = "look at the stack again"
  }

  @Test(arguments: [
    ("nav.stale_ref", ExitCode.refused), ("parse.unexpected", .usage), ("bus.unreachable", .unreachable), ("bus.peer_lost", .unreachable),
    ("bus.deadline", .timeout), ("link.timeout", .timeout), ("nav.timeout", .timeout), ("replay.diverged", .diverged),
    ("internal.state", .internalError),
    ("bus.cancelled", .interrupted), ("expect.failed", .refused),
  ])
  func `one place decides the exit code`(code: String, exit: ExitCode) {
    #expect(ExitCode(errorCode: code) == exit)
  }

  @Test func `errors become words once, escaped`() {
    #expect(
      ErrorWords.lines(for: Refused()) == ["error nav.stale_ref: s9 was removed\\x1b", "  look at the stack again"])
    #expect(ErrorWords.lines(for: UsageError("no", command: "minerva up")) == ["error: no", "try: minerva up --help"])
    #expect(ErrorWords.exitCode(for: UsageError("no", command: "m")) == .usage)
    #expect(ErrorWords.lines(for: OutputEnd.readerGone).isEmpty)
    #expect(ErrorWords.exitCode(for: OutputEnd.readerGone) == .done)
    #expect(ErrorWords.exitCode(for: CancellationError()) == .interrupted)
    struct Odd: Error {}
    #expect(ErrorWords.exitCode(for: Odd()) == .internalError)
  }

  @Test func `a reader that leaves early is a quiet error (D01)`() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    let output = Output(descriptor: ends[1], limit: 0)
    #expect(throws: OutputEnd.readerGone) { try output.line("x") }
    #expect(throws: OutputEnd.readerGone) { try output.flush() }
    close(ends[1])
  }

  @Test func `a reader that leaves is noticed while nothing is written (D01)`() async throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { close(ends[1]) }
    let output = Output(descriptor: ends[1])
    #expect(output.hasReader)
    close(ends[0])
    await withCheckedContinuation { continuation in
      _ = output.whenReaderLeaves { continuation.resume() }
    }
    #expect(!output.hasReader)
    #expect(throws: OutputEnd.readerGone) { try output.flush() }
  }

  @Test func `errors become JSON where that was asked for`() {
    #expect(
      ErrorWords.json(for: Refused(statement: "it \"was\" removed")) == [
        #"{"error":{"code":"nav.stale_ref","message":"it \"was\" removed"}}"#
      ])
    #expect(ErrorWords.json(for: UsageError("no", command: "m")) == [#"{"error":{"code":"usage","message":"no"}}"#])
    #expect(ErrorWords.json(for: OutputEnd.readerGone).isEmpty)
  }

  @Test func `a full disk is told, with a code that is not success (D01)`() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    try #require(full >= 0)
    defer { close(full) }
    let output = Output(descriptor: full)
    try output.line("kept until the end")
    #expect(throws: OutputEnd.refused(errno: ENOSPC)) { try output.flush() }
    #expect(throws: OutputEnd.refused(errno: ENOSPC)) { try output.line("x") }
    let end = OutputEnd.refused(errno: ENOSPC)
    #expect(ErrorWords.lines(for: end).first == "error file.unwritable: cannot write the output: No space left on device; it is cut off")
    #expect(ErrorWords.exitCode(for: end) == .refused)
  }

  @Test func `more than a pipe holds arrives whole`() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (readEnd, writeEnd) = (ends[0], ends[1])
    let text = String(repeating: "0123456789abcdef", count: 20_000)
    async let count: Int = withCheckedContinuation { continuation in
      let box = Reader(readEnd, continuation)
      box.start()
    }
    let output = Output(descriptor: writeEnd)
    try output.write(text)
    try output.flush()
    close(writeEnd)
    #expect(await count == text.utf8.count)
  }

  @Test func `the environment is read`() {
    #expect(Program.environmentVariables()["PATH"] != nil)
  }
}

/// Counts what arrives on a descriptor, on a thread of its own.
private final class Reader: Sendable {
  private let descriptor: Int32
  private let continuation: CheckedContinuation<Int, Never>

  init(_ descriptor: Int32, _ continuation: CheckedContinuation<Int, Never>) {
    self.descriptor = descriptor
    self.continuation = continuation
  }

  func start() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let reader = Unmanaged<Reader>.fromOpaque(context).takeRetainedValue()
        var total = 0
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
          let count = piece.withUnsafeMutableBytes { read(reader.descriptor, $0.baseAddress, $0.count) }
          guard count > 0 else { break }
          total += count
        }
        close(reader.descriptor)
        reader.continuation.resume(returning: total)
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }
}
