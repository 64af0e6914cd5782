package import CommandKit
package import MinervaWire

/// Where scripts get their scenes from: a private set, a running one, or fakes.
package protocol FlowStage: Sendable {
  /// Opens a fresh scene for a script.
  func open(_ script: FlowScript) async throws(MinervaError) -> any SceneTarget
}

/// The engine of `minerva run`: many scripts, several at a time.
package struct FlowRunner: Sendable {
  package struct Options: Sendable {
    /// Go on behind a failing line and behind a failing script.
    package var keepsGoing = false
    /// How many scripts run at a time.
    package var jobs = 1
    /// Only scripts whose file or title contains this.
    package var filter: String?
    /// Where the tree, the events and the report of each script go.
    package var artifacts: String?

    package init() {}
  }

  private let stage: any FlowStage
  private let reporter: any FlowReporter
  private let options: Options
  private let clock: SessionClock

  package init(stage: any FlowStage, reporter: any FlowReporter, options: Options = Options(), clock: SessionClock = .continuous()) {
    self.stage = stage
    self.reporter = reporter
    self.options = options
    self.clock = clock
  }

  /// Reads every file before anything runs; throws the faults of all of them.
  package static func read(_ files: [String]) throws(FlowScript.Faults) -> [FlowScript] {
    var scripts: [FlowScript] = []
    var errors: [ParseError] = []
    for file in files {
      do throws(FlowScript.Faults) { scripts.append(try FlowScript.read(file)) } catch { errors += error.errors }
    }
    guard errors.isEmpty else { throw FlowScript.Faults(errors: errors) }
    return scripts
  }

  /// Runs the scripts and returns a result for each, in their order.
  package func run(_ scripts: [FlowScript]) async -> [FlowResult] {
    let chosen = scripts.filter { script in
      options.filter.map { script.file.contains($0) || script.title.contains($0) } ?? true
    }
    var results = chosen.map { FlowResult(file: $0.file, title: $0.title) }
    await withTaskGroup(of: (Int, FlowResult).self) { group in
      var next = 0
      var hasFailed = false
      var running = 0
      while true {
        while running < max(1, options.jobs), next < chosen.count, !(hasFailed && !options.keepsGoing) {
          let index = next
          group.addTask { (index, await play(chosen[index])) }
          next += 1
          running += 1
        }
        guard let (index, result) = await group.next() else { break }
        running -= 1
        results[index] = result
        hasFailed = hasFailed || !result.isGood
      }
      for index in next..<chosen.count { results[index].isSkipped = true }
    }
    return results
  }

  private func play(_ script: FlowScript) async -> FlowResult {
    let target: any SceneTarget
    do throws(MinervaError) {
      target = try await stage.open(script)
    } catch {
      var result = FlowResult(file: script.file, title: script.title)
      result.failures = [
        FlowFailure(file: script.file, line: 1, source: "(start)", code: error.code.rawValue, reason: error.message, before: [], after: [])
      ]
      if let failure = result.failures.first { await reporter.failed(failure, in: script) }
      await reporter.ended(result)
      return result
    }
    let recording = options.artifacts.map { "\($0)/\(Self.name(script.file)).mrec" }
    let run = FlowRun(script, on: target, reporter: reporter, clock: clock, keepsGoing: options.keepsGoing, recording: recording)
    let (result, events) = await run.run()
    if let directory = options.artifacts { await keep(result, events, in: directory) }
    return result
  }

  /// What a script's artifacts begin with.
  private static func name(_ file: String) -> String {
    String(file.map { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" ? $0 : "_" })
  }

  /// Keeps events and report; of a script that failed also the tree, beside its recording.
  private func keep(_ result: FlowResult, _ events: [EventText], in directory: String) async {
    let name = Self.name(result.file)
    var report = ["\(result.title): \(result.isGood ? "good" : "failed")"]
    for failure in result.failures { report += failure.lines }
    report += result.notes
    do throws(ParseError) {
      try FileBytes.write(events.map(\.json).joined(separator: "\n") + "\n", to: "\(directory)/\(name).events.jsonl")
      if !result.tree.isEmpty { try FileBytes.write(result.tree.joined(separator: "\n") + "\n", to: "\(directory)/\(name).tree.txt") }
      try FileBytes.write(report.joined(separator: "\n") + "\n", to: "\(directory)/\(name).report.txt")
    } catch {
      let failure = FlowFailure(
        file: result.file, line: 1, source: "--artifacts \(directory)", code: error.statedCode, reason: error.message, before: [], after: []
      )
      await reporter.failed(failure, in: FlowScript(file: result.file, title: result.title, header: .init(), steps: []))
    }
  }

  /// The exit code of a run: an interrupt before a failure, a failure that names no broker or a timeout as such.
  package static func exitCode(_ results: [FlowResult]) -> ExitCode {
    let codes = results.flatMap(\.failures).map { ExitCode(errorCode: $0.code) }
    if codes.contains(.interrupted) { return .interrupted }
    if let first = codes.first { return first == .usage ? .refused : first }
    return .done
  }
}
