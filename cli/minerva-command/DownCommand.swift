import CommandKit
import MinervaInterfaces
import MinervaSupervision
import MinervaWire
import SetKit
import ShellKit

/// `minerva down`: ends the set of the runtime directory.
enum DownCommand {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    let runtime = RuntimeDirectory.choose(option: command.text("runtime"))
    let link = try await SupervisorLink.connect(runtime)
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
}
