package import CommandKit
import MinervaActors
package import ServiceKit

extension HostProcess {
  /// Runs a host as the service of its process, until the process is asked to end.
  package static func serve(
    _ settings: HostSettings, in process: ServiceProcess, modules: @escaping @Sendable (HostServices) async throws -> [ModuleOffer]
  ) async throws -> ExitCode {
    let host = try await process.start { try await HostProcess.start(settings, modules: modules) }
    process.log("offers \(settings.app) to \(settings.broker)")
    let reason = await process.untilAskedToEnd()
    let report = await host.close()
    process.log("ends (\(reason)); \(report.undelivered) messages undelivered, \(report.unanswered) calls unanswered")
    return .done
  }
}
