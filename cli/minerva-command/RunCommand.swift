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
      for line in error.lines { console.notice(line) }
      return .usage
    }
    if let directory = command.text("artifacts"), mkdir(directory, 0o755) != 0, errno != EEXIST {
      throw AdvisedError(
        MinervaError(.fileUnwritable, "cannot make the directory \(directory): \(String(cString: strerror(errno)))"),
        remedy: "name another with --artifacts DIR")
    }
    let reporter = RunReporter(console, isJSON: command.flag("json"))
    var options = FlowRunner.Options()
    options.keepsGoing = command.flag("keep-going")
    options.jobs = command.integer("jobs") ?? 1
    options.filter = command.text("filter")
    options.artifacts = command.text("artifacts")
    let isShared = command.flag("shared") || command.text("connect") != nil
    let isVirtual = command.flag("virtual")
    let signals = try TerminationSignals()
    let stage =
      isShared
      ? RunStage(shared: try Reach(command), isVirtual: isVirtual)
      : try await RunStage.make(for: scripts, isVirtual: isVirtual, unless: signals)
    let runner = FlowRunner(stage: stage, reporter: reporter, options: options)
    let task = Task { await runner.run(scripts) }
    signals.onSignal { _ in task.cancel() }
    let results = await task.value
    await stage.close()
    if let path = command.text("junit") {
      do throws(ParseError) { try FileBytes.write(JUnitReport.text(results), to: path) } catch {
        throw MinervaError(.fileUnwritable, error.message)
      }
    }
    if results.isEmpty { throw MinervaError(.usageNothing, "no script is left to run; see --filter") }
    if !command.flag("json"), results.count > 1 {
      let good = results.count(where: \.isGood)
      console.notice("\(good) of \(results.count) scripts good" + (results.contains(where: \.isSkipped) ? ", the others not all run" : ""))
    }
    return task.isCancelled ? .interrupted : FlowRunner.exitCode(results)
  }
}

/// The scenes of a run: one a script. They share a set, but for scripts on a virtual clock: nobody else's time may move with theirs.
final class RunStage: FlowStage {
  private let reach: Reach?
  /// The set that was started for the run.
  private let set: RunningSet?
  private let isVirtual: Bool

  private init(reach: Reach?, set: RunningSet?, isVirtual: Bool) {
    self.reach = reach
    self.set = set
    self.isVirtual = isVirtual
  }

  /// The scenes of a set that runs already.
  convenience init(shared reach: Reach, isVirtual: Bool) { self.init(reach: reach, set: nil, isVirtual: isVirtual) }

  /// Starts a private set with every app and host that the scripts name; the Shop app when none names any.
  ///
  /// - Throws: `ExitCode.interrupted` when a signal comes before the set serves.
  static func make(for scripts: [FlowScript], isVirtual: Bool, unless signals: TerminationSignals) async throws -> RunStage {
    let own = scripts.filter { $0.needsOwnSet(isVirtual: isVirtual) }
    for script in own { _ = try plan(for: [script], isVirtual: isVirtual) }
    guard own.count < scripts.count else { return RunStage(reach: nil, set: nil, isVirtual: isVirtual) }
    let plan = try plan(for: scripts.filter { !$0.needsOwnSet(isVirtual: isVirtual) }, isVirtual: false)
    let (set, reach) = try await started { try await RunningSet.start(plan, in: $0, unless: signals) }
    return RunStage(reach: reach, set: set, isVirtual: isVirtual)
  }

  private static func plan(for scripts: [FlowScript], isVirtual: Bool) throws(MinervaError) -> SetPlan {
    var plan = SetPlan()
    for script in scripts {
      plan.hasVirtualClock = plan.hasVirtualClock || script.isVirtual(by: isVirtual)
      if let catalogue = script.catalogue {
        plan.catalogues.append(try SetPlan.Catalogue(reading: catalogue, at: UpCommand.absolute(catalogue), hosts: 2))
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
    if plan.apps.isEmpty, plan.hosts.isEmpty, plan.catalogues.isEmpty { plan.apps = [.shop] }
    return plan
  }

  private static func started(_ start: (RuntimeDirectory) async throws -> RunningSet) async throws -> (RunningSet, Reach) {
    let runtime = try RuntimeDirectory.makePrivate()
    do {
      let set = try await start(runtime)
      return (set, Reach(runtime: runtime, connection: ConnectionSettings(endpoint: try set.endpoint)))
    } catch {
      runtime.remove()
      throw error
    }
  }

  private static func ended(_ set: RunningSet) async {
    await set.stop()
    set.runtime.remove()
  }

  func open(_ script: FlowScript) async throws(MinervaError) -> any SceneTarget {
    let name = "run-" + String(UInt64.random(in: .min ... .max), radix: 36)
    if let reach, set == nil || !script.needsOwnSet(isVirtual: isVirtual) {
      // Without a header the only app there is.
      let scene = SceneAddress(name: name, app: script.header.apps.first ?? set?.plan.onlyApp)
      let target = try await reach.target(name: "run", scene: scene, control: set)
      guard script.isVirtual(by: isVirtual), try await target.look(at: nil).isVirtual == false else { return target }
      await target.close()
      throw MinervaError(
        .clockReal, "\(script.file) wants a virtual clock, and the running set has the machine's; leave --shared and --connect out")
    }
    let (set, reach): (RunningSet, Reach)
    do {
      let plan = try Self.plan(for: [script], isVirtual: isVirtual)
      (set, reach) = try await Self.started { try await RunningSet.start(plan, in: $0) }
    } catch {
      throw Session.stated(error)
    }
    do throws(MinervaError) {
      let scene = SceneAddress(name: "main", app: script.header.apps.first ?? set.plan.onlyApp)
      return try await reach.target(name: "run", scene: scene, control: set) { await Self.ended(set) }
    } catch {
      await Self.ended(set)
      throw error
    }
  }

  func close() async { if let set { await Self.ended(set) } }
}

extension FlowScript {
  /// Whether it runs on a virtual clock: its head says so, or the command line where the head says nothing.
  func isVirtual(by option: Bool) -> Bool { header.clock.map { $0 == .virtual } ?? option }

  /// The path of its catalogue: as it stands, or beside the script when that is where it is.
  var catalogue: String? {
    guard let name = header.catalogue, !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return header.catalogue }
    let beside = String(file[...slash]) + name
    return access(beside, R_OK) == 0 ? beside : name
  }

  /// Whether its processes serve nobody else.
  func needsOwnSet(isVirtual option: Bool) -> Bool { isVirtual(by: option) || header.catalogue != nil }
}

extension SetPlan {
  /// The app of a scene that does not say, when there is no choice.
  fileprivate var onlyApp: String? {
    let known = apps.map(\.rawValue) + catalogues.map(\.app)
    return known.count == 1 && hosts.isEmpty ? known[0] : nil
  }
}
