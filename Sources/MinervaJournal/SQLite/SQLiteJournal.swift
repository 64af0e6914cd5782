internal import Glibc
internal import MinervaSupervision
package import MinervaWire
internal import Synchronization

/// The journal of one machine: a SQLite file in write-ahead mode, synchronous in full, written by a thread of its own.
///
/// The thread takes whatever is queued as one commit, without a timer: under load groups grow by themselves, alone a
/// call waits for nothing but its own sync. A lock beside the file keeps a second broker out.
package final class SQLiteJournal: Journal {
  package let path: String
  /// What opening found and did.
  package let opening: Opening
  private let queue: JobQueue
  private let board: JournalBoard

  private init(path: String, opening: Opening, queue: JobQueue, board: JournalBoard) {
    self.path = path
    self.opening = opening
    self.queue = queue
    self.board = board
  }

  deinit { queue.close {} }

  /// The epoch of the present opening; writes must carry it.
  package var epoch: UInt64 { board.epoch.load(ordering: .acquiring) }

  /// Every damage that was met since this journal was opened, the opening's own first.
  package var damages: [Damage] { board.damages.withLock { $0 } }

  package var forgotten: UInt64 { board.forgotten.load(ordering: .acquiring) }

  package var troubles: [String] { damages.map(\.description) }

  /// Opens a journal, creating the file where it is missing; its directory must be there.
  ///
  /// A damaged file is kept aside and the journal starts with what is whole before the damage: see `opening.damage`.
  ///
  /// - Throws: `journal.locked` with the holder's process id, `journal.newer_format`, `journal.file`.
  package static func open(_ path: String, settings: Settings = Settings()) async throws(MinervaError) -> SQLiteJournal {
    let result: Result<SQLiteJournal, MinervaError> = await withCheckedContinuation { continuation in
      let queue: JobQueue
      do throws(MinervaError) { queue = try JobQueue() } catch { return continuation.resume(returning: .failure(error)) }
      let board = JournalBoard()
      let started = SystemThread.start(named: "journal") {
        do throws(MinervaError) {
          let writer = try SQLiteWriter(path: path, settings: settings, board: board)
          let journal = SQLiteJournal(path: path, opening: writer.opening, queue: queue, board: board)
          continuation.resume(returning: .success(journal))
          writer.run(queue)
        } catch {
          queue.abandon()
          continuation.resume(returning: .failure(error))
        }
      }
      if !started {
        continuation.resume(returning: .failure(MinervaError(.journalFile, "cannot start the journal's thread")))
      }
    }
    return try result.get()
  }

  package func append(_ group: [JournalEntry], epoch: UInt64, completion: @escaping JournalCompletion<Void>) {
    if !queue.put(.append(group, epoch, completion)) { completion(.failure(.closedJournal)) }
  }

  package func load(_ scene: String, upTo limit: UInt64?, completion: @escaping JournalCompletion<JournaledScene?>) {
    if !queue.put(.load(scene, limit, completion)) { completion(.failure(.closedJournal)) }
  }

  package func records(
    of scene: String, after sequence: UInt64, upTo limit: UInt64, completion: @escaping JournalCompletion<[JournalEntry]>
  ) {
    if !queue.put(.records(scene, after: sequence, upTo: limit, completion)) { completion(.failure(.closedJournal)) }
  }

  package func scenes(completion: @escaping JournalCompletion<[JournaledHead]>) {
    if !queue.put(.scenes(completion)) { completion(.failure(.closedJournal)) }
  }

  package func writeSnapshot(_ snapshot: JournalSnapshot, epoch: UInt64, completion: @escaping JournalCompletion<Void>) {
    if !queue.put(.snapshot(snapshot, epoch, completion)) { completion(.failure(.closedJournal)) }
  }

  package func noteRest(_ rest: JournalRest, epoch: UInt64, completion: @escaping JournalCompletion<Void>) {
    if !queue.put(.rest(rest, epoch, completion)) { completion(.failure(.closedJournal)) }
  }

  package func setAside(
    _ part: JournalPart, of scene: String, reason: String, epoch: UInt64, completion: @escaping JournalCompletion<JournalAside>
  ) {
    if !queue.put(.setAside(part, scene, reason, epoch, completion)) { completion(.failure(.closedJournal)) }
  }

  package func reopen(completion: @escaping JournalCompletion<UInt64>) {
    if !queue.put(.reopen(completion)) { completion(.failure(.closedJournal)) }
  }

  package func close(completion: @escaping @Sendable () -> Void) { queue.close(completion) }

  /// The system's wall clock in milliseconds since 1970.
  package static let systemWallClock: @Sendable () -> Int64 = { MonotonicTime.wallMilliseconds }
}

/// What the journal's thread writes and anybody reads.
final class JournalBoard: Sendable {
  let epoch = Atomic<UInt64>(0)
  let forgotten = Atomic<UInt64>(0)
  let damages = Mutex<[SQLiteJournal.Damage]>([])
}
