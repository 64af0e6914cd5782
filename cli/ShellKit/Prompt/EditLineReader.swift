import CEditLine
import CommandKit
import Glibc
import MinervaSupervision
import Synchronization

/// Lines of a terminal, edited with libedit on a thread of its own.
///
/// Characters are read by our own function, which also waits on a pipe: so a notice can be shown above the line, and Ctrl-C drops it,
/// while nothing else of the program blocks.
package final class EditLineReader: LineReader {
  /// What other threads ask of the one that reads.
  private struct Wishes {
    var notices: [String] = []
    var isInterrupted = false
    var isReading = false
    var isClosed = false
  }

  /// What only the reading thread touches while it reads; between two reads nobody does.
  private final class Terminal: @unchecked Sendable {
    let line: OpaquePointer
    let past: OpaquePointer?
    var prompt: UnsafeMutablePointer<CChar>?
    var isInterrupted = false
    var lastTab: String?

    init(_ line: OpaquePointer, _ past: OpaquePointer?) {
      self.line = line
      self.past = past
    }
  }

  private let wishes = Mutex(Wishes())
  private let terminal: Terminal
  private let wakeRead: Int32
  private let wakeWrite: Int32
  private let history: HistoryFile?
  private let complete: @Sendable (_ line: String) -> Completion

  /// Takes the terminal; nil when standard input is none that libedit can edit on.
  ///
  /// - Parameter complete: Offers what may follow a text; called on the reading thread and must not block.
  package init?(history: HistoryFile?, complete: @escaping @Sendable (String) -> Completion) {
    var ends: [Int32] = [-1, -1]
    guard isatty(STDIN_FILENO) == 1, pipe(&ends) == 0, let line = cel_open("minerva") else { return nil }
    // A full pipe must not block whoever wakes the reader, nor an empty one the reader itself.
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    self.history = history
    self.complete = complete
    (wakeRead, wakeWrite) = (ends[0], ends[1])
    terminal = Terminal(line, cel_history(Int32(HistoryFile.limit)))
    cel_set_context(line, Unmanaged.passUnretained(self).toOpaque())
    cel_set_prompt(line) { line in
      guard let line, let context = cel_context(line) else { return nil }
      return Unmanaged<EditLineReader>.fromOpaque(context).takeUnretainedValue().terminal.prompt
    }
    cel_use_emacs_keys(line)
    if let past = terminal.past {
      cel_use_history(line, past)
      for entry in history?.load() ?? [] { cel_remember(past, entry) }
    }
    cel_set_reader(line) { line, character in
      guard let line, let character, let context = cel_context(line) else { return -1 }
      return Unmanaged<EditLineReader>.fromOpaque(context).takeUnretainedValue().character(into: character)
    }
    cel_add_function(line, "minerva-complete", "complete the word") { line, _ in
      guard let line, let context = cel_context(line) else { return UInt8(CC_ERROR) }
      return Unmanaged<EditLineReader>.fromOpaque(context).takeUnretainedValue().tab()
    }
    cel_bind(line, "^I", "minerva-complete")
    cel_bind(line, "^R", "em-inc-search-prev")
    // Ctrl-left and Ctrl-right by words.
    cel_bind(line, "\\e[1;5D", "ed-prev-word")
    cel_bind(line, "\\e[1;5C", "em-next-word")
  }

  package var isInteractive: Bool { true }

  package func read(prompt: String) async throws(ParseError) -> LineInput {
    await withCheckedContinuation { continuation in
      let started = SystemThread.start(named: "line") { continuation.resume(returning: self.readLine(prompt)) }
      if !started { continuation.resume(returning: .end) }
    }
  }

  private func readLine(_ prompt: String) -> LineInput {
    let isClosed = wishes.withLock { wishes in
      wishes.isReading = !wishes.isClosed
      return wishes.isClosed
    }
    guard !isClosed else { return .end }
    defer { wishes.withLock { $0.isReading = false } }
    free(terminal.prompt)
    terminal.prompt = strdup(prompt)
    terminal.isInterrupted = false
    terminal.lastTab = nil
    var count: Int32 = 0
    let text = el_gets(terminal.line, &count)
    if terminal.isInterrupted {
      el_reset(terminal.line)
      Self.show("^C\n")
      return .interrupted
    }
    guard let text, count > 0 else {
      Self.show("\n")
      return .end
    }
    let line = String(cString: text)
    return .line(line.hasSuffix("\n") ? String(line.dropLast()) : line)
  }

  /// Reads one character of the terminal as libedit wants it: 1 and the character, 0 at the end, -1 to give up the line.
  private func character(into result: UnsafeMutablePointer<wchar_t>) -> Int32 {
    var bytes: [UInt8] = []
    while true {
      var places = [pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0), pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0)]
      guard poll(&places, 2, -1) >= 0 || errno == EINTR else { return -1 }
      if places[1].revents != 0, !serveWishes() { return -1 }
      guard places[0].revents != 0 else { continue }
      var byte: UInt8 = 0
      let count = Glibc.read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count == 1 else { return count == 0 ? 0 : -1 }
      bytes.append(byte)
      if let scalar = Self.scalar(&bytes) {
        result.pointee = wchar_t(scalar.value)
        return 1
      }
    }
  }

  /// Decodes what has arrived of a character; nil when more must come. What can never become one is a replacement character.
  private static func scalar(_ bytes: inout [UInt8]) -> Unicode.Scalar? {
    let needed = bytes[0] < 0x80 ? 1 : bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : bytes[0] >= 0xC0 ? 2 : 1
    guard bytes.count >= needed else { return nil }
    defer { bytes = [] }
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.first
  }

  /// Does what other threads asked for; false when the line is to be given up.
  private func serveWishes() -> Bool {
    var piece = [UInt8](repeating: 0, count: 256)
    while Glibc.read(wakeRead, &piece, piece.count) > 0 {}
    let (notices, isInterrupted) = wishes.withLock { wishes in
      defer {
        wishes.notices = []
        wishes.isInterrupted = false
      }
      return (wishes.notices, wishes.isInterrupted || wishes.isClosed)
    }
    if !notices.isEmpty {
      Self.show("\r\u{1B}[K" + notices.joined(separator: "\n") + "\n")
      cel_refresh(terminal.line)
    }
    if isInterrupted { terminal.isInterrupted = true }
    return !isInterrupted
  }

  /// Completes the word before the cursor: all that the candidates share, or at a second Tab their list.
  private func tab() -> UInt8 {
    guard let info = el_line(terminal.line) else { return UInt8(CC_ERROR) }
    let start = info.pointee.buffer
    let length = info.pointee.cursor.map { cursor in start.map { cursor - $0 } ?? 0 } ?? 0
    let text = String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    let completion = complete(text)
    guard !completion.candidates.isEmpty else { return UInt8(CC_REFRESH_BEEP) }
    let shared = completion.shared
    if shared.utf8.count > completion.typed.utf8.count {
      let rest = String(shared.dropFirst(completion.typed.count)) + (completion.candidates.count == 1 ? completion.suffix : "")
      terminal.lastTab = nil
      return el_insertstr(terminal.line, rest) == 0 ? UInt8(CC_REFRESH) : UInt8(CC_ERROR)
    }
    if completion.candidates.count == 1 {
      return el_insertstr(terminal.line, completion.suffix) == 0 ? UInt8(CC_REFRESH) : UInt8(CC_ERROR)
    }
    guard terminal.lastTab == text else {
      terminal.lastTab = text
      return UInt8(CC_REFRESH_BEEP)
    }
    Self.show("\n" + completion.columns(width: 80).joined(separator: "\n") + "\n")
    return UInt8(CC_REDISPLAY)
  }

  package func interrupt() {
    wishes.withLock { $0.isInterrupted = $0.isReading }
    wake()
  }

  package func notice(_ lines: [String]) {
    let isReading = wishes.withLock { wishes in
      if wishes.isReading { wishes.notices += lines }
      return wishes.isReading
    }
    if isReading { wake() } else { Self.show(lines.joined(separator: "\n") + "\n") }
  }

  package func remember(_ line: String, in memory: LineMemory) {
    guard memory > .none, HistoryFile.isKept(line) else { return }
    if let past = terminal.past { cel_remember(past, line) }
    if memory == .file { history?.append(line) }
  }

  package func close() {
    let wasReading = wishes.withLock { wishes in
      defer { wishes.isClosed = true }
      return wishes.isReading
    }
    if wasReading { return wake() }
    // Between two reads the terminal is in its own modes already; this frees what libedit holds.
    el_end(terminal.line)
  }

  private func wake() {
    var byte: UInt8 = 1
    _ = write(wakeWrite, &byte, 1)
  }

  private static func show(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
