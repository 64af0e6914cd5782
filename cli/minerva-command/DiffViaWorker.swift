import CommandKit
import DiffKit
import Glibc
import ListDiff
import Minerva
import MinervaInterfaces
import MinervaSupervision
import MinervaWire
import ServiceKit
import SetKit

/// `minerva diff --via-worker`: a worker compares the files, of the running set or of one that lives as long as the command.
enum DiffViaWorker {
  static func run(_ command: ParsedCommand, _ console: Console) async throws -> ExitCode {
    let reach = try Reach(command)
    if reach.isRemote || reach.isBrokerThere {
      let client = try await reach.client(name: "diff")
      let status = try await client.status()
      guard status.pool.workers > 0 else {
        await client.close()
        throw MinervaError(.diffNoWorker, "the running set has no diff worker; minerva-diff --runtime \(reach.runtime.path) starts one")
      }
      guard status.peers.contains(where: { $0.kind == "diff" && isReachable($0.endpoint) }) else {
        await client.close()
        throw MinervaError(
          .diffNoWorker,
          "the diff workers there listen on sockets of their own machine alone; minerva-diff --listen tcp://HOST:PORT makes one that can be reached"
        )
      }
      return try await run(command, console, client)
    }
    var plan = SetPlan()
    plan.diffWorkers = 1
    let signals = try TerminationSignals()
    let runtime = try RuntimeDirectory.makePrivate(prefix: "minerva-diff")
    defer { runtime.remove() }
    let set = try await RunningSet.start(plan, in: runtime, unless: signals)
    let task = Task {
      let client = try await Client.connect(to: try set.endpoint, name: "diff", version: ProductVersion.text, patience: .seconds(10))
      return try await run(command, console, client)
    }
    signals.onSignal { _ in task.cancel() }
    let result = await task.result
    await set.stop()
    return task.isCancelled ? .interrupted : try result.get()
  }

  /// Whether a worker may be dialled from here: a socket file is on this machine or on another.
  private static func isReachable(_ endpoint: String?) -> Bool {
    guard let endpoint, endpoint.hasPrefix("ipc://") else { return true }
    return access(String(endpoint.dropFirst("ipc://".count)), F_OK) == 0
  }

  private static func run(_ command: ParsedCommand, _ console: Console, _ client: Client) async throws -> ExitCode {
    let differ = DiffClient(client)
    let isWatched = isatty(STDERR_FILENO) == 1 && !command.flag("json")
    do {
      let code = try await DiffCommand.run(command, console) { files, options in
        var wanted = DiffOptions(duplicates: options.duplicates == .reject ? .reject : .occurrence)
        if isWatched {
          wanted.progress = { try? console.notices.write("\r\(text(of: $0))\u{1b}[K") }
        }
        do {
          let result = try await differ.changes(from: DiffRows(files.old), to: DiffRows(files.new), wanted)
          if isWatched { try? console.notices.write("\r\u{1b}[K") }
          return files.old.sections == nil ? .flat(try result.changeSet()) : .sectioned(try result.sectionedChangeSet())
        } catch let error as MinervaError where error.code == .diffDuplicate {
          throw files.stated(duplicate: error.details) ?? error
        }
      }
      await client.close()
      return code
    } catch {
      await client.close()
      throw error
    }
  }

  private static func text(of progress: DiffProgress) -> String {
    let tenths = progress.milliseconds / 100
    return "\(progress.phase.rawValue), \(progress.rows) rows, \(tenths / 10).\(tenths % 10) s"
  }
}

extension DiffRows {
  /// The rows of a file, in its sections.
  fileprivate init(_ file: ListFile) {
    let sections = file.sections.map { ids, counts in
      DiffSections(
        identifiers: ids.bytes, offsets: ids.offsets, contents: [UInt64](repeating: 0, count: counts.count),
        rows: counts.map { UInt32(clamping: $0) })
    }
    self.init(file.rows, sections: sections)
  }
}
