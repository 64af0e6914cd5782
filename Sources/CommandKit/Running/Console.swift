import Glibc

/// What a program meets the world with: its streams, what is known of them, its environment.
package struct Console: Sendable {
  /// Data.
  package let out: Output
  /// Everything else.
  package let notices: Output
  package let terminal: TerminalFacts
  package let environment: [String: String]

  package init(out: Output, notices: Output, terminal: TerminalFacts, environment: [String: String]) {
    self.out = out
    self.notices = notices
    self.terminal = terminal
    self.environment = environment
  }

  package var paint: Paint { Paint(terminal.usesColour) }

  /// The process's own streams.
  package static func standard(environment: [String: String]) -> Console {
    let terminal = TerminalFacts.of(STDOUT_FILENO, environment: environment)
    return Console(
      // A person sees each line at once; a pipe gets blocks.
      out: Output(descriptor: STDOUT_FILENO, limit: terminal.isTerminal ? 0 : 32_768),
      notices: Output(descriptor: STDERR_FILENO, limit: 0),
      terminal: terminal,
      environment: environment)
  }

  /// Writes one line beside the data; a closed standard error is nobody's loss.
  package func notice(_ text: String) {
    try? notices.line(text)
  }
}
