/// One hop of a link with its input made: what is to be open, and how it is opened if it is not.
public struct RouteStep: Hashable, Sendable, Codable {
  /// The module.
  public var module: ModuleAddress
  /// Its input, UTF-8 JSON.
  public var input: [UInt8]
  /// How it is opened.
  public var via: Presentation
  /// Set when `input` is only what everyone may see of it (P4): the number of the whole. Given by brokers, never by callers.
  public var seal: Seal?

  /// Creates a step.
  public init(_ module: ModuleAddress, input: [UInt8] = [], via: Presentation = .push) {
    self.module = module
    self.input = input
    self.via = via
  }
}

/// What following a link would do, step by step: `keep s1 Shell | tab orders (start Orders) | push Order`.
public enum PlannedStep: Hashable, Sendable, Codable {
  /// What is open already stays.
  case keep(ScreenID, module: String)
  /// A layer goes, with all above it; the screen is its root.
  case dismiss(ScreenID, module: String)
  /// Screens above what is kept go.
  case pop(ScreenID, module: String)
  /// A tab is selected; started if it names a module.
  case tab(String, starting: String?)
  /// A module is opened.
  case open(module: String, input: [UInt8], via: Presentation)
}

extension PlannedStep: CustomStringConvertible {
  public var description: String {
    switch self {
    case .keep(let id, let module): "keep \(id) \(module)"
    case .dismiss(let id, let module): "dismiss \(id) \(module)"
    case .pop(let id, let module): "pop \(id) \(module)"
    case .tab(let name, let module): "tab \(name)" + (module.map { " (start \($0))" } ?? "")
    case .open(let module, let input, let via): "\(via) \(module)" + String(decoding: input, as: UTF8.self)
    }
  }
}
