import Glibc
import Minerva
import MinervaSupervision
import MinervaTransport
import MinervaWire
import ServiceKit
import SetKit
import Synchronization

/// The processes of one measurement: a broker, and what is to stand around it, in a directory of their own.
///
/// Nothing restarts them. `end` leaves no process and no file behind; a process that outlives this one ends by itself.
final class BenchSet: Sendable {
  let runtime: RuntimeDirectory
  private let executables: String
  private let parent: ParentLine
  private let processes = Mutex<[String: SpawnedProcess]>([:])

  /// Makes the directory, below the one that is named or in the temporary one.
  ///
  /// - Throws: `runtime.file`; `process.start` when there is no way to tell children of our end.
  init(below directory: String? = nil) throws(MinervaError) {
    executables = try RunningSet.executables()
    parent = try ParentLine()
    if let directory {
      runtime = RuntimeDirectory.choose(option: "\(directory)/minerva-bench-\(getpid())-\(UInt16.random(in: 0 ... .max))")
      try runtime.prepare()
    } else {
      runtime = try RuntimeDirectory.makePrivate(prefix: "minerva-bench")
    }
  }

  /// Where the broker is reached.
  var endpoint: Endpoint { get throws(MinervaError) { .ipc(path: try runtime.socketPath("broker")) } }

  /// Where the journal lies.
  var fileSystem: FileSystem { get throws(MinervaError) { try FileSystem(of: runtime.path) } }

  /// Starts a program that lies beside this one.
  func start(_ name: String, _ executable: String, _ arguments: [String]) throws(MinervaError) {
    let path = "\(executables)/\(executable)"
    guard access(path, X_OK) == 0 else {
      throw MinervaError(.processStart, "\(path) is missing; build it: swift build -c release --product \(executable)")
    }
    let specification = ProcessSpecification(
      name: name, kind: "bench", executable: path, arguments: arguments, output: .log, restart: .never)
    let process = try SpawnedProcess.start(specification, runtime: runtime, parent: parent)
    processes.withLock { $0[name] = process }
  }

  /// Starts the broker.
  func startBroker() throws(MinervaError) { try start("broker", "minerva-broker", ["--runtime", runtime.path]) }

  /// Connects to the broker, waiting until it serves.
  func client(_ name: String = "bench") async throws -> Client {
    do {
      return try await Client.connect(to: try endpoint, name: name, version: ProductVersion.text, patience: .seconds(20))
    } catch let error as MinervaError where error.code == .unreachable {
      throw MinervaError(.unreachable, "the broker does not serve; its log is \(runtime.logPath("broker")): \(error.message)")
    }
  }

  /// What a process uses; nil when it is gone.
  func sample(_ name: String) -> ProcessSample? {
    processes.withLock { $0[name]?.pid }.flatMap { ProcessSample(pid: $0) }
  }

  func signal(_ name: String, _ number: Int32) { _ = processes.withLock { $0[name]?.signal(number) } }

  /// Kills a process outright and waits until it is gone.
  func kill(_ name: String) {
    let process = processes.withLock { $0.removeValue(forKey: name) }
    process?.signal(SIGKILL)
    _ = process?.wait(atMost: .seconds(10))
  }

  /// Ends every process and removes the directory.
  func end() {
    let left = processes.withLock { processes in
      defer { processes = [:] }
      return processes
    }
    // All of it is thrown away: nobody has to end in good order.
    for process in left.values { process.signal(SIGKILL) }
    for process in left.values { _ = process.wait(atMost: .seconds(10)) }
    runtime.remove()
  }
}
