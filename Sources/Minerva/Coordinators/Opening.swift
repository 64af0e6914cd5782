public import MinervaNavigation
import MinervaWire

/// A module that was asked for.
///
/// Awaiting one of its values ends the running turn with what it has asked for so far and releases the mailbox: other messages are
/// handled meanwhile, and the handler goes on in a turn of its own. Such a wait does not survive the process; after a resume the
/// child's end arrives at `child(_:)` instead.
public struct Opening<M: Module>: Sendable {
  let link: any CoordinatorLink
  let token: RequestToken

  /// The screen, once it is presented.
  /// - Throws: Why it was refused.
  public var screen: ScreenID {
    get async throws { try await link.screen(of: token) }
  }

  /// The result: a value, or `nil` when the screen left without one; exactly once.
  /// - Throws: Why it was refused, or `output.invalid` when the result's bytes are not what the module's type says.
  public var result: M.Result? {
    get async throws {
      guard let bytes = try await link.ending(of: token).result else { return nil }
      return try Payload.decode(M.Result.self, from: bytes, as: "\(M.name).result", code: .outputInvalid)
    }
  }
}
