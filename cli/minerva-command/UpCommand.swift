import CommandKit
import Glibc
import MinervaInterfaces
import MinervaSupervision
import MinervaTransport
import MinervaWire
import SetKit
import ShellKit
import Synchronization

/// `minerva up`: the supervisor in the foreground.
enum UpCommand {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    var plan = SetPlan()
    plan.apps = command.texts("app").compactMap(SetPlan.App.init)
    plan.hosts = command.texts("host").map(absolute)
    for path in command.texts("catalog") { plan.catalogues.append(try SetPlan.Catalogue(reading: path, at: absolute(path))) }
    plan.diffWorkers = command.integer("diff-workers") ?? 2
    plan.listen = command.texts("listen")
    plan.hasVirtualClock = command.flag("virtual")
    plan.data = command.text("data").map(absolute)
    plan.allowsInsecure = command.flag("insecure")
    for host in plan.hosts where access(host, X_OK) != 0 {
      throw UsageError("--host: \(host) is no executable", command: "minerva up")
    }
    let runtime = try RuntimeDirectory.open(option: command.text("runtime"), for: ["supervisor"])
    if !plan.listen.isEmpty, !plan.allowsInsecure { try checkKeys(in: "\(runtime.path)/keys") }
    let signals = try TerminationSignals()
    let terminal = ControllingTerminal()
    // A hang-up is no end while the terminal is there: somebody wants the keys read again.
    let isEnd: @Sendable (TerminationSignals.Signal) -> Bool = { $0 != .hangUp || terminal.hasClosed }
    let said = LastWords()
    let set = try await RunningSet.start(plan, in: runtime, unless: signals, isEnd: isEnd) { event in
      console.notice("minerva  \(event)")
      // Whom a signal has killed had nothing to say of it.
      guard case .exited(let name, _, _, let exit, expected: false) = event, exit != .signal(SIGKILL), exit != .signal(SIGTERM) else {
        return
      }
      guard let words = ProcessLog.lastWords(at: runtime.logPath(name)), said.isNew(words, of: name) else { return }
      console.notice("minerva    it said last: \(Escaping.visible(words))")
    } onLeftovers: { leftovers in
      for line in leftovers.lines { console.notice("minerva  \(line)") }
    }
    try console.out.lines(StatusText.lines(StatusReport(broker: nil, processes: await set.reports())).dropLast(2))
    try console.out.flush()
    console.notice("serving in \(runtime.path); Ctrl-C or minerva down ends it")
    // Whatever of the two comes first; the process ends with it, so nobody waits for the other.
    let ended = OneEnd()
    Task {
      while true {
        let signal = await signals.next()
        if isEnd(signal) { return await ended.give(signal) }
        // A shell that ends says so before it lets go of the terminal.
        try? await ContinuousClock().sleep(for: .milliseconds(200))
        if isEnd(signal) { return await ended.give(signal) }
        do throws(MinervaError) { try set.reloadKeys() } catch { console.notice("minerva  \(Escaping.visible(error.message))") }
      }
    }
    Task { await ended.give(set.untilAskedToStop()) }
    await ended.wait()
    // A second Ctrl-C ends at once.
    signals.release()
    await set.stop()
    console.notice("all processes have ended")
    return .done
  }

  /// Refuses tcp without keys before anything starts: a broker that finds none would be restarted in vain.
  private static func checkKeys(in keys: String) throws(MinervaError) {
    guard access(keys + "/broker.key", F_OK) == 0 else {
      throw MinervaError(.unauthorized, "\(keys)/broker.key: the broker has no key yet; minerva keys new broker makes one")
    }
    _ = try CurveKeyPair(file: keys + "/broker.key")
    guard access(keys + "/authorized", R_OK) == 0 else {
      throw MinervaError(.unauthorized, "\(keys)/authorized: no key is let in yet; minerva keys allow 'KEY' lets one in")
    }
  }

  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&buffer, buffer.count) != nil else { return path }
    let here = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "\(here)/\(path)"
  }
}

extension RunningSet {
  /// The processes as `status` shows them; none while they cannot be asked.
  func reports() async -> [ProcessReport] { (try? await processes()) ?? [] }
}

/// What processes said last before they fell: the same words again are no news.
private final class LastWords: Sendable {
  private let words = Mutex<[String: String]>([:])

  func isNew(_ text: String, of name: String) -> Bool { words.withLock { $0.updateValue(text, forKey: name) != text } }
}

/// The first of several ends.
private actor OneEnd {
  private var hasCome = false
  private var waiter: CheckedContinuation<Void, Never>?

  func give(_ end: some Sendable) {
    hasCome = true
    waiter?.resume()
    waiter = nil
  }

  func wait() async {
    guard !hasCome else { return }
    await withCheckedContinuation { waiter = $0 }
  }
}
