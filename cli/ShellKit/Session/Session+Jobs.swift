import CommandKit
import MinervaNavigation
import MinervaWire

/// What runs in the background, `command &`: its lines are told as they come, headed by the job's number.
extension Session {
  /// Asks without waiting for the answer; the first word about it is told with the job's number, and so is the answer when it comes.
  ///
  /// - Parameter txn: The request's name, where it has one from here.
  func background(
    _ emit: @escaping Emit, _ txn: String?, isJSON: Bool,
    _ ask: @escaping @Sendable (@escaping @Sendable (Admission) -> Void) async throws(MinervaError) -> [String]
  ) async {
    lastJob += 1
    let number = lastJob
    jobNames[number] = txn
    let standings = Standings()
    let notify = notify
    jobs[number] = Task { () -> MinervaError? in
      do throws(MinervaError) {
        let lines = try await ask { standings.tell($0) }
        standings.end()
        await notify(Self.job(number, lines))
        return nil
      } catch {
        standings.end()
        await notify(Self.job(number, isJSON ? [ReplyJSON.error(error)] : ReplyText.error(error)))
        return error
      }
    }
    for await admission in standings.stream {
      let object = ReplyJSON.ofJob(number, ReplyJSON.standing(admission))
      await emit([isJSON ? object : "[\(number)] \(ReplyText.standing(admission))"])
      break
    }
  }

  private static func job(_ number: Int, _ lines: [String]) -> [String] {
    lines.enumerated().map { index, line in
      if line.hasPrefix("{\"") { return ReplyJSON.ofJob(number, line) }
      guard index == 0 else { return line }
      let words = line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
      return "[\(number)] \(words)"
    }
  }

  /// Waits for a job's answer; an error of it is this command's.
  package func finish(job number: Int, within timeout: Duration) async throws {
    guard let job = jobs[number] else { throw MinervaError(.sessionNoJob, "there is no job [\(number)]") }
    // On a virtual clock time goes on for the job's request.
    let driver = isVirtual ? jobNames[number].map { txn in Task { await self.drive(untilAnswered: txn) } } : nil
    let finished = await withDeadline(timeout) { await job.value }
    driver?.cancel()
    await driver?.value
    guard let finished else {
      // It goes on, and tells its answer when that comes.
      try Task.checkCancellation()
      throw MinervaError(.deadline, "job [\(number)] was not answered within \(DurationText.describe(timeout))")
    }
    jobs[number] = nil
    jobNames[number] = nil
    if let error = finished { throw error }
  }

  /// Watches or waits while the prompt goes on.
  func background(_ statement: Statement, _ emit: @escaping Emit) async {
    lastJob += 1
    let number = lastJob
    let notify = notify
    await emit(["[\(number)] in the background until \(statement.request.isWatch ? "the shell ends" : "it happens")"])
    jobs[number] = Task { () -> MinervaError? in
      do {
        _ = try await self.carryOutHere(statement) { await notify(Self.job(number, $0)) }
        return nil
      } catch {
        let stated = Self.stated(error)
        if !(error is CancellationError) { await notify(Self.job(number, ReplyText.error(stated))) }
        return stated
      }
    }
  }
}
