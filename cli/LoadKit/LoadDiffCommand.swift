package import CommandKit
import Glibc
import Minerva
import MinervaInterfaces
import MinervaSupervision
import MinervaTransport
import MinervaWire
import ServiceKit
import SetKit
import Synchronization

/// `minerva load diff`: diff workers of its own under load, every answer checked.
package enum LoadDiffCommand {
  package static let definition = CommandDefinition(
    "diff", "Loads diff workers and checks every answer",
    discussion: """
      Starts a broker and workers of its own. With --rate jobs start when they are due and latency counts from then; without, each slot sends \
      its next job when the last one is answered. Every answer is replayed and compared byte for byte, outside the measured latency; a wrong \
      one, a lost one or a second one ends the run with 1.
      """,
    options: [
      .value("size", .integer(0...5_000_000), "rows of a list", fallback: "10000"),
      .value("edits", .text, "which part of the rows is edited: 0.05, or 5%", placeholder: "PART", fallback: "0.05"),
      .value(
        "shape", .text, "mixed, shuffle, append or sections; or two files, whose lines are compared", repeats: true, fallback: "mixed"),
      .value("concurrency", .integer(1...10_000), "jobs under way at the same time", fallback: "4"),
      .value("rate", .text, "jobs a second, started when they are due", placeholder: "R"),
      .value("for", .duration, "how long", fallback: "10s"),
      .value("workers", .integer(1...64), "how many workers", fallback: "2"),
      .flag("held", "let workers keep the lists, and send only new ones"),
      .value("seed", .integer(0...Int.max), "of the lists", fallback: "1"),
      .value("kill-worker", .duration, "kill a worker this often"),
      .value("lie", .text, "let one more worker answer wrongly so often; each wrong answer must be found", placeholder: "1/N"),
    ],
    examples: [
      .init("minerva load diff", "two workers, 10,000 rows, 5 % edits, 10 s"),
      .init("minerva load diff --kill-worker 2s --for 30s", "nothing may be lost"),
      .init("minerva load diff --size 1000000 --concurrency 1 --json", "a million rows, one object at the end"),
    ])

  package static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    ProcessMemory.keepForMessages()
    let workers = command.integer("workers") ?? 2
    var settings = DiffLoad.Settings(lists: try lists(command))
    settings.concurrency = command.integer("concurrency") ?? 4
    settings.duration = command.duration("for") ?? .seconds(10)
    settings.holds = command.flag("held")
    if let text = command.text("rate") {
      guard let rate = Double(text), rate > 0, rate <= 1e6 else {
        throw UsageError("--rate: expected jobs a second, found \"\(text)\"", command: "minerva load diff")
      }
      settings.rate = rate
    }
    var plan = SetPlan()
    plan.diffWorkers = workers
    if let text = command.text("lie") {
      guard text.hasPrefix("1/"), let every = Int(text.dropFirst(2)), every > 0 else {
        throw UsageError("--lie: expected 1/N, found \"\(text)\"", command: "minerva load diff")
      }
      plan.lyingWorker = every
    }
    plan.restartsWithoutLimit = command.text("kill-worker") != nil
    let signals = try TerminationSignals()
    let runtime = try RuntimeDirectory.makePrivate(prefix: "minerva-load")
    defer { runtime.remove() }
    let set = try await RunningSet.start(plan, in: runtime, unless: signals)
    do {
      let client = try await Client.connect(to: try set.endpoint, name: "load", version: ProductVersion.text, patience: .seconds(10))
      let load = DiffLoad(client: client, settings: settings)
      let isInterrupted = Atomic<Bool>(false)
      signals.onSignal { _ in
        isInterrupted.store(true, ordering: .relaxed)
        load.stop()
      }
      let memory = LoadMemory()
      let (rate, isJSON) = (settings.rate, command.flag("json"))
      let asides = Task { await watch(load, set, memory, settings.duration, isatty(STDERR_FILENO) == 1 && !isJSON ? console : nil) }
      let killer = command.duration("kill-worker").map { every in Task { await kill(load, set, workers: workers, every: every) } }
      let tally = await load.run()
      asides.cancel()
      killer?.cancel()
      _ = await (asides.value, killer?.value)
      var report = LoadReport(
        tally: tally, workers: workers + (plan.lyingWorker == nil ? 0 : 1), cores: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))),
        rate: rate)
      report.memory = memory.rows
      // Of an interrupted load, one with faults or a list that lies nobody asks what it would cost alone.
      if settings.rate == nil, killer == nil, plan.lyingWorker == nil, !isInterrupted.load(ordering: .relaxed) {
        report.cost = await BusCost.measure(client, settings, floor: try RunningSet.executables() + "/minerva-floor")
      }
      await client.close()
      await set.stop()
      try isJSON ? console.out.line(report.json) : console.out.lines(report.lines(width: console.terminal.width))
      if !tally.isClean { return .refused }
      return isInterrupted.load(ordering: .relaxed) ? .interrupted : .done
    } catch {
      await set.stop()
      throw error
    }
  }

  private static func lists(_ command: ParsedCommand) throws -> @Sendable (Int) -> any LoadSource {
    let shapes = command.texts("shape")
    let size = command.integer("size") ?? 10_000
    let seed = UInt64(command.integer("seed") ?? 1)
    let part = command.text("edits") ?? "0.05"
    let isPercent = part.hasSuffix("%")
    guard let number = Double(isPercent ? String(part.dropLast()) : part), case let edits = isPercent ? number / 100 : number, edits >= 0,
      edits <= 1
    else {
      throw UsageError("--edits: expected a part such as 0.05 or 5%, found \"\(part)\"", command: "minerva load diff")
    }
    if shapes.count == 2 {
      let pair = LoadedPair(old: try lines(of: shapes[0]), new: try lines(of: shapes[1]))
      return { _ in pair }
    }
    guard shapes.count < 2, let shape = LoadLists.Shape(rawValue: shapes.first ?? "mixed") else {
      throw UsageError("--shape: expected mixed, shuffle, append, sections or two files", command: "minerva load diff")
    }
    return { LoadLists(shape: shape, size: size, edits: Int((edits * 1_000).rounded()), seed: seed &+ UInt64($0) &* 7_919) }
  }

  /// The lines of a file as rows whose content is their identifier.
  private static func lines(of path: String) throws -> LoadRows {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw MinervaError(.runtimeFile, "cannot read \(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      text.append(contentsOf: buffer[..<count])
      guard text.count <= 1 << 28 else { throw MinervaError(.tooLarge, "\(path) is larger than 256 MiB") }
    }
    var rows = LoadRows()
    for line in text.split(separator: 0x0a, omittingEmptySubsequences: true) { rows.append(line, line) }
    return rows
  }

  /// Kills the workers in turn, each with a job in its hands if it gets one before the next is due.
  private static func kill(_ load: DiffLoad, _ set: RunningSet, workers: Int, every: Duration) async {
    var number = 0
    while true {
      do { try await Task.sleep(for: every) } catch { return }
      let worker = "diff-\(number % workers + 1)"
      number += 1
      // One that is down already has not been killed by us.
      guard let report = try? await set.processes().first(where: { $0.name == worker }), report.pid != nil else { continue }
      let due = ContinuousClock.now + every
      while load.held(by: worker) == 0, ContinuousClock.now < due {
        do { try await Task.sleep(for: .milliseconds(1)) } catch { return }
      }
      load.kill(worker)
      try? await set.signal(worker, SIGKILL)
    }
  }

  /// Looks at memory, and shows progress on a terminal.
  private static func watch(_ load: DiffLoad, _ set: RunningSet, _ memory: LoadMemory, _ duration: Duration, _ console: Console?) async {
    let clock = ContinuousClock()
    let begin = clock.now
    while true {
      memory.look(at: (try? await set.processes()) ?? [])
      if let console {
        let share = min(1, Double(DiffLoad.microseconds(clock.now - begin)) / Double(max(1, DiffLoad.microseconds(duration))))
        let full = Int(share * 30)
        let now = load.now
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: 30 - full)
        try? console.notices.write("\r\(bar) \(Int(share * 100)) %  \(now.latencies.count) answers, \(now.jobsInFlight) in flight ")
      }
      do { try await Task.sleep(for: .milliseconds(500)) } catch { break }
    }
    if let console { try? console.notices.write("\r\u{1b}[K") }
  }
}

/// The memory of processes over time.
final class LoadMemory: Sendable {
  private let state = Mutex<[String: (first: Int, last: Int, most: Int)]>([:])

  func look(at processes: [ProcessReport]) {
    state.withLock { state in
      for process in processes where process.memory > 0 {
        var row = state[process.name] ?? (process.memory, 0, 0)
        row.last = process.memory
        row.most = max(row.most, process.memory)
        state[process.name] = row
      }
    }
  }

  var rows: [(name: String, first: Int, last: Int, most: Int)] {
    state.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value.first, $0.value.last, $0.value.most) } }
  }
}
