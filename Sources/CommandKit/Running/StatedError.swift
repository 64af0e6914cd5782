import Glibc
package import MinervaWire

/// An error that says what it is in the two forms people meet: a stable dotted code and a sentence.
package protocol StatedError: Error {
  var statedCode: String { get }
  var statement: String { get }
  /// What to do about it, one line, if the sentence does not say so already.
  var remedy: String? { get }
}

/// The one place that turns errors into words and an exit code.
package enum ErrorWords {
  /// Returns the lines for standard error, without a line end.
  package static func lines(for error: any Error) -> [String] {
    switch error {
    case let usage as UsageError:
      return ["error: \(Escaping.visible(usage.message))", "try: \(usage.command) --help"]
    case let error as MinervaError:
      return lines(for: Stated(error))
    case let stated as any StatedError:
      var lines = ["error \(stated.statedCode): \(Escaping.visible(stated.statement))"]
      if let remedy = stated.remedy { lines.append("  \(Escaping.visible(remedy))") }
      return lines
    case is CancellationError:
      return ["interrupted"]
    case OutputEnd.refused(let errno):
      return lines(for: unwritten(errno))
    case is ExitCode, is OutputEnd:
      return []
    default:
      return [
        "error internal: \(Escaping.visible(String(describing: error)))", "  this is a fault of Minerva; please report it with the command",
      ]
    }
  }

  private static func unwritten(_ errno: Int32) -> MinervaError {
    MinervaError(.fileUnwritable, "cannot write the output: \(String(cString: strerror(errno))); it is cut off")
  }

  /// The same as one JSON object, `{"error":{"code":…,"message":…}}`.
  package static func json(for error: any Error) -> [String] {
    let (code, message): (String, String)
    switch error {
    case is ExitCode, OutputEnd.readerGone: return []
    case let usage as UsageError: (code, message) = ("usage", usage.message)
    case let error as MinervaError: (code, message) = (error.code.rawValue, error.message)
    case let stated as any StatedError: (code, message) = (stated.statedCode, stated.statement)
    case is CancellationError: (code, message) = ("bus.cancelled", "interrupted")
    case OutputEnd.refused(let errno): (code, message) = (MinervaError.Code.fileUnwritable.rawValue, unwritten(errno).message)
    default: (code, message) = ("internal", lines(for: error).joined(separator: "; "))
    }
    let text = JSONValue.object(["error": .object(["code": .string(code), "message": .string(message)])]).text
    return [text]
  }

  package static func exitCode(for error: any Error) -> ExitCode {
    switch error {
    case let code as ExitCode: code
    case is UsageError: .usage
    // Who reads our output has what it wanted; a quiet, successful end (D01).
    case OutputEnd.readerGone: .done
    case is OutputEnd: ExitCode(errorCode: MinervaError.Code.fileUnwritable.rawValue)
    case is CancellationError: .interrupted
    case let error as MinervaError: ExitCode(errorCode: error.code.rawValue)
    case let stated as any StatedError: ExitCode(errorCode: stated.statedCode)
    default: .internalError
    }
  }
}

/// An error of the runtime with a remedy of its own, where that of its code would lead astray.
package struct AdvisedError: StatedError {
  package let error: MinervaError
  package let remedy: String?

  package init(_ error: MinervaError, remedy: String?) {
    self.error = error
    self.remedy = remedy
  }

  package var statedCode: String { error.code.rawValue }
  package var statement: String { error.message }
}

/// An error of the runtime with the remedy of its code from the catalogue.
private struct Stated: StatedError {
  let statedCode: String
  let statement: String
  let remedy: String?

  init(_ error: MinervaError) {
    statedCode = error.code.rawValue
    statement = error.message
    // A text that names the command, the option or the log to look at has its remedy in it; the code's own is a more general one.
    let text = error.message
    let isAdvised = ["; minerva ", "; --", ": minerva ", "; its log is "].contains { text.contains($0) }
    remedy = isAdvised ? nil : ErrorCatalogue.entry(for: error.code)?.remedy
  }
}
