package import MinervaNavigation

/// How a line names a screen: an alias, which the session resolves, or what the core understands itself.
package enum Reference: Sendable, Hashable, CustomStringConvertible {
  /// `@login`: named by `as`, or the only screen of its module.
  case alias(String)
  /// `s12`, `top`, `root`, or the place whose top it is.
  case ref(ScreenRef)

  package init?(_ text: String) {
    if text.hasPrefix("@") {
      let name = text.dropFirst()
      guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }) else { return nil }
      self = .alias(String(name))
    } else if let ref = ScreenRef(text) {
      self = .ref(ref)
    } else {
      return nil
    }
  }

  package var description: String {
    switch self {
    case .alias(let name): "@\(name)"
    case .ref(let ref): ref.description
    }
  }
}
