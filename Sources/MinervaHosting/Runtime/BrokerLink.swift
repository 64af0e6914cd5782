package import MinervaInterfaces
package import MinervaNavigation

/// What a host says to its broker. The real one survives the loss of the broker and says again what was not answered.
package protocol BrokerLink: Sendable {
  /// Reports a turn; returns when its record is durable, or the broker refused it for good.
  ///
  /// It does not throw while the broker is away: the turn is numbered, so it is submitted until it is answered.
  /// - Throws: `CancellationError` when the coordinator ended meanwhile, `bus.closed` when the host closes.
  func submit(_ turn: TurnSubmission) async throws -> TurnReceipt
  /// Reports what a screen shows; returns when the broker has it, or refuses it for good. While the broker is away it is kept: a change
  /// set that came at that moment is not lost. The broker knows one that it gets twice by its version.
  func report(_ rendering: RenderingReport) async

  /// Asks a coordinator in whatever host it runs, directly (K7).
  func ask(_ call: CoordinatorCall) async throws -> [UInt8]
  /// The children of a coordinator, in the order of their opening (K1).
  func children(of screen: ScreenID, in scene: SceneIdentity) async throws -> [ScreenID]
  /// Writes a line to the host's log.
  func note(_ line: String)
}
