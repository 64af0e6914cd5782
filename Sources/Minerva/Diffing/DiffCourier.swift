import MinervaActors
import MinervaInterfaces
import MinervaTransport
import MinervaWire

/// Brings a job to the worker of a lease, and its answer back.
struct DiffCourier: Sendable {
  let bus: BusSystem

  /// Sends a job: what the worker holds is named, what is large goes before it in pieces.
  ///
  /// - Throws: What the worker says; `bus.peer_lost` and `bus.unreachable` when it is gone.
  func send(_ order: DiffOrder, as name: String, to lease: DiffLease) async throws -> DiffResult {
    await bus.route(node: lease.worker, to: try Endpoint(lease.endpoint), server: lease.key)
    let worker = try $DiffWorker.resolve(id: ActorAddress(node: lease.worker, name: WellKnown.worker), using: bus)
    let progress = order.options.progress.map { report in Task { await follow(name, at: worker, report) } }
    defer { progress?.cancel() }
    return try await BusSystem.$deadline.withValue(order.options.deadline) {
      let life = DiffWorkerLife(worker: lease.worker, life: lease.life)
      if let holder = order.holder, holder.worker == life {
        do {
          return try await diff(order, old: .held(version: holder.version), 0, name, lease, worker)
        } catch let error as MinervaError where error.code == .listStale {
          // It has made room, or is another version: both lists, then.
        }
      }
      let (old, bytes) = try await bring(order.old, .old, beside: order.new.byteCount, name, lease, worker)
      return try await diff(order, old: old, bytes, name, lease, worker)
    }
  }

  private func diff(
    _ order: DiffOrder, old: DiffSide, _ oldBytes: Int, _ name: String, _ lease: DiffLease, _ worker: $DiffWorker
  ) async throws -> DiffResult {
    let (new, newBytes) = try await bring(order.new, .new, beside: oldBytes, name, lease, worker)
    let job = DiffJob(
      id: name, old: old, new: new, list: order.list, duplicates: order.options.duplicates,
      deadline: Int(order.options.deadline.wholeMilliseconds), hold: order.options.hold, life: lease.life)
    let answer = try await worker.diff(job)
    guard answer.id == name else { throw MinervaError.badMessage("the answer is for job \(answer.id)") }
    var changes = answer.changes
    if answer.size > changes.count { changes.reserveCapacity(min(answer.size, 1 << 26)) }
    while changes.count < answer.size {
      let more = try await worker.rest(of: name, from: changes.count)
      guard !more.isEmpty else { throw MinervaError.badMessage("the answer ends after \(changes.count) of \(answer.size) bytes") }
      changes += more
    }
    var result = DiffResult(
      changes: changes, worker: answer.worker, microseconds: answer.microseconds, waited: answer.waited, leases: 1, turnedAway: 0,
      sentBytes: oldBytes + newBytes)
    if let version = order.list?.version, answer.held == version {
      result.holder = DiffWorkerLife(worker: lease.worker, life: lease.life)
    }
    return result
  }

  /// Sends a list ahead in pieces when the job would be too large with it.
  private func bring(
    _ rows: DiffRows, _ side: DiffPiece.Side, beside bytes: Int, _ name: String, _ lease: DiffLease, _ worker: $DiffWorker
  ) async throws -> (DiffSide, Int) {
    let size = rows.byteCount
    guard size + bytes > DiffJob.carriedBytes, size > DiffJob.pieceBytes else { return (.rows(rows), size) }
    let pieces = rows.pieces(of: DiffJob.pieceBytes)
    for (number, piece) in pieces.enumerated() {
      let piece = DiffPiece(job: name, side: side, number: number, rows: piece, life: lease.life)
      // A single row may be larger than other messages are allowed to be.
      try await BusSystem.$carriesLists.withValue(true) { try await worker.take(piece) }
    }
    return (.sent(pieces: pieces.count), size)
  }

  /// Tells how far the job is, every 200 ms from the first 200 ms on.
  private func follow(_ name: String, at worker: $DiffWorker, _ report: @Sendable (DiffProgress) -> Void) async {
    while true {
      do { try await ContinuousClock().sleep(for: .milliseconds(200)) } catch { return }
      // Between two phases, or when it is over, there is nothing to tell.
      if let progress = try? await worker.progress(of: name) { report(progress) }
    }
  }
}
