import CommandKit
import MinervaSimulation
import MinervaWire
import ShellKit

/// `minerva simulate`: seeds of the simulated cluster.
enum SimulateCommand {
  static func run(_ command: ParsedCommand, _ console: Console) throws -> ExitCode {
    let text = command.text("seeds") ?? "1..100"
    guard let seeds = range(text) else {
      throw UsageError("--seeds: expected first..last, found \"\(Escaping.visible(text))\"", command: "minerva simulate")
    }
    var fault: Simulation.Fault?
    if let name = command.text("fault") {
      fault = Simulation.Fault(rawValue: name)
      guard fault != nil else {
        let known = Simulation.Fault.allCases.map(\.rawValue)
        let hint = Suggestion.nearest(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
        throw UsageError("--fault: there are \(known.joined(separator: ", "))\(hint)", command: "minerva simulate")
      }
    }
    let report = Simulation.run(seeds: seeds, trace: command.integer("trace").map { UInt64($0) }, fault: fault)
    if command.flag("json") {
      for (seed, violation) in report.failures {
        try console.out.line(
          JSONLine([("seed", .unsigned(seed)), ("rule", .text(violation.rule)), ("text", .text(violation.text))]).text)
      }
      let counters = report.counters.sorted { $0.key < $1.key }.map { ($0.key, JSONLine.Value.number($0.value)) }
      try console.out.line(
        JSONLine([
          ("simulate", .text(text)), ("seeds", .number(report.seeds)), ("steps", .number(report.steps)),
          ("failures", .number(report.failures.count)), ("counters", .object(counters)),
        ]).text)
    } else {
      try console.out.lines(report.trace.map(Escaping.visible))
      for (seed, violation) in report.failures {
        try console.out.line("seed \(seed) broke \(violation.rule): \(Escaping.visible(violation.text))")
        try console.out.line("  again: minerva simulate --seeds \(seed) --trace \(seed)\(fault.map { " --fault \($0.rawValue)" } ?? "")")
      }
      let verdict = report.failures.isEmpty ? "no rule broken" : "\(report.failures.count) broke a rule"
      try console.out.line("\(report.seeds) seeds, \(report.steps) steps: \(verdict)")
    }
    return report.failures.isEmpty ? .done : .refused
  }

  /// Reads `A..B`, both ends included, or one seed.
  static func range(_ text: String) -> Range<UInt64>? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: true)
    guard let first = parts.first.flatMap({ UInt64($0) }) else { return nil }
    guard text.contains("..") else { return parts.count == 1 ? first..<(first + 1) : nil }
    guard parts.count == 2, let last = UInt64(parts[1]), last >= first, last < .max else { return nil }
    return first..<(last + 1)
  }
}
