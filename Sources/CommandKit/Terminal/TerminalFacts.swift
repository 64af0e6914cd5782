import Glibc

/// What is known of the place that output goes to.
package struct TerminalFacts: Sendable, Hashable {
  package var isTerminal: Bool
  package var usesColour: Bool
  /// Columns; 80 when unknown.
  package var width: Int
  /// Rows; 24 when unknown.
  package var height: Int

  package init(isTerminal: Bool, usesColour: Bool, width: Int = 80, height: Int = 24) {
    self.isTerminal = isTerminal
    self.usesColour = usesColour
    self.width = width
    self.height = height
  }

  /// A file or pipe: no colour, 80 columns.
  package static let plain = TerminalFacts(isTerminal: false, usesColour: false)

  /// Decides colour by D06: only on a terminal, never for `TERM=dumb`, never with a NO_COLOR that is not empty.
  package static func usesColour(isTerminal: Bool, environment: [String: String]) -> Bool {
    guard isTerminal else { return false }
    if let refusal = environment["NO_COLOR"], !refusal.isEmpty { return false }
    return environment["TERM"] != "dumb"
  }

  /// Asks the descriptor.
  package static func of(_ descriptor: Int32, environment: [String: String]) -> TerminalFacts {
    let isTerminal = isatty(descriptor) == 1
    var size = winsize()
    let known = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    let columns = environment["COLUMNS"].flatMap { Int($0) }
    return TerminalFacts(
      isTerminal: isTerminal,
      usesColour: usesColour(isTerminal: isTerminal, environment: environment),
      width: known && size.ws_col > 0 ? Int(size.ws_col) : max(20, min(columns ?? 80, 1_000)),
      height: known && size.ws_row > 0 ? Int(size.ws_row) : 24)
  }
}
