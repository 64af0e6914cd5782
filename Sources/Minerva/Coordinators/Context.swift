public import MinervaNavigation
import MinervaWire

/// A coordinator's way to the broker: it opens modules, moves about, tells its parent, ends itself, and knows the time.
///
/// Everything asked for here is collected and takes effect when the running turn is over, as one record (K3). Calls from outside of
/// a turn make one of their own.
public final class Context<Subject: Module>: Sendable {
  package let link: any CoordinatorLink

  package init(link: any CoordinatorLink) {
    self.link = link
  }

  /// The coordinator's own screen.
  public var screen: ScreenID { link.screen }
  /// The name of the scene it lives in.
  public var scene: String { link.scene }
  /// The scene's time when the message being handled was sent, never the wall's; equal runs see equal times (D3).
  public var now: SceneTime { link.now }

  /// The coordinators that were opened by this one or stand upon it, in the order of their opening (K1).
  /// - Throws: `bus.*` when the broker cannot be asked.
  public var children: [ScreenID] { get async throws { try await link.children() } }

  /// Tells the parent something.
  public func output(_ value: Subject.Output) throws {
    try link.tell(Payload.encode(value))
  }

  /// Ends the module with its result; the screen leaves with reason `finished`.
  ///
  /// An end that is refused, as that of the scene's root is (`nav.root_protected`), is none: the coordinator goes on and hears of it in
  /// ``Coordinator/refused(_:)``.
  public func finish(_ result: Subject.Result) throws {
    try link.end(.finish(Payload.encode(result)))
  }

  /// Ends the module without a result; the screen leaves with reason `cancelled`. It may be refused as ``finish(_:)`` may.
  public func cancel() throws {
    try link.end(.cancel)
  }

  /// Forbids these gestures from now on; requests are never stopped by it.
  public func veto(_ gestures: Vetoes) throws {
    try link.veto(gestures)
  }

  /// Has ``Coordinator/timer(_:)`` called after a while of the scene's time; a later wish of the same name replaces this one.
  ///
  /// The wish is part of the turn's record: it holds over a restart of the broker, and when another host resumes the screen. On a virtual
  /// clock it comes when that clock says so (D3).
  ///
  /// - Parameters:
  ///   - span: At least a millisecond; fractions of one are dropped.
  ///   - name: What the wish is known by.
  public func wake(after span: Duration, as name: String = "timer") throws {
    try link.wake(name, after: UInt64(max(1, span.milliseconds)))
  }

  /// Forgets a wish to be woken.
  public func forgetWake(as name: String = "timer") throws {
    try link.wake(name, after: nil)
  }

  /// Asks the coordinator of another screen, straight from host to host (K7).
  /// - Throws: `nav.stale_ref` when nobody is there, `module.no_answer` when it does not know the question, and what it throws itself.
  public func ask<Posed: Question>(_ question: Posed, of screen: ScreenID) async throws -> Posed.Answer {
    let bytes = try await link.ask(Posed.name, Payload.encode(question), of: screen)
    return try Payload.decode(Posed.Answer.self, from: bytes, as: Posed.name, code: .outputInvalid)
  }

  /// Starts a task in the coordinator's scope: it is cancelled when the screen is gone.
  ///
  /// One that goes on nevertheless is named by `leaks`, with the place where it was started.
  public func task(file: String = #fileID, line: Int = #line, _ body: @escaping @Sendable () async -> Void) {
    link.task(at: "\(file):\(line)", body)
  }

  /// Handles each element of a sequence as a message of the coordinator's mailbox, until the screen is gone.
  public func observe<Elements: AsyncSequence & Sendable>(
    _ elements: Elements, file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (Elements.Element) async throws -> Void
  ) where Elements.Element: Sendable {
    link.task(at: "\(file):\(line)") { [link] in
      do {
        for try await element in elements { await link.perform { try await body(element) } }
      } catch {
        // The sequence failed: there is nothing more to observe.
      }
    }
  }

  /// Runs work as one message of the coordinator's mailbox: never amid another message, and followed by a new rendering.
  ///
  /// It returns when the work was done, or at once while another message is being handled, so that a service which waits for its
  /// subscribers can never wait for itself.
  public func perform(_ body: @escaping @Sendable () async throws -> Void) async {
    await link.perform(body)
  }
}
