/// Where the lines of a conversation come from: a terminal with editing, or a pipe.
package protocol LineReader: Sendable {
  /// Waits for one line; one at a time.
  func read(prompt: String) async throws(ParseError) -> LineInput

  /// Drops what is being typed; `read` returns `interrupted`. Callable from any thread.
  func interrupt()

  /// Keeps a line for later recall.
  func remember(_ line: String, in memory: LineMemory)

  /// Shows lines above what is being typed.
  func notice(_ lines: [String])

  /// Gives the terminal back as it was.
  func close()

  /// Whether a person sits in front of it.
  var isInteractive: Bool { get }

  /// What messages call the place of its lines; nil where nobody needs to be told.
  var source: String? { get }
}

extension LineReader {
  package var source: String? { nil }
}

/// How long a line may be kept for recall.
package enum LineMemory: Sendable, Hashable, Comparable {
  /// Not at all: it holds a secret.
  case none
  /// Until the shell ends, on no disk: nobody can say that it holds none.
  case session
  /// In the history file.
  case file
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
