/// Why bytes are not the value that was asked for, and where.
package struct CBORError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    case truncated
    case wrongType(expected: String)
    case outOfRange
    case missing
    case tooDeep
    case invalidUTF8
    case trailingBytes
    case interleaved
    case other(String)
  }

  package var reason: Reason
  /// The offset in the bytes at which it was noticed.
  package var offset: Int
  /// The keys that lead to the place, outermost first; filled while the error passes through the containers.
  package var path: [String] = []

  package init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  package var description: String {
    let what =
      switch reason {
      case .truncated: "the bytes end too early"
      case .wrongType(let expected): "expected \(expected)"
      case .outOfRange: "the number does not fit"
      case .missing: "missing"
      case .tooDeep: "nested too deep"
      case .invalidUTF8: "the text is not UTF-8"
      case .trailingBytes: "bytes follow the value"
      case .interleaved: "a container was written to after another had taken its place"
      case .other(let text): text
      }
    let place = path.isEmpty ? "" : path.joined(separator: ".") + ": "
    return "\(place)\(what) (at byte \(offset))"
  }

  /// The same, as an error that can cross processes.
  package var wireError: MinervaError {
    MinervaError(reason == .tooDeep ? .tooLarge : .badMessage, description)
  }
}
