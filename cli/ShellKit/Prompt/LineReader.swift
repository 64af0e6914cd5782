/// Where the lines of a conversation come from: a terminal with editing, or a pipe.
package protocol LineReader: Sendable {
  /// Waits for one line; one at a time.
  func read(prompt: String) async throws(ParseError) -> LineInput

  /// Drops what is being typed; `read` returns `interrupted`. Callable from any thread.
  func interrupt()

  /// Keeps a line for later recall.
  func remember(_ line: String)

  /// Shows lines above what is being typed.
  func notice(_ lines: [String])

  /// Gives the terminal back as it was.
  func close()

  /// Whether a person sits in front of it.
  var isInteractive: Bool { get }
}

/// What came of waiting for a line.
package enum LineInput: Sendable, Hashable {
  /// A line without its end.
  case line(String)
  /// Ctrl-C.
  case interrupted
  /// Ctrl-D, or the end of the input.
  case end
}
