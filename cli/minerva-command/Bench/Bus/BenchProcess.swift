import Foundation
import Glibc
import MinervaSupervision
import MinervaWire

/// A process of a bench: it ends when its input does, and answers line by line.
final class BenchProcess: @unchecked Sendable {
  // One caller at a time: a bench waits for each answer.
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var pending: [UInt8] = []

  /// Starts a program; Foundation spawns and does not fork, which a libzmq context would not survive.
  init(_ command: [String], environment: [String: String]) throws {
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch { throw MinervaError(.processStart, "\(command[0]) cannot be started: \(error.localizedDescription)") }
  }

  deinit { end() }

  /// Writes a line and reads one, on a thread of its own.
  ///
  /// - Throws: `bus.deadline` when no line has come in time, `bus.unreachable` when the process has ended.
  func answer(to line: String, within patience: Duration) async throws -> String {
    // A process that has ended would raise SIGPIPE.
    guard process.isRunning else { throw MinervaError(.unreachable, "\(name) has ended; run it by hand") }
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    let result: Result<String, MinervaError> = await withCheckedContinuation { continuation in
      let started = SystemThread.start(named: "bench-wait") { continuation.resume(returning: self.line(within: patience)) }
      if !started { continuation.resume(returning: .failure(MinervaError(.processStart, "no thread to wait on"))) }
    }
    return try result.get()
  }

  private func line(within patience: Duration) -> Result<String, MinervaError> {
    let descriptor = output.fileHandleForReading.fileDescriptor
    let deadline = ContinuousClock.now + patience
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while true {
      if let end = pending.firstIndex(of: 10) {
        let line = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeSubrange(...end)
        return .success(line)
      }
      guard ContinuousClock.now < deadline else {
        return .failure(MinervaError(.deadline, "\(name) gave no result within \(patience); run it by hand"))
      }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, 200) > 0 else { continue }
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return .failure(MinervaError(.unreachable, "\(name) ended without a result; run it by hand")) }
      pending += chunk[..<count]
    }
  }

  private var name: String { process.executableURL?.path ?? "a process" }

  /// Ends the input, which the process takes as its end, and waits for it; after three seconds it is killed.
  func end() {
    try? input.fileHandleForWriting.close()
    let deadline = ContinuousClock.now + .seconds(3)
    while process.isRunning, ContinuousClock.now < deadline { usleep(2_000) }
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
