import CommandKit
import MinervaInterfaces
import MinervaSupervision
import MinervaWire
import SetKit
import ShellKit

/// `minerva down`: ends the set of the runtime directory, or what a killed supervisor left of it.
enum DownCommand {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    let runtime = RuntimeDirectory.choose(option: command.text("runtime"))
    let link: SupervisorLink
    do throws(MinervaError) {
      link = try await SupervisorLink.connect(runtime)
    } catch {
      guard let leftovers = await clear(runtime) else { throw error }
      try tell(leftovers, command, console)
      return .done
    }
    let processes = try await link.processes()
    try await link.stop()
    await link.close()
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(15)
    while LockFile.holder(of: runtime.lockPath("supervisor")) != nil {
      guard clock.now < deadline else {
        throw MinervaError(.deadline, "the supervisor has not ended within 15 s; minerva logs may say why")
      }
      try await clock.sleep(for: .milliseconds(50))
    }
    if command.flag("json") {
      try console.out.line(JSONLine([("ended", .array(processes.map { .text($0.name) }))]).text)
    } else {
      try console.out.line("ended \(processes.map(\.name).joined(separator: ", "))")
    }
    return .done
  }

  /// Clears away what a killed supervisor left; nil when there is nothing, or a supervisor lives.
  private static func clear(_ runtime: RuntimeDirectory) async -> Leftovers? {
    guard (try? runtime.check()) != nil, let lock = try? LockFile.acquire(runtime.lockPath("supervisor")) else { return nil }
    defer { lock.release() }
    let leftovers = await Leftovers.clear(in: runtime, under: lock)
    return leftovers.isEmpty ? nil : leftovers
  }

  private static func tell(_ leftovers: Leftovers, _ command: ParsedCommand, _ console: Console) throws {
    guard command.flag("json") else { return try console.out.lines(leftovers.lines) }
    let ended = leftovers.ended.map { JSONLine.Value.text($0.name) }, cleared = leftovers.cleared.map { JSONLine.Value.text($0) }
    try console.out.line(JSONLine([("ended", .array(ended)), ("cleared", .array(cleared))]).text)
  }
}
