import Foundation
import Glibc
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaTesting
import MinervaTransport
import MinervaWire
import RawPeers
import Testing

/// Nobody waits for ever for a message that cannot be delivered (C01).
@Suite("Real processes that cannot say what they have to say", .serialized, .oneAtATime, .timeLimit(.minutes(2)))
struct ExitTests {
  /// How long something took.
  private func time(_ body: () async throws -> Void) async rethrows -> Duration {
    let start = ContinuousClock.now
    try await body()
    return ContinuousClock.now - start
  }

  @Test("Processes: a shell at a closed port, told to look and to quit, ends with an error that says what to do (C01)")
  func closedPort() throws {
    let set = try ProcessSet()
    defer { set.end() }
    for arguments in [["--connect", set.endpoint.description], ["--connect", "tcp://127.0.0.1:\(try FreePorts.pair())", "--insecure"]] {
      let shell = try ProcessSet.Once.run("minerva-shell", arguments, input: "tree\nquit\n", within: .seconds(6))
      #expect(shell.status != 0)
      #expect(shell.errors.contains("bus.unreachable"), "\(shell.errors)")
    }
  }

  @Test("Processes: a scene of an app that nobody serves is refused at once, by looks, runs and shells; a look begins no scene (C01)")
  func unknownApp() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(app: "shop", hosts: 1, workers: 1)
    let client = try await set.client()
    #expect(try await set.wait { try await !client.modules().isEmpty })
    let flow = set.directory + "/a.flow"
    try "app nope\ntree\n".write(toFile: flow, atomically: true, encoding: .utf8)
    for words in [
      ["minerva", "tree", "--scene", "foo", "--app", "nope"], ["minerva", "run", flow], ["minerva-shell", "--scene", "b", "--app", "nope"],
    ] {
      let connected = Array(words.dropFirst()) + ["--connect", set.endpoint.description]
      let once = try ProcessSet.Once.run(words[0], connected, within: .seconds(30))
      #expect(once.status == 1 && (once.errors + once.output).contains("scene.app_unknown"), "\(words): \(once)")
    }
    let mistyped = try ProcessSet.Once.run("minerva", ["tree", "--scene", "mian", "--json", "--connect", set.endpoint.description])
    #expect(mistyped.status == 1 && mistyped.errors.hasPrefix("{\"error\":{\"code\":\"scene.unknown\""), "\(mistyped)")
    #expect(try await client.scenes().isEmpty)
    await client.close()
  }

  @Test("Processes: a client whose broker died with calls waiting closes within its grace and counts them (C01)")
  func brokerDied() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    let client = try await set.client()
    let notices = await client.notices()
    set.kill("broker")
    for await notice in notices { if case .brokerLost = notice { break } }
    try await withThrowingTaskGroup(of: MinervaError?.self) { group in
      for _ in 0..<10 { group.addTask { await failure { _ = try await client.snapshot(within: .seconds(60)) } } }
      #expect(await set.wait { await client.waitingCalls() == 10 })
      var report: CloseReport?
      #expect(await time { report = await client.close(grace: .milliseconds(300)) } < .seconds(2))
      #expect(report == CloseReport(undelivered: 10, unanswered: 0))
      for try await error in group { #expect(error?.code == .closed) }
    }
  }

  @Test(
    "Processes: quit behind a request to a stopped or dead broker ends the shell within two seconds, with the count (C01)",
    arguments: [SIGSTOP, SIGKILL])
  func shellOfALostBroker(signal: Int32) async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(app: "shop", hosts: 1, workers: 0)
    let client = try await set.client()
    #expect(try await set.wait { try await !client.modules().isEmpty })
    await client.close()
    let (shell, input, output, errors) = (Process(), Pipe(), Pipe(), Pipe())
    shell.executableURL = URL(filePath: try ProductDirectory.executable("minerva-shell"))
    shell.arguments = ["--runtime", set.directory]
    (shell.standardInput, shell.standardOutput, shell.standardError) = (input, output, errors)
    try shell.run()
    defer { if shell.isRunning { kill(shell.processIdentifier, SIGKILL) } }
    input.fileHandleForWriting.write(Data("note ready\n".utf8))
    // It is connected, and reads the next line.
    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).contains("ready"))
    if signal == SIGSTOP { await stop("broker", of: set) } else { set.kill("broker") }
    let took = await time {
      input.fileHandleForWriting.write(Data("open Settings {\"section\":\"privacy\"} &\nquit\n".utf8))
      #expect(await set.wait { !shell.isRunning })
    }
    #expect(took < .seconds(2), "\(took)")
    #expect(shell.terminationStatus == 1)
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(said.contains("error bus.closed") && said.contains("1 request un"), "\(said)")
  }

  @Test("Processes: a shell that records from a stopped broker ends within two seconds, with a whole recording, and says so (C01)")
  func shellThatRecords() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(app: "shop", hosts: 1, workers: 0)
    let client = try await set.client()
    #expect(try await set.wait { try await !client.modules().isEmpty })
    await client.close()
    let (shell, input, output, errors) = (Process(), Pipe(), Pipe(), Pipe())
    shell.executableURL = URL(filePath: try ProductDirectory.executable("minerva-shell"))
    shell.arguments = ["--runtime", set.directory]
    (shell.standardInput, shell.standardOutput, shell.standardError) = (input, output, errors)
    try shell.run()
    defer { if shell.isRunning { kill(shell.processIdentifier, SIGKILL) } }
    let file = set.directory + "/x.mrec"
    input.fileHandleForWriting.write(Data("open Detail id=7\nrecord \(file) --from #1\nnote ready\n".utf8))
    var told = ""
    while !told.contains("ready") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      told += String(decoding: more, as: UTF8.self)
    }
    #expect(await set.wait { RuntimeFiles.text(file).contains("Detail{id:7}") }, "\(told)")
    await stop("broker", of: set)
    let took = await time {
      input.fileHandleForWriting.write(Data("quit\n".utf8))
      #expect(await set.wait { !shell.isRunning })
    }
    #expect(took < .seconds(2), "\(took)")
    #expect(shell.terminationStatus == 1)
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(said.contains("error bus.closed") && said.contains("x.mrec ends at #"), "\(said)")
    let replayed = try ProcessSet.Once.run("minerva", ["replay", file, "--verify"])
    #expect(replayed.status == 0 && replayed.output.contains("Detail{id:7}"), "\(replayed)")
  }

  @Test("Processes: a client whose broker is stopped closes within its grace and counts what was not answered (C01)")
  func brokerStopped() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    let client = try await set.client()
    _ = try await client.status()
    await stop("broker", of: set)
    try await withThrowingTaskGroup(of: MinervaError?.self) { group in
      for _ in 0..<10 { group.addTask { await failure { _ = try await client.status(within: .seconds(60)) } } }
      #expect(await set.wait { await client.bus.peers().first?.callsInFlight == 10 })
      var report = CloseReport(undelivered: 0, unanswered: 0)
      #expect(await time { report = await client.close(grace: .milliseconds(300)) } < .seconds(2))
      #expect(report.undelivered + report.unanswered == 10)
      for try await error in group { #expect(error?.code == .closed) }
    }
  }

  @Test(
    "Processes: a command that starts processes of its own ends at once on a signal while they start, and leaves nothing behind",
    arguments: [
      ["demo", "--fast"], ["run", "FLOW"], ["shell"], ["load", "diff", "--for", "5s"], ["diff", "--via-worker", "FLOW", "FLOW"],
    ])
  func signalAtStart(words: [String]) async throws {
    let place = try ProcessSet()
    defer { place.end() }
    let flow = "\(place.directory)/a.flow"
    try Data("flow \"a\"\napp shop\nwait settled\n".utf8).write(to: URL(filePath: flow))
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      let scratch = "\(place.directory)/\(signal)"
      mkdir(scratch, 0o700)
      let set = try ProcessSet(environment: ["TMPDIR": scratch])
      defer { set.end() }
      try set.startCommand("command", "minerva", words.map { $0 == "FLOW" ? flow : $0 })
      // It has made its directory and starts what goes into it.
      #expect(await set.wait { !RuntimeFiles.names(in: scratch).isEmpty })
      set.signal("command", signal)
      #expect(set.exit(of: "command", within: .seconds(8)) == 130, "signal \(signal): \(set.log(of: "command"))")
      #expect(RuntimeFiles.names(in: scratch) == [], "signal \(signal)")
    }
  }

  @Test(
    "Processes: SIGTERM ends services within two seconds with status 0 while their broker is stopped or dead (C01)",
    arguments: [SIGSTOP, SIGKILL])
  func servicesOfALostBroker(signal: Int32) async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(app: "shop", hosts: 1, workers: 1)
    let client = try await set.client()
    #expect(try await set.wait { try await !client.modules().isEmpty })
    #expect(try await set.wait { try await client.status().pool.workers == 1 })
    await client.close()
    set.signal("broker", signal)
    for name in ["shop-1", "diff-1"] {
      #expect(set.stop(name, within: .seconds(2)) == 0, "\(name)")
      #expect(set.log(of: name).contains("messages undelivered"), "\(name) says what was")
    }
    set.kill("broker")
    // What a killed broker leaves is the next one's to clear.
    leavesNothing(set, except: ["broker", "journal"])
  }

  @Test("Processes: SIGTERM ends services within two seconds while they still look for a broker that never came up (C01)")
  func servicesWithoutABroker() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("shop-1", "minerva-host", ["--app", "shop"])
    try set.start("store-1", "minerva-host", ["--app", "store"])
    try set.start("diff-1", "minerva-diff")
    let names = ["shop-1", "store-1", "diff-1"]
    // Each has its socket: it has begun, and waits for the broker.
    #expect(await set.wait { names.allSatisfy { RuntimeFiles.names(in: set.directory).contains("\($0).sock") } })
    for name in names { #expect(set.stop(name, within: .seconds(2)) != nil, "\(name)") }
    leavesNothing(set)
  }

  @Test("Processes: a broker whose peer asks and never reads ends within two seconds on SIGTERM and says what was undelivered (C01)")
  func brokerOfADeafPeer() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    let client = try await set.client()
    let interfaces = try await FixedInterfaces.learn()
    let target = try #require(interfaces.broker.names.first { $0.contains("6status") })
    let deaf = try #require(RawPeer(set.endpoint))
    #expect(try deaf.greet("deaf", api: interfaces.catalogue.version) == .welcome)
    for number in 0..<20_000 {
      guard deaf.send([RawPeer.call(WellKnown.broker, target, identifier: UInt64(number))]) else { break }
    }
    #expect(try await client.status().peers.contains { $0.node == "deaf" })
    await client.close()
    #expect(set.stop("broker", within: .seconds(2)) == 0)
    let last = set.log(of: "broker").split(separator: "\n").last { $0.contains("messages undelivered") } ?? ""
    #expect(!last.isEmpty && !last.contains("; 0 messages undelivered"), "\(last)")
    leavesNothing(set)
  }

  /// Stops a process and waits until it is: on a busy machine it goes on for a moment behind the signal.
  private func stop(_ name: String, of set: ProcessSet) async {
    set.signal(name, SIGSTOP)
    let stands = await set.wait {
      guard let pid = set.pid(of: name), let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
      return text.split(separator: ")").last?.hasPrefix(" T") == true
    }
    #expect(stands)
  }

  /// Expects that no socket and no lock is left.
  private func leavesNothing(_ set: ProcessSet, except names: [String] = []) {
    let left = RuntimeFiles.names(in: set.directory).filter { name in
      (name.hasSuffix(".sock") || name.hasSuffix(".lock")) && !names.contains { name.hasPrefix($0) } && name != "events.sock"
    }
    #expect(left == [])
  }
}
