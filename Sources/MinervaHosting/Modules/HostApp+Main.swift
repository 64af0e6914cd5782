import Glibc
import Minerva
import MinervaSupervision
import MinervaTransport
import MinervaWire

extension HostApp {
  /// Runs the host as a process: joins the broker, serves until SIGTERM or SIGINT, and exits.
  ///
  /// Exit codes: 0 done, 2 for arguments that are not understood, 3 when the broker cannot be reached, 1 for everything else.
  public static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.contains("--help") {
      say(HostArguments.help(app), to: STDOUT_FILENO)
      exit(0)
    }
    do {
      try await serve(HostArguments(words, app: app))
      exit(0)
    } catch let error as MinervaError {
      say("error \(error)", to: STDERR_FILENO)
      exit(error.code == "usage" ? 2 : [.unreachable, .peerLost].contains(error.code) ? 3 : 1)
    } catch {
      say("error \(error)", to: STDERR_FILENO)
      exit(1)
    }
  }

  private static func serve(_ arguments: HostArguments) async throws {
    let name = arguments.name
    let runtime = try RuntimeDirectory.open(option: arguments.runtime)
    let lock = try LockFile.acquire(runtime.lockPath(name))
    defer { lock.release() }
    let socket = try runtime.socketPath(name)
    try lock.clearSocket(at: socket)
    let listening = try arguments.listening() ?? Listening(socket: .ipc(path: socket))
    let signals = try TerminationSignals()
    let (ending, end) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let watch = ParentWatch.start { end.yield("its supervisor is gone") }
    signals.onSignal { if $0 != .hangUp { end.yield("signal \($0.rawValue)") } }
    let broker = try HostArguments.endpoint(arguments.connect ?? runtime.endpoint("broker"))
    let settings = HostSettings(
      app: app, node: name, broker: broker, listen: listening.endpoint, advertised: listening.advertised, start: start, links: links,
      security: try arguments.security(),
      log: { say("\(name)  \($0)", to: STDERR_FILENO) })
    let modules = try self.modules
    let host = try await HostProcess.start(settings) { _ in modules }
    settings.log?("offers \(app) to \(broker)")
    for await reason in ending {
      settings.log?("ends (\(reason))")
      break
    }
    watch?.cancel()
    signals.release()
    await host.close()
  }
}

/// Writes a line to a descriptor of the process.
private func say(_ line: String, to descriptor: Int32) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
}
