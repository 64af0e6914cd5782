import Glibc
import Minerva
import MinervaInterfaces
import MinervaSupervision
import MinervaTesting
import Testing

/// A supervisor that is killed outright: its set ends, and the next `up` or `down` clears what is left.
@Suite("Real processes whose supervisor is killed", .serialized, .oneAtATime, .timeLimit(.minutes(3)))
struct SupervisorKillTests {
  /// The children of a supervised set, by name.
  private typealias Children = [String: Int32]

  /// Starts `minerva up` in the directory of a set, under a name for its log, and returns its children once it serves.
  private func up(_ set: ProcessSet, as name: String) async throws -> Children {
    try set.startCommand(name, "minerva", ["up", "--app", "shop", "--diff-workers", "1", "--runtime", set.directory])
    let serves = await set.wait(atMost: .seconds(30)) { set.log(of: name).contains("serving in") }
    try #require(serves, "\(set.log(of: name))")
    let client = try await set.client()
    let status = try await client.status()
    await client.close()
    var children: Children = ["broker": status.pid]
    for peer in status.peers where ["diff-1", "shop-1"].contains(peer.node) { children[peer.node] = peer.pid }
    #expect(children.keys.sorted() == ["broker", "diff-1", "shop-1"])
    return children
  }

  private func minerva(_ set: ProcessSet, _ words: String...) throws -> ProcessSet.Once {
    try ProcessSet.Once.run("minerva", words + ["--runtime", set.directory])
  }

  /// The sockets and locks that stand in the directory of a set.
  private func traces(_ set: ProcessSet) -> [String] {
    RuntimeFiles.names(in: set.directory).filter { $0.hasSuffix(".sock") || $0.hasSuffix(".lock") }
  }

  /// Kills the supervisor of a set so that its broker, and the others named, stay behind stopped.
  ///
  /// The kernel wakes stopped children of a dead parent, so they are stopped once more at once; a set whose broker was quicker than that
  /// is started anew.
  private func leaveStopped(_ set: ProcessSet, _ first: Children, _ others: String...) async throws -> Children {
    var children = first
    for attempt in 1...10 {
      let stopped = (["broker"] + others).compactMap { children[$0] }
      for pid in stopped { kill(pid, SIGSTOP) }
      set.kill("up")
      for pid in stopped { kill(pid, SIGSTOP) }
      let broker = try #require(children["broker"])
      #expect(await set.wait { Self.isStopped(broker) || !ProcessSample.isRunning(broker) })
      guard attempt < 10, !Self.isStopped(broker) else { break }
      end(children)
      children = try await up(set, as: "up")
    }
    try #require(Self.isStopped(children["broker"] ?? 0), "a broker was never caught before its end")
    return children
  }

  private static func isStopped(_ pid: Int32) -> Bool {
    let stat = RuntimeFiles.text("/proc/\(pid)/stat")
    return stat.lastIndex(of: ")").map { stat[stat.index(after: $0)...].drop { $0 == " " }.first == "T" } ?? false
  }

  /// Kills what a failed test would leave running.
  private func end(_ children: Children) {
    for pid in children.values where ProcessSample.isRunning(pid) { kill(pid, SIGKILL) }
  }

  @Test("Processes: kill -9 of the supervisor ends its children, down clears what it left and says so, and a second down finds nothing")
  func childrenEnd() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let children = try await up(set, as: "up")
    defer { end(children) }
    set.kill("up")
    #expect(await set.wait { children.values.allSatisfy { !ProcessSample.isRunning($0) } }, "\(children)")
    // The children have taken their own away.
    #expect(traces(set) == ["supervisor.lock", "supervisor.sock"])
    for name in children.keys { #expect(set.log(of: name).contains("its supervisor is gone"), "\(name)") }
    let down = try minerva(set, "down")
    #expect(down.status == 0, "\(down.errors)")
    #expect(down.output == "cleared supervisor.sock, left by processes that were killed\n")
    #expect(traces(set) == [])
    let again = try minerva(set, "down")
    #expect(again.status == 3)
    #expect(again.errors.contains("nothing runs in \(set.directory); minerva up starts it"))
    #expect(traces(set) == [])
  }

  @Test("Processes: the next up ends stopped children of a killed supervisor, says so, and serves the same tree")
  func upAfterStoppedChildren() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    var children = try await up(set, as: "up")
    defer { end(children) }
    #expect(try minerva(set, "open", "Settings", "{\"section\":\"privacy\"}").status == 0)
    let before = try minerva(set, "stack").output
    #expect(before.contains("Settings"))
    children = try await leaveStopped(set, children, "shop-1")
    let next = try await up(set, as: "next")
    defer { end(next) }
    let log = set.log(of: "next")
    for (name, pid) in children {
      #expect(!ProcessSample.isRunning(pid), "\(name)")
      #expect(name != "broker" || log.contains("ended broker (pid \(pid))"), "\(log)")
    }
    #expect(log.contains("left by a supervisor that was killed"))
    #expect(!log.contains("ended unexpectedly"), "\(log)")
    #expect(try minerva(set, "stack").output == before)
    #expect(try minerva(set, "down").status == 0)
    #expect(set.exit(of: "next") == 0)
    #expect(next.values.allSatisfy { !ProcessSample.isRunning($0) })
    #expect(traces(set) == [])
  }

  @Test("Processes: down ends a stopped broker of a killed supervisor, and leaves a host that was started by hand alone")
  func downAfterStoppedBroker() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    var children = try await up(set, as: "up")
    defer { end(children) }
    let own = try set.start("shop-2", "minerva-host", ["--app", "shop"])
    #expect(await set.wait { set.log(of: "shop-2").contains("offers shop") }, "\(set.log(of: "shop-2"))")
    children = try await leaveStopped(set, children)
    let broker = try #require(children["broker"])
    let down = try minerva(set, "down")
    #expect(down.status == 0, "\(down.errors)")
    #expect(down.output.contains("broker (pid \(broker))"), "\(down.output)")
    #expect(down.output.contains("left by a supervisor that was killed"), "\(down.output)")
    #expect(children.values.allSatisfy { !ProcessSample.isRunning($0) }, "\(children)")
    #expect(ProcessSample.isRunning(own))
    #expect(traces(set) == ["shop-2.lock", "shop-2.sock"])
    #expect(set.stop("shop-2") != nil)
    #expect(traces(set) == [])
  }
}
