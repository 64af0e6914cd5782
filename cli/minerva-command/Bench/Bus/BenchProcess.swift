import Foundation
import Glibc
import MinervaWire

/// A process of a bench: its input ends when we end it, its output can be read.
final class BenchProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts a program; Foundation spawns and does not fork, which a libzmq context would not survive.
  init(_ command: [String], environment: [String: String]) throws {
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch { throw MinervaError("process.start", "\(command[0]) cannot be started: \(error.localizedDescription)") }
  }

  deinit { end() }

  /// Reads the output to its end and ends the process.
  ///
  /// - Throws: `bus.deadline` when the output has not ended `patience` seconds from now; the process is killed then.
  func outputToEnd(within patience: Double) throws -> String {
    let descriptor = output.fileHandleForReading.fileDescriptor
    let deadline = ContinuousClock.now + .seconds(patience)
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while true {
      let left = (deadline - ContinuousClock.now).components.seconds
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard ContinuousClock.now < deadline else {
        kill(process.processIdentifier, SIGKILL)
        throw MinervaError(.deadline, "\(process.executableURL?.path ?? "a process") gave no result in \(Int(patience)) s; run it by hand")
      }
      guard poll(&polled, 1, Int32(min(left, 1) * 1_000 + 100)) > 0 else { continue }
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      text += chunk[..<count]
    }
    end()
    return String(decoding: text, as: UTF8.self)
  }

  /// Ends the input, which the process takes as its end, and waits for it; after three seconds it is killed.
  func end() {
    try? input.fileHandleForWriting.close()
    // The floor's client does not read its input and has ended by now; the server of actors ends when its input does.
    let deadline = ContinuousClock.now + .seconds(3)
    while process.isRunning, ContinuousClock.now < deadline { usleep(2_000) }
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
