public import MinervaNavigation
import MinervaWire

/// What a coordinator hears of the modules it opened.
public struct ChildEvent: Sendable {
  /// What happened to the child.
  public enum Kind: Hashable, Sendable {
    /// It told something; outputs of a child count from 1 and come in order, each once.
    case output(UInt64)
    /// It is gone, for this reason.
    case ended(RemovalReason)
  }

  /// The screen of the child.
  public let child: ScreenID
  /// The name of the child's module.
  public let module: String
  public let kind: Kind
  package let payload: [UInt8]?

  package init(child: ScreenID, module: String, kind: Kind, payload: [UInt8]?) {
    self.child = child
    self.module = module
    self.kind = kind
    self.payload = payload
  }

  /// The output, when this event is one of `module`.
  /// - Throws: `output.invalid` when the bytes are not what the module's type says.
  public func output<M: Module>(of module: M.Type) throws -> M.Output? {
    guard case .output = kind, self.module == M.name, let payload else { return nil }
    return try Payload.decode(M.Output.self, from: payload, as: "\(M.name).output", code: .outputInvalid)
  }

  /// The result, when this event is the end of an occurrence of `module` that had one.
  /// - Throws: `output.invalid` when the bytes are not what the module's type says.
  public func result<M: Module>(of module: M.Type) throws -> M.Result? {
    guard case .ended = kind, self.module == M.name, let payload else { return nil }
    return try Payload.decode(M.Result.self, from: payload, as: "\(M.name).result", code: .outputInvalid)
  }
}
