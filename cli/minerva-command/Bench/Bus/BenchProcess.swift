import Foundation
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

  /// Reads the output to its end and waits for the process.
  func outputToEnd() -> String {
    let bytes = (try? output.fileHandleForReading.readToEnd()) ?? Data()
    end()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Ends the input, which the process takes as its end, and waits for it.
  func end() {
    try? input.fileHandleForWriting.close()
    guard process.isRunning else { return }
    // The floor's client does not read its input and has ended by now; the server of actors ends when its input does.
    process.waitUntilExit()
  }
}
