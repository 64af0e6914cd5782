import Foundation
import Glibc
import Minerva
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Testing

/// Real brokers that are killed, stopped and deprived of their disk in the middle of work (P1, N2).
@Suite("Real brokers that crash under load", .serialized, .oneAtATime, .timeLimit(.minutes(15)))
struct CrashTests {
  private static let kills = getenv("MINERVA_DEEP") == nil ? 20 : 200

  private func begun(_ set: ProcessSet, scenes: Int, broker: [String] = [], on disk: Disk? = nil) async throws -> (Client, CallerLog) {
    if case .ownFileSystem = disk {
      try Self.startOnSmallDisk(set)
    } else {
      try set.start("broker", "minerva-broker", broker)
    }
    try set.start("diff-1", "minerva-diff")
    try set.start("shop-1", "minerva-host", ["--app", "shop"])
    let client = try await set.client()
    #expect(await set.wait { ((try? await client.modules().isEmpty) ?? true) == false })
    let log = CallerLog(scenes: (1...scenes).map { "scene\($0)" })
    try await log.begin(client, set)
    return (client, log)
  }

  @Test("Processes: what an author's code prints is in its host's log at once, not first when the host ends")
  func printedLines() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    try set.start("ledgers-1", "ledger-host")
    #expect(await set.wait { set.log(of: "ledgers-1").contains("its ledgers are open\n") }, "\(set.log(of: "ledgers-1"))")
    set.kill("ledgers-1")
  }

  @Test(
    "Processes: the broker is killed over and over under load: what was answered is there, nothing else is, and a txn is done once (P1, N2)"
  )
  func killedUnderLoad() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (client, log) = try await begun(set, scenes: 3)
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    var random = Seeded(seed)
    async let load: Void = log.load(client, width: 8)
    for round in 1...Self.kills {
      let more = log.answers + Int.random(in: 1...120, using: &random)
      let goesOn = await set.wait(atMost: .seconds(30)) { log.answers >= more }
      #expect(goesOn, "seed \(seed), round \(round): no answers any more: \(log.troubles.prefix(3)) \(set.log(of: "broker"))")
      guard goesOn else { break }
      set.kill("broker")
      try set.start("broker", "minerva-broker")
    }
    log.end()
    await load
    let context = "seed \(seed)"
    #expect(log.troubles == [], "\(context)")
    try await log.compare(client, context)
    try await log.repeatAll(client, last: 60, context)
    try await log.compare(client, "\(context), after repetitions")
    let status = try await client.status()
    #expect(status.epoch == UInt64(Self.kills) + 1)
    #expect(status.troubles == [])

    // Once more from the disk alone.
    set.kill("broker")
    try set.start("broker", "minerva-broker")
    try await log.compare(client, "\(context), at rest")
    await client.close()
    #expect(set.stop("broker") == 0)
    #expect(try SQLiteJournal.verify(set.directory + "/journal.sqlite").problems == [])
  }

  @Test("Processes: a broker that is stopped past every lease and continued goes on with what it answered")
  func stoppedAndContinued() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (client, log) = try await begun(set, scenes: 2)
    async let load: Void = log.load(client, width: 4)
    #expect(await set.wait { log.answers > 40 })
    set.signal("broker", SIGSTOP)
    let start = ContinuousClock.now
    #expect(await set.wait(atMost: .seconds(8)) { ContinuousClock.now - start > .seconds(4) })
    let before = log.answers
    set.signal("broker", SIGCONT)
    #expect(await set.wait(atMost: .seconds(30)) { log.answers > before + 100 }, "\(log.troubles.prefix(3))")
    log.end()
    await load
    #expect(log.troubles == [])
    try await log.compare(client, "continued")
    try await log.repeatAll(client, last: 40, "continued")
    await client.close()
  }

  /// What a journal has to fill.
  private enum Disk {
    /// A bound on the size of its files.
    case filesOfABoundedSize
    /// A file system of its own, of two megabytes.
    case ownFileSystem
  }

  @Test(
    "Processes: a full disk answers journal.unavailable, keeps what was answered, and all goes on when there is space again; doctor says so (P1)"
  )
  func diskFull() async throws { try await fill(.filesOfABoundedSize) }

  @Test(
    "Processes: the same on a file system of two megabytes (P1)",
    .enabled(if: Self.canMount, "only who may mount file systems has one to fill"))
  func smallFileSystemFull() async throws { try await fill(.ownFileSystem) }

  /// Asked of the system: root of a container may not.
  private static let canMount =
    access("/usr/bin/nsenter", X_OK) == 0
    && (try? run("/usr/bin/unshare", ["--mount", "/bin/sh", "-c", "mount -t tmpfs none /mnt 2>/dev/null"])) == true

  private func fill(_ disk: Disk) async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (client, log) = try await begun(set, scenes: 1, on: disk)
    let scene = CallerLog.address("scene1")
    let broker = try #require(set.pid(of: "broker"))
    let size = max(RuntimeFiles.size(set.directory + "/journal.sqlite-wal"), RuntimeFiles.size(set.directory + "/journal.sqlite"))
    if disk == .filesOfABoundedSize { #expect(try Self.limitFiles(of: broker, to: size + 200_000)) }
    let sound = try ProcessSet.Once.run("minerva", ["doctor", "--runtime", set.directory])
    #expect(sound.output.contains("ok   journal"), "\(sound)")
    var answered = 0
    var refusal: MinervaError.Code?
    while refusal == nil, answered < 5_000 {
      do {
        _ = try await client.request(CallerLog.push(), in: scene, txn: "full-\(answered)", within: .seconds(5))
        answered += 1
      } catch let error as MinervaError {
        refusal = error.code
      }
    }
    #expect(refusal == .journalUnavailable)
    #expect(answered > 0)
    #expect(try await client.status().troubles.first?.hasPrefix("takes no records: ") == true)
    #expect(set.log(of: "broker").contains("the journal takes no records: "))
    // Within files of a bounded size a journal may find room again by itself.
    if disk == .ownFileSystem {
      let full = try ProcessSet.Once.run("minerva", ["doctor", "--runtime", set.directory])
      #expect(full.status == 1, "\(full)")
      #expect(full.output.split(separator: "\n").contains { $0.hasPrefix("FAIL journal") && $0.contains("takes no records: ") }, "\(full)")
    }
    switch disk {
    case .filesOfABoundedSize: #expect(try Self.limitFiles(of: broker, to: nil))
    case .ownFileSystem: #expect(try Self.enlargeDisk(of: broker, in: set))
    }
    // The one that was refused is done once, whenever it is asked again.
    let refused = "full-\(answered)"
    #expect(
      await set.wait(atMost: .seconds(20)) {
        (try? await client.request(CallerLog.push(), in: scene, txn: refused, within: .seconds(5))) != nil
      }, "\(set.log(of: "broker"))")
    let stack = try await client.snapshot(of: scene).tree.layers.first?.stack.count
    #expect(stack == log.stack("scene1").count + answered + 1)
    #expect(try await client.status().troubles == [])
    #expect(set.log(of: "broker").contains("the journal takes records again"))
    #expect(try await client.status().pid == broker, "it is the same process")
    #expect(try ProcessSet.Once.run("minerva", ["doctor", "--runtime", set.directory]).output.contains("ok   journal"))
    // The file system is gone with its broker.
    if disk == .filesOfABoundedSize {
      set.kill("broker")
      try set.start("broker", "minerva-broker")
      #expect(try await client.snapshot(of: scene).tree.layers.first?.stack.count == stack)
    }
    await client.close()
  }

  @Test("Processes: the last page of the log torn off after a kill: a whole prefix comes back, in silence (P3)")
  func tornLog() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (client, log) = try await begun(set, scenes: 2)
    async let load: Void = log.load(client, width: 1)
    #expect(await set.wait { log.answers > 30 })
    log.end()
    await load
    let wal = set.directory + "/journal.sqlite-wal"
    for cut in [1, 700, 8_000, 20_000] {
      set.kill("broker")
      let size = RuntimeFiles.size(wal)
      if size > cut { truncate(wal, off_t(size - cut)) }
      try set.start("broker", "minerva-broker")
      for scene in log.scenes {
        let snapshot = try await client.snapshot(of: CallerLog.address(scene))
        let found = snapshot.tree.layers.first?.stack.map(\.id) ?? []
        #expect(found == log.stack(scene, upTo: snapshot.record), "\(cut) bytes: \(scene) at #\(snapshot.record)")
      }
      #expect(try await client.status().troubles == [])
    }
    await client.close()
  }

  @Test("Processes: a data directory that cannot be written ends the broker at once with its name and what to do")
  func readOnlyDirectory() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    // Not even the superuser writes there.
    try set.start("broker", "minerva-broker", ["--data", "/proc/self"])
    #expect(set.exit(of: "broker") == 1)
    let log = set.log(of: "broker")
    #expect(log.contains("journal.file") && log.contains("/proc/self/journal.sqlite"), "\(log)")
  }

  /// Starts a broker whose journal is on a file system that nobody else sees, and that is gone with it.
  private static func startOnSmallDisk(_ set: ProcessSet) throws {
    let script = #"mount -t tmpfs -o size=2m none "$1/disk" && exec "$0" --runtime "$1" --name broker --data "$1/disk""#
    let broker = try ProductDirectory.executable("minerva-broker")
    mkdir(set.directory + "/disk", 0o700)
    try set.startCommand("broker", "/usr/bin/unshare", ["--mount", "/bin/sh", "-c", script, broker, set.directory])
  }

  /// Gives the file system of a broker thirty times the room.
  private static func enlargeDisk(of pid: Int32, in set: ProcessSet) throws -> Bool {
    let arguments = ["--target", "\(pid)", "--mount", "mount", "-o", "remount,size=64m", set.directory + "/disk"]
    return try run("/usr/bin/nsenter", arguments)
  }

  /// Bounds the size of the files that a process may write; nil for none. util-linux does what glibc's header hides.
  private static func limitFiles(of pid: Int32, to bytes: Int?) throws -> Bool {
    try run("/usr/bin/prlimit", ["--pid", "\(pid)", "--fsize=\(bytes.map(String.init) ?? "unlimited"):unlimited"])
  }

  private static func run(_ tool: String, _ arguments: [String]) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: tool)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
