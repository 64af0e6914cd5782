package import MinervaNavigation

/// What a host offers to the contexts of the coordinators it runs.
///
/// The synchronous calls collect: what they are given becomes part of the running turn's record and takes effect with it (K3).
/// The asynchronous ones end the running turn with what it has so far, wait outside of the mailbox, and go on in a turn of their own.
package protocol CoordinatorLink: Sendable {
  var screen: ScreenID { get }
  var scene: String { get }
  /// The time of the message that is being handled.
  var now: SceneTime { get }

  func request(_ action: Command.Action, policy: Policy, gate: String?) throws -> RequestToken
  func tell(_ output: [UInt8]) throws
  func end(_ ending: ModuleEnding) throws
  func veto(_ gestures: Vetoes) throws
  /// Wants to be woken, or no more.
  func wake(_ name: String, after milliseconds: UInt64?) throws

  /// Whether a command's presentation is under way or its screen still there (C1).
  func isExecuting(_ gate: String) -> Bool

  func screen(of token: RequestToken) async throws -> ScreenID
  func ending(of token: RequestToken) async throws -> ChildEnding

  /// Asks another coordinator of the scene, directly (K7).
  func ask(_ question: String, _ argument: [UInt8], of screen: ScreenID) async throws -> [UInt8]

  /// The coordinator's children, in the order of their opening (K1).
  func children() async throws -> [ScreenID]

  /// The list of the coordinator's screen.
  /// - Throws: `nav.stale_ref` when the screen is gone.
  func list() async throws -> any ListControlling

  /// Starts a task in the coordinator's scope: it is cancelled when the screen is gone (K2).
  /// - Parameter place: Where in the author's code, for whoever looks for leaks (K4).
  func task(at place: String, _ body: @escaping @Sendable () async -> Void)
  /// Runs `body` as one message of the coordinator's mailbox.
  /// - Returns: When it was handled, or at once when the mailbox is in the middle of another message.
  func perform(_ body: @escaping @Sendable () async throws -> Void) async
}

/// One request of a turn, as its coordinator knows it.
package struct RequestToken: Hashable, Sendable {
  /// Unique for the coordinator's life in its host.
  package var number: UInt64

  package init(number: UInt64) {
    self.number = number
  }
}

/// How an awaited child ended.
package struct ChildEnding: Hashable, Sendable {
  package var reason: RemovalReason
  package var result: [UInt8]?

  package init(reason: RemovalReason, result: [UInt8]?) {
    self.reason = reason
    self.result = result
  }
}
