import CommandKit
import Glibc
import MinervaInterfaces
import MinervaSupervision
import MinervaWire
import ServiceKit
import SetKit
import ShellKit

/// `minerva run`: flow scripts in a private set, or in a running one.
enum RunCommand {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    let scripts: [FlowScript]
    do throws(FlowScript.Faults) {
      scripts = try FlowRunner.read(command.arguments("FILE"))
    } catch {
      for fault in error.errors { console.notice("\(fault.position): \(fault.statedCode): \(Escaping.visible(fault.message))") }
      return .usage
    }
    if command.flag("virtual") || scripts.contains(where: { $0.header.clock == .virtual }) {
      throw MinervaError(.unsupported, "a virtual clock is not offered yet; leave --virtual and clock virtual out")
    }
    if let directory = command.text("artifacts") { mkdir(directory, 0o755) }
    let reporter = RunReporter(console, isJSON: command.flag("json"))
    var options = FlowRunner.Options()
    options.keepsGoing = command.flag("keep-going")
    options.jobs = command.integer("jobs") ?? 1
    options.filter = command.text("filter")
    options.artifacts = command.text("artifacts")
    let isShared = command.flag("shared") || command.text("connect") != nil
    let stage = isShared ? RunStage(reach: try Reach(command), set: nil) : try await RunStage.make(for: scripts)
    let runner = FlowRunner(stage: stage, reporter: reporter, options: options)
    let task = Task { await runner.run(scripts) }
    let signals = try TerminationSignals([.interrupt, .terminate])
    signals.onSignal { _ in task.cancel() }
    let results = await task.value
    await stage.close()
    if let path = command.text("junit") { try FileBytes.write(JUnitReport.text(results), to: path) }
    if results.isEmpty { throw MinervaError(.usageNothing, "no script is left to run; see --filter") }
    if !command.flag("json"), results.count > 1 {
      let good = results.count(where: \.isGood)
      console.notice("\(good) of \(results.count) scripts good" + (results.contains(where: \.isSkipped) ? ", the others not all run" : ""))
    }
    return task.isCancelled ? .interrupted : FlowRunner.exitCode(results)
  }
}

/// The scenes of a run: one a script, all in the same set.
final class RunStage: FlowStage {
  private let reach: Reach
  private let set: RunningSet?

  init(reach: Reach, set: RunningSet?) {
    self.reach = reach
    self.set = set
  }

  /// Starts a private set with every app and host that the scripts name; the Shop app when none names any.
  static func make(for scripts: [FlowScript]) async throws(MinervaError) -> RunStage {
    var plan = SetPlan()
    for script in scripts {
      if let catalogue = script.header.catalogue {
        throw MinervaError(.unsupported, "\(script.file): catalog \(catalogue): catalogue apps are not offered yet")
      }
      for name in script.header.apps {
        guard let app = SetPlan.App(rawValue: name) else {
          let known = SetPlan.App.allCases.map(\.rawValue).joined(separator: ", ")
          throw MinervaError(.usageApp, "\(script.file): no app \"\(name)\"; there are \(known); host EXECUTABLE brings others")
        }
        if !plan.apps.contains(app) { plan.apps.append(app) }
      }
      for host in script.header.hosts where !plan.hosts.contains(host) { plan.hosts.append(host) }
    }
    if plan.apps.isEmpty, plan.hosts.isEmpty { plan.apps = [.shop] }
    let runtime = try RuntimeDirectory.makePrivate()
    do throws(MinervaError) {
      let set = try await RunningSet.start(plan, in: runtime)
      return RunStage(reach: Reach(runtime: runtime, connection: ConnectionSettings(endpoint: try set.endpoint)), set: set)
    } catch {
      runtime.remove()
      throw error
    }
  }

  func open(_ script: FlowScript) async throws(MinervaError) -> any SceneTarget {
    let name = "run-" + String(UInt64.random(in: .min ... .max), radix: 36)
    // Without a header the only app there is.
    return try await reach.target(name: "run", scene: SceneAddress(name: name, app: script.header.apps.first ?? onlyApp), control: set)
  }

  private var onlyApp: String? {
    guard let set, set.plan.apps.count == 1, set.plan.hosts.isEmpty else { return nil }
    return set.plan.apps[0].rawValue
  }

  func close() async {
    guard let set else { return }
    await set.stop()
    set.runtime.remove()
  }
}
