import CommandKit
import MinervaWire

/// A line that cannot be understood, with the place; ends a script before anything of it runs (exit code 2).
package struct ParseError: StatedError, Hashable {
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// No verb of that name.
    case verb = "parse.unknown_verb"
    /// A word that does not fit here.
    case unexpected = "parse.unexpected"
    /// Something that must follow does not.
    case missing = "parse.missing"
    /// An option of that name does not exist, or lacks its value.
    case option = "parse.option"
    /// A payload is not strict JSON.
    case payload = "parse.payload"
    /// A quote or bracket is never closed; at a prompt, more is asked for instead.
    case unterminated = "parse.unterminated"
    /// A script's header is wrong.
    case header = "parse.header"
    /// The bytes are no UTF-8 text with usual line ends.
    case encoding = "script.encoding"
    /// The file cannot be read.
    case file = "script.file"
  }

  package var code: Code
  package var message: String
  package var position: SourcePosition
  /// Whether an open bracket is the fault, which further lines may close.
  package var isOpenBracket: Bool

  package init(_ code: Code, _ message: String, at position: SourcePosition, isOpenBracket: Bool = false) {
    self.code = code
    self.message = message
    self.position = position
    self.isOpenBracket = isOpenBracket
  }

  package var statedCode: String { code.rawValue }
  package var statement: String { "\(message) (\(position))" }
  package var remedy: String? { nil }
}

extension MinervaError.Code {
  /// A word that only the session finds not to fit.
  static let parseUnexpected = Self(ParseError.Code.unexpected.rawValue)
}
