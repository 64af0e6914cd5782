import Glibc
public import Minerva
import MinervaInterfaces
import MinervaSupervision
public import MinervaTransport
public import MinervaWire
import Synchronization

/// Real service processes in a private runtime directory, started, stopped and killed one by one.
///
/// Nothing restarts them but the test: that is what it is for. `end` leaves no process, socket or file behind, also after a failure.
///
/// ```swift
/// let set = try ProcessSet()
/// defer { set.end() }
/// try set.start("broker", "minerva-broker")
/// try set.start("shop-1", "minerva-host", ["--app", "shop"])
/// let client = try await set.client()
/// ```
public final class ProcessSet: Sendable {
  private let runtime: RuntimeDirectory
  private let environment: [String: String]
  private let processes = Mutex<[String: SpawnedProcess]>([:])

  /// Makes the private directory.
  ///
  /// - Parameter environment: Variables that the processes get besides those of the test.
  public init(environment: [String: String] = [:]) throws(MinervaError) {
    self.environment = environment
    runtime = try RuntimeDirectory.makePrivate(prefix: "minerva-test")
  }

  /// The path of the runtime directory.
  public var directory: String { runtime.path }

  /// The broker's endpoint.
  public var endpoint: Endpoint { .ipc(path: runtime.path + "/broker.sock") }

  /// Starts a process of this set under a name; its log is `log(of:)`.
  @discardableResult
  public func start(_ name: String, _ executable: String, _ arguments: [String] = []) throws(MinervaError) -> Int32 {
    try startCommand(name, executable, ["--runtime", runtime.path, "--name", name] + arguments)
  }

  /// Starts a process with exactly these arguments, one that finds its own place; what it writes is in `log(of:)`.
  @discardableResult
  public func startCommand(_ name: String, _ executable: String, _ arguments: [String]) throws(MinervaError) -> Int32 {
    let specification = ProcessSpecification(
      name: name, kind: "test", executable: try ProductDirectory.executable(executable), arguments: arguments,
      environment: environment, output: .log, restart: .never)
    let process = try SpawnedProcess.start(specification, runtime: runtime)
    processes.withLock { $0[name] = process }
    return process.pid
  }

  /// Starts a broker, hosts of an app, and diff workers.
  public func startAll(app: String = "shop", hosts: Int = 1, workers: Int = 1) throws(MinervaError) {
    try start("broker", "minerva-broker")
    for number in 0..<workers { try start("diff-\(number + 1)", "minerva-diff") }
    if app == "workouts" { try start("store-1", "minerva-host", ["--app", "store"]) }
    for number in 0..<hosts { try start("\(app)-\(number + 1)", "minerva-host", ["--app", app]) }
  }

  /// The process identifier of a process that was started.
  public func pid(of name: String) -> Int32? { processes.withLock { $0[name]?.pid } }

  /// Sends a signal to a process.
  public func signal(_ name: String, _ number: Int32) { processes.withLock { _ = $0[name]?.signal(number) } }

  /// Kills a process and waits until it is gone.
  public func kill(_ name: String) {
    let process = processes.withLock { $0.removeValue(forKey: name) }
    process?.signal(SIGKILL)
    _ = process?.wait(atMost: .seconds(5))
  }

  /// Asks a process to end and returns its exit status, or `nil` when it did not end in time or by itself.
  public func stop(_ name: String, within grace: Duration = .seconds(5)) -> Int32? {
    guard let process = processes.withLock({ $0[name] }) else { return nil }
    process.signal(SIGTERM)
    guard case .status(let status) = process.wait(atMost: grace) else { return nil }
    processes.withLock { $0[name] = nil }
    return status
  }

  /// Waits for a process to end by itself and returns its exit status.
  public func exit(of name: String, within time: Duration = .seconds(10)) -> Int32? {
    guard case .status(let status) = processes.withLock({ $0[name] })?.wait(atMost: time) else { return nil }
    return status
  }

  /// How a process ended, in words, for what a test says when it fails.
  public func ending(of name: String) -> String {
    guard let process = processes.withLock({ $0[name] }) else { return "\(name) is not there" }
    return process.poll().map { "\(name) ended with \($0)" } ?? "\(name) runs"
  }

  /// Resident memory of a process in bytes, and its open descriptors.
  public func usage(of name: String) -> (memory: Int, descriptors: Int)? {
    pid(of: name).flatMap { ProcessSample(pid: $0) }.map { ($0.residentBytes, $0.openDescriptors) }
  }

  /// What a process wrote to its log.
  public func log(of name: String) -> String {
    FileText.read(runtime.logPath(name))
  }

  /// Connects to the broker, waiting until it serves.
  public func client(_ name: String = "test") async throws -> Client {
    try await Client.connect(to: endpoint, name: name, patience: .seconds(10))
  }

  /// Waits until a condition holds, looking again after each change that the broker's processes report.
  ///
  /// - Returns: Whether it came to hold in time.
  public func wait(atMost time: Duration = .seconds(10), until condition: () async throws -> Bool) async rethrows -> Bool {
    let deadline = ContinuousClock.now + time
    while ContinuousClock.now < deadline {
      if try await condition() { return true }
      try? await ContinuousClock().sleep(for: .milliseconds(10))
    }
    return false
  }

  /// Kills what still runs and removes the directory.
  public func end() {
    let left = processes.withLock { processes in
      defer { processes = [:] }
      return processes
    }
    for process in left.values { process.signal(SIGKILL) }
    for process in left.values { _ = process.wait(atMost: .seconds(5)) }
    runtime.remove()
  }
}
