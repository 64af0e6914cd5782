/// A command line that cannot be understood; ends a program with exit code 2.
package struct UsageError: Error, Hashable, Sendable {
  /// What is wrong, one line.
  package var message: String
  /// The command whose help explains more, `minerva run`.
  package var command: String

  package init(_ message: String, command: String) {
    self.message = message
    self.command = command
  }
}
