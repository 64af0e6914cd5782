/// Why a text is not a JSON value of ours, or a value not what was expected.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where in the value.
  public var path: JSONPath
  /// Where in the text, line and column from 1, counted in characters of Unicode; nothing for an error about a value that was read.
  public var place: Place?
  /// What was expected: `integer`, `one of "a", "b"`, or what is wrong with the text.
  public var expectation: String
  /// What was found instead, kind and value: `string "x"`; nothing where it is missing.
  public var found: String?

  public struct Place: Hashable, Sendable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  public init(path: JSONPath = JSONPath(), place: Place? = nil, expectation: String, found: String? = nil) {
    self.path = path
    self.place = place
    self.expectation = expectation
    self.found = found
  }

  /// `userID: expected integer, found string "x"`.
  public var description: String { described(under: nil) }

  /// `Profile.userID: expected integer, found string "x"`: the text below a name for the whole payload.
  ///
  /// - Parameter redacted: leaves out what was found, for fields that are secret.
  public func described(under root: String?, redacted: Bool = false) -> String {
    let path = path.described(under: root)
    var text = path.isEmpty ? "" : path + ": "
    if let place { return text + expectation + " (line \(place.line), column \(place.column))" }
    text += "expected " + expectation
    guard let found else { return text + ", found nothing" }
    return text + (redacted ? ", found something else" : ", found " + found)
  }
}

extension MinervaError {
  /// `input.invalid` with the path below a module's name.
  public static func invalid(
    _ code: Code = .inputInvalid, _ error: JSONError, under root: String? = nil, redacted: Bool = false
  ) -> MinervaError {
    MinervaError(code, error.described(under: root, redacted: redacted), details: [Detail.path: error.path.described(under: root)])
  }
}
