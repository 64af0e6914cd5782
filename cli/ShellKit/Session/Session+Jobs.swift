import CommandKit
import MinervaNavigation
package import MinervaWire

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
    asked.insert(number)
    let standings = Standings()
    let first = Task { () -> Admission? in
      for await admission in standings.stream { return admission }
      return nil
    }
    let isHeard = Task { () -> Bool in
      let heard = await self.withDeadline(Self.firstWord) { await first.value.map { [$0] } ?? [] }
      guard let heard else {
        // A broker that is away holds up no prompt: what it says is told when it says it (C01).
        await emit([isJSON ? ReplyJSON.ofJob(number, ReplyJSON.unheard) : "[\(number)] waits, not heard of yet"])
        return false
      }
      // One that is answered at once has no standing to tell.
      if let admission = heard.first { await emit([Self.standing(admission, ofJob: number, isJSON: isJSON)]) }
      return true
    }
    let told = Task {
      guard await !isHeard.value, let admission = await first.value, !self.isOver else { return }
      await self.notify([Self.standing(admission, ofJob: number, isJSON: isJSON)])
    }
    jobs[number] = Task { () -> MinervaError? in
      let (lines, failure): ([String], MinervaError?)
      do throws(MinervaError) {
        (lines, failure) = (try await ask { standings.tell($0) }, nil)
      } catch {
        (lines, failure) = (isJSON ? [ReplyJSON.error(error)] : ReplyText.error(error), error)
      }
      standings.end()
      // Where it stood is told before its answer.
      await told.value
      if let failure, self.isOver, Self.unanswered.contains(failure.code) {
        // At the end of the conversation they are counted instead.
        self.ends[number] = failure
      } else {
        await self.notify(Self.job(number, lines))
      }
      self.asked.remove(number)
      return failure
    }
    _ = await isHeard.value
  }

  /// How requests end that nobody answers any more.
  private static let unanswered: Set<MinervaError.Code> = [.cancelled, .closed, .peerLost]

  /// How long a line that ends in `&` waits for the first word about its request.
  private static let firstWord = Duration.milliseconds(500)

  private static func standing(_ admission: Admission, ofJob number: Int, isJSON: Bool) -> String {
    isJSON ? ReplyJSON.ofJob(number, ReplyJSON.standing(admission)) : "[\(number)] \(ReplyText.standing(admission))"
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

  /// What was left at the end of a conversation: requests in the background that nobody answered, by the numbers of their jobs (C01).
  package struct Unfinished: Sendable, Hashable {
    /// Never sent: they did not happen.
    package var undelivered: [Int] = []
    /// Sent: they may have happened, or still will.
    package var unanswered: [Int] = []

    /// Where a recording ends, and why it lacks what may have followed.
    package var recording: String?

    package init() {}

    /// What to tell whoever ends the conversation; nil when nothing was left.
    package var error: MinervaError? {
      let parts = [
        Self.words(undelivered, "undelivered").map { "with \($0), nothing was asked" },
        Self.words(unanswered, "unanswered").map { "with \($0), what was asked may still happen: look at tree" },
        recording.map { "with a recording cut short, \($0)" },
      ].compactMap(\.self)
      return parts.isEmpty ? nil : MinervaError(.closed, "ended " + parts.joined(separator: "; and "))
    }

    private static func words(_ jobs: [Int], _ what: String) -> String? {
      guard !jobs.isEmpty else { return nil }
      return "\(jobs.count) \(jobs.count == 1 ? "request" : "requests") \(what) (\(jobs.map { "[\($0)]" }.joined(separator: " ")))"
    }
  }

  /// Gives requests in the background a moment to be answered, and ends what is left of the jobs.
  func endJobs() async -> Unfinished {
    var unfinished = Unfinished()
    for (number, job) in jobs where !asked.contains(number) { job.cancel() }
    if !asked.isEmpty {
      let waiting = asked.compactMap { jobs[$0] }
      _ = await withDeadline(.milliseconds(300)) { for job in waiting { _ = await job.value } }
    }
    isOver = true
    let left = asked.sorted().compactMap { number in jobs[number].map { (number, $0) } }
    guard !left.isEmpty else { return unfinished }
    for (_, job) in left { job.cancel() }
    // Cancelling is done on this side of the link: whether a request was sent is known at once.
    _ = await withDeadline(.milliseconds(200)) { for (_, job) in left { _ = await job.value } }
    for (number, _) in left {
      if ends[number]?.details[MinervaError.Detail.maybeExecuted] == "false" {
        unfinished.undelivered.append(number)
      } else if ends[number] != nil || asked.contains(number) {
        unfinished.unanswered.append(number)
      }
    }
    return unfinished
  }
}
