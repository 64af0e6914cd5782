import CommandKit
import Glibc
import Minerva
import MinervaInterfaces
import MinervaSupervision
import MinervaWire
import ServiceKit
import SetKit
import ShellKit

/// `minerva doctor`: what was chosen and why, and what is wrong.
enum DoctorCommand {
  private struct Finding {
    var what: String
    var isGood: Bool
    var text: String
  }

  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    let reach = try Reach(command)
    let runtime = reach.runtime
    var findings = [
      Finding(what: "version", isGood: true, text: ProductVersion.text),
      Finding(what: "runtime", isGood: true, text: "\(runtime.path) (\(why(runtime.origin)))"),
      directory(runtime), sockets(runtime),
    ]
    findings += try programs()
    findings.append(
      Finding(
        what: "endpoint", isGood: true,
        text: "\(reach.endpoint) (\(reach.isRemote ? "from --connect or MINERVA_CONNECT" : "of the runtime directory"))"))
    let (supervisor, processes) = await supervisor(runtime)
    findings += supervisor
    findings += await broker(reach, supervised: processes)
    findings.append(terminal(console))
    for finding in findings {
      if command.flag("json") {
        try console.out.line(
          JSONLine([("what", .text(finding.what)), ("good", .flag(finding.isGood)), ("text", .text(finding.text))]).text)
      } else {
        let mark = finding.isGood ? console.paint(.green, "ok  ") : console.paint(.red, "FAIL")
        try console.out.line("\(mark) \(DisplayWidth.padded(finding.what, to: 10)) \(Escaping.visible(finding.text))")
      }
    }
    return findings.allSatisfy(\.isGood) ? .done : .refused
  }

  private static func why(_ origin: RuntimeDirectory.Origin) -> String {
    switch origin {
    case .option: "from --runtime"
    case .environment: "from MINERVA_RUNTIME"
    case .session: "from XDG_RUNTIME_DIR"
    case .temporary: "the user's own under the temporary directory, as XDG_RUNTIME_DIR is not set"
    }
  }

  private static func directory(_ runtime: RuntimeDirectory) -> Finding {
    guard access(runtime.path, F_OK) == 0 else {
      return Finding(what: "directory", isGood: true, text: "does not exist yet; minerva up makes it with mode 0700")
    }
    do throws(MinervaError) {
      try runtime.check()
      return Finding(what: "directory", isGood: true, text: "ours, mode 0700")
    } catch {
      return Finding(what: "directory", isGood: false, text: error.message)
    }
  }

  private static func sockets(_ runtime: RuntimeDirectory) -> Finding {
    do throws(MinervaError) {
      let path = try runtime.socketPath("supervisor")
      return Finding(
        what: "sockets", isGood: true, text: "paths of \(path.utf8.count) bytes; the limit is \(RuntimeDirectory.socketPathLimit)")
    } catch {
      return Finding(what: "sockets", isGood: false, text: error.message)
    }
  }

  private static func programs() throws -> [Finding] {
    let directory = try RunningSet.executables()
    let missing = ["minerva-broker", "minerva-host", "minerva-diff"].filter { access("\(directory)/\($0)", X_OK) != 0 }
    return [
      Finding(
        what: "programs", isGood: missing.isEmpty,
        text: missing.isEmpty
          ? "in \(directory)" : "\(missing.joined(separator: ", ")) missing in \(directory); build them: swift build -c release")
    ]
  }

  /// What the supervisor says of its processes, beside them.
  private static func supervisor(_ runtime: RuntimeDirectory) async -> ([Finding], [ProcessReport]) {
    do throws(MinervaError) {
      let link = try await SupervisorLink.connect(runtime)
      let processes = (try? await link.processes()) ?? []
      await link.close()
      let away = processes.filter { $0.pid == nil }.map { "\($0.name) (\($0.state))" }
      let text = away.isEmpty ? "\(processes.count) processes run" : "away: \(away.joined(separator: ", ")); minerva logs may say why"
      return ([Finding(what: "supervisor", isGood: away.isEmpty, text: text)] + falling(processes), processes)
    } catch {
      guard error.code == .unreachable else { return ([Finding(what: "supervisor", isGood: false, text: error.description)], []) }
      return ([Finding(what: "supervisor", isGood: true, text: "none; \(error.message)")], [])
    }
  }

  /// Processes that run, and do not for long.
  private static func falling(_ processes: [ProcessReport]) -> [Finding] {
    processes.filter { $0.pid != nil && $0.restarts >= 3 && $0.uptime < 30_000 }.map { process in
      let end = process.lastExit.map { ", at last by \($0)" } ?? ""
      return Finding(
        what: "restarts", isGood: false,
        text: "\(process.name) was restarted \(process.restarts) times\(end); see minerva logs \(process.name)")
    }
  }

  /// Processes that run and have not come to the broker: stopped, hanging, or refused.
  private static func absent(_ processes: [ProcessReport], _ status: BrokerStatus) -> [Finding] {
    let there = Set(status.peers.map(\.node))
    // One that has only just been started is on its way.
    return processes.filter { ["host", "diff"].contains($0.kind) && $0.pid != nil && $0.uptime > 5_000 && !there.contains($0.name) }.map {
      Finding(
        what: "absent", isGood: false,
        text: "\($0.name) (pid \($0.pid ?? 0)) runs and is not connected: it is stopped, or hangs; see minerva logs \($0.name)")
    }
  }

  private static func broker(_ reach: Reach, supervised processes: [ProcessReport]) async -> [Finding] {
    guard reach.isRemote || reach.isBrokerThere else { return [Finding(what: "broker", isGood: true, text: "none is running")] }
    do {
      let client = try await reach.client(name: "doctor")
      let status = try await client.status(within: .seconds(2))
      await client.close(grace: .zero)
      let isSame = status.version == ProductVersion.text
      let answers = Finding(
        what: "broker", isGood: isSame,
        text: isSame
          ? "answers, version \(status.version), pid \(status.pid)" : "version \(status.version), this program is \(ProductVersion.text)")
      let local = status.peers.filter { ["host", "diff"].contains($0.kind) && $0.endpoint?.hasPrefix("ipc://") == true }.map(\.node)
      let reachable = Finding(
        what: "reach", isGood: true,
        text: local.isEmpty
          ? "every host and worker can be dialled over tcp, or none is there"
          : "\(local.joined(separator: ", ")): dialled on their own machine alone; --listen tcp://HOST:PORT lets others in")
      let isSound = Finding(what: "journal", isGood: true, text: "as it was written")
      let troubles = status.troubles.map { Finding(what: "journal", isGood: false, text: $0) }
      let doors = status.peers.compactMap(\.trouble).map { Finding(what: "doors", isGood: false, text: $0) }
      return [answers, reachable] + absent(processes, status) + doors + (troubles.isEmpty ? [isSound] : troubles)
    } catch {
      let stated = Session.stated(error).description
      guard let pid = processes.first(where: { $0.kind == "broker" })?.pid else {
        return [Finding(what: "broker", isGood: false, text: stated)]
      }
      return [Finding(what: "broker", isGood: false, text: "runs (pid \(pid)) and does not answer: it is stopped, or hangs (\(stated))")]
    }
  }

  private static func terminal(_ console: Console) -> Finding {
    let terminal = console.terminal
    let colour = terminal.usesColour ? "colour" : "no colour"
    return Finding(
      what: "output", isGood: true, text: "\(terminal.isTerminal ? "a terminal of \(terminal.width) columns" : "no terminal"), \(colour)")
  }
}
