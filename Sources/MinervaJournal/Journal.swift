package import MinervaWire

/// What hears the end of a journal's operation: on any thread, once, possibly before the call returned.
package typealias JournalCompletion<Value> = @Sendable (Result<Value, MinervaError>) -> Void

/// The memory of a broker that outlives it: records of scenes, appended in groups, and snapshots.
///
/// - Order: operations take effect in the order of the calls, and a load sees every append called before it.
///   Completions of appends come in that order too.
/// - Durability: an append's completion means that the group survives a crash of the machine (P1). A group is whole
///   or absent.
/// - Failure: a commit that fails answers `journal.unavailable` to each group in it and to everything after it, until
///   `reopen`: what the caller holds in memory beyond the last answered group is to be discarded and loaded again. A group that is refused
///   for a reason of its own (`journal.sequence`, `bus.stale_epoch`) is no such failure: groups after it may be durable.
/// - Numbers: a scene's records are numbered 1, 2, 3, …; a group that leaves a gap or repeats a number is refused
///   whole with `journal.sequence`.
/// - Ownership: writes carry the epoch under which the writer owns the scene; an older one is refused with
///   `bus.stale_epoch`. That fence is what makes a distributed store possible behind this protocol.
///
/// Nothing here is synchronous: a store on another machine, or a simulated disk on virtual time, answers later.
package protocol Journal: Sendable {
  /// Appends a group durably, whole or not at all.
  func append(_ group: [JournalEntry], epoch: UInt64, completion: @escaping JournalCompletion<Void>)

  /// Reads the latest snapshot of a scene at or before record `limit` (nil: the latest of all) and the records after
  /// it up to `limit`; nil for a scene without records.
  ///
  /// Fails with `time.out_of_range` when records that old are gone, `journal.corrupt` when a checksum differs.
  func load(_ scene: String, upTo limit: UInt64?, completion: @escaping JournalCompletion<JournaledScene?>)

  /// Reads the records of a scene behind one number and up to another, all that are there; none for a scene without records.
  ///
  /// Fails with `time.out_of_range` when one of them is not kept any more, `journal.corrupt` when a checksum differs.
  func records(of scene: String, after sequence: UInt64, upTo limit: UInt64, completion: @escaping JournalCompletion<[JournalEntry]>)

  /// Lists the scenes by name, each with the number of its last record and what was noted when it came to rest there.
  func scenes(completion: @escaping JournalCompletion<[JournaledHead]>)

  /// Stores the state of a scene after a record that was appended before.
  func writeSnapshot(_ snapshot: JournalSnapshot, epoch: UInt64, completion: @escaping JournalCompletion<Void>)

  /// Notes that nothing is under way in a scene after a record; the note is kept with the scene's head, and counts while that record is
  /// its last.
  ///
  /// A note of a record that others have followed by then is passed over. A scene that is over is kept no longer than its records: then
  /// nothing of it is, but that no later scene may have its number, see `forgotten`.
  func noteRest(_ rest: JournalRest, epoch: UInt64, completion: @escaping JournalCompletion<Void>)

  /// Keeps a part of a scene that loads and cannot be used where it stands in nobody's way, with the reason (P3).
  ///
  /// What rests on that part alone goes with it. The scene goes on after its last record that is left.
  func setAside(
    _ part: JournalPart, of scene: String, reason: String, epoch: UInt64, completion: @escaping JournalCompletion<JournalAside>)

  /// The highest number of the scenes that were over and of which nothing is kept any more; 0 without one.
  var forgotten: UInt64 { get }

  /// What was found damaged and how it was mended, for people, a line each.
  var troubles: [String] { get }

  /// Opens anew after a failure, or takes ownership again, and answers with the new epoch.
  ///
  /// After a load that found the present of a scene damaged (`journal.corrupt`) nothing is taken until then; opening keeps
  /// the damaged store aside and goes on with what is whole: see `troubles`.
  func reopen(completion: @escaping JournalCompletion<UInt64>)

  /// Completes what was asked for before and closes; later calls are refused with `journal.closed`. Idempotent.
  func close(completion: @escaping @Sendable () -> Void)
}

extension Journal {
  /// Appends a group durably, whole or not at all.
  package func append(_ group: [JournalEntry], epoch: UInt64) async throws(MinervaError) {
    try await answer { append(group, epoch: epoch, completion: $0) }.get()
  }

  /// Reads a scene: its latest snapshot at or before `limit` and the records after it up to `limit`.
  package func load(_ scene: String, upTo limit: UInt64? = nil) async throws(MinervaError) -> JournaledScene? {
    try await answer { load(scene, upTo: limit, completion: $0) }.get()
  }

  /// Reads the records of a scene behind one number and up to another.
  package func records(of scene: String, after sequence: UInt64, upTo limit: UInt64) async throws(MinervaError) -> [JournalEntry] {
    try await answer { records(of: scene, after: sequence, upTo: limit, completion: $0) }.get()
  }

  /// Lists the scenes by name, each with the number of its last record.
  package func scenes() async throws(MinervaError) -> [JournaledHead] {
    try await answer { scenes(completion: $0) }.get()
  }

  /// Stores the state of a scene after a record that was appended before.
  package func writeSnapshot(_ snapshot: JournalSnapshot, epoch: UInt64) async throws(MinervaError) {
    try await answer { writeSnapshot(snapshot, epoch: epoch, completion: $0) }.get()
  }

  /// Notes that nothing is under way in a scene after a record.
  package func noteRest(_ rest: JournalRest, epoch: UInt64) async throws(MinervaError) {
    try await answer { noteRest(rest, epoch: epoch, completion: $0) }.get()
  }

  /// Keeps a part of a scene that cannot be used aside.
  package func setAside(_ part: JournalPart, of scene: String, reason: String, epoch: UInt64) async throws(MinervaError) -> JournalAside {
    try await answer { setAside(part, of: scene, reason: reason, epoch: epoch, completion: $0) }.get()
  }

  /// Opens anew after a failure and returns the new epoch.
  package func reopen() async throws(MinervaError) -> UInt64 {
    try await answer { reopen(completion: $0) }.get()
  }

  /// Completes what was asked for before and closes.
  package func close() async {
    await withCheckedContinuation { continuation in close { continuation.resume() } }
  }

  private func answer<Value: Sendable>(_ call: (@escaping JournalCompletion<Value>) -> Void) async -> Result<Value, MinervaError> {
    await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
  }
}
