import CommandKit
import Minerva
import MinervaInterfaces
import MinervaSupervision
import MinervaWire
import SetKit
import ShellKit

/// `minerva status`: what the supervisor and the broker know, also when one of them is away.
enum StatusCommand {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    let reach = try Reach(command)
    let link = reach.isRemote ? nil : try? await SupervisorLink.connect(reach.runtime)
    let processes = (try? await link?.processes()) ?? []
    await link?.close()
    var report = StatusReport(broker: nil, processes: processes)
    do throws(MinervaError) {
      let client = try await reach.client(name: "status")
      report.broker = try? await client.status(within: .seconds(2))
      await client.close(grace: .zero)
    } catch {
      if link == nil { throw error }
    }
    let isJSON = command.flag("json")
    try console.out.lines(isJSON ? StatusText.json(report) : StatusText.lines(report))
    return report.broker == nil ? .unreachable : .done
  }
}
