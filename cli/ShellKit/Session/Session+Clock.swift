import CommandKit
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// Virtual time (D3): it goes on while this session waits for something, or when it is told to, and never in between.
extension Session {
  /// What is done with time, and why.
  struct Tick {
    /// Not beyond this moment of scene time.
    var bound: Int64?
    /// A moment that the clock goes to even when nothing else is due.
    var target: Int64?
    /// The request that is waited for.
    var txn: String?
    /// The last event that counts as seen; without it, the last of the log.
    var event: UInt64?
    var passesLeases = false
    var isForced = false
  }

  /// How long something that needs no time may be under way before time passes all the same.
  static let patience = (asked: Duration.seconds(2), waiting: Duration.seconds(5))

  /// Whether the scene's time is a virtual clock's.
  var isVirtual: Bool { lastLook?.isVirtual ?? false }

  /// Lets time go on to the next moment at which something is due: at the broker, or at this session's renderer.
  func tick(_ tick: Tick) async throws(MinervaError) -> ClockReading {
    let scene = lastLook?.scene ?? "main"
    let seen = if let event = tick.event { event } else { await log.number(of: scene) }
    let due = [renderer.nextDue, tick.target].compactMap { $0 }.min()
    let reading = try await target.step(
      ClockStep(
        scene: SceneAddress(name: scene), due: due, bound: tick.bound, event: seen, txn: tick.txn,
        passesLeases: tick.passesLeases, isForced: tick.isForced))
    for transition in renderer.takeDue(at: reading.at) { try await acknowledge(transition) }
    return reading
  }

  /// Lets time go on until a request is answered: it is cancelled then.
  func drive(untilAnswered txn: String) async {
    var since = clock.now()
    var rounds = 0
    while !Task.isCancelled {
      let seen = await log.end
      let isForced = clock.now() - since > Self.patience.waiting
      let reading = try? await tick(Tick(txn: txn, isForced: isForced))
      if reading?.verdict == .moved {
        since = clock.now()
        continue
      }
      rounds += 1
      // Whatever was missed of the feed is part of a look.
      if rounds % 64 == 0 { await refresh() }
      await pause(behind: seen)
    }
  }

  /// Waits for the next event, a few milliseconds at most.
  private func pause(behind seen: Int) async {
    let (clock, log) = (clock, log)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await log.changed(behind: seen) }
      group.addTask { try? await clock.sleep(.milliseconds(5)) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Runs a request while time goes on for it.
  func driving<Reply: Sendable>(
    _ txn: String?, _ ask: () async throws(MinervaError) -> Reply
  ) async throws(MinervaError) -> Reply {
    guard isVirtual, let txn else { return try await ask() }
    let driver = Task { await self.drive(untilAnswered: txn) }
    let result: Result<Reply, MinervaError>
    do throws(MinervaError) { result = .success(try await ask()) } catch { result = .failure(error) }
    driver.cancel()
    await driver.value
    return try result.get()
  }

  /// `advance 3s`: does what becomes due on the way, in order, and ends at that moment.
  func advance(by span: Duration) async throws -> [String] {
    guard let start = await refresh() else { throw MinervaError(.unreachable, "the scene cannot be reached") }
    // On the machine's clock the broker says why not.
    let end = start.at + span.milliseconds
    var since = clock.now()
    var rounds = 0
    while true {
      try Task.checkCancellation()
      let seen = await log.end
      let waited = clock.now() - since
      let reading = try await tick(Tick(bound: end, target: end, passesLeases: true, isForced: waited > Self.patience.asked))
      if reading.verdict == .moved {
        since = clock.now()
        if reading.at >= end { break }
        continue
      }
      if reading.at >= end { break }
      guard waited < Self.patience.waiting else {
        throw MinervaError(.clockBusy, "the clock stands at \(Self.text(reading.at)): something under way does not end; see status")
      }
      rounds += 1
      if rounds % 64 == 0 { await refresh() }
      await pause(behind: seen)
    }
    await refresh()
    return [ReplyText.headed("ok", "clock at \(Self.text(end))")]
  }

  /// Scene time as people read it: `3.3s`.
  private static func text(_ milliseconds: Int64) -> String { DurationText.describe(.milliseconds(milliseconds)) }
}
