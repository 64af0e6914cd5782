import Glibc
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Testing

/// Processes whose wall clock is moved under them (architecture, section 4: clocks).
@Suite("Real processes whose clock jumps", .serialized, .oneAtATime)
struct ClockTests {
  /// The wall clock's offset of every process that maps it, in seconds.
  private struct Offset {
    let path: String

    init(in directory: String) throws {
      path = directory + "/clock"
      try set(0)
    }

    func set(_ seconds: Int64) throws {
      let file = open(path, O_WRONLY | O_CREAT, 0o600)
      guard file >= 0 else { throw MinervaError("file.unwritable", "\(path): \(String(cString: strerror(errno)))") }
      defer { close(file) }
      let written = withUnsafeBytes(of: seconds) { pwrite(file, $0.baseAddress, $0.count, 0) }
      guard written == 8 else { throw MinervaError("file.unwritable", path) }
    }
  }

  /// What the wall clock of a process of the set says, as its journal does: a date is asked of `date` under the same variables.
  private func year(_ variables: [String: String]) throws -> String {
    let set = try ProcessSet(environment: variables)
    defer { set.end() }
    try set.startCommand("date", "/bin/date", ["+%Y"])
    #expect(set.exit(of: "date") == 0)
    return String(set.log(of: "date").prefix(4))
  }

  @Test("Processes: the wall clock jumps by days, back and forth: nobody is lost, no call ends early or late, no lease is over")
  func clocksJump() async throws {
    let place = try ProcessSet()
    defer { place.end() }
    let offset = try Offset(in: place.directory)
    let variables = [
      "LD_PRELOAD": try ProductDirectory.executable("libClockJump.so"), "MINERVA_CLOCK_OFFSET": offset.path,
    ]
    // The jumps are real for whoever asks for the time.
    try offset.set(400 * 366 * 86_400)
    #expect(try #require(Int(try year(variables))) > 2_400)
    try offset.set(0)

    let set = try ProcessSet(environment: variables)
    defer { set.end() }
    try set.startAll(app: "shop", hosts: 1, workers: 1)
    let client = try await set.client()
    #expect(await set.wait { ((try? await client.modules().isEmpty) ?? true) == false })
    let before = try await client.status()
    for (number, jump) in [86_400, -86_400, 10, -10, 3_600, 0].enumerated() {
      try offset.set(Int64(jump))
      let opened = try await client.request(.open(.init(ModuleAddress(name: "Settings"))), within: .seconds(5))
      #expect(opened.outcome.presented.count == 1, "jump \(number)")
      #expect(await set.wait { (try? await client.snapshot().settled) == true }, "jump \(number)")
      // A deadline that nobody's answer ends is as long as it was asked to be, whatever the caller's wall clock says meanwhile.
      set.signal("shop-1", SIGSTOP)
      let started = ContinuousClock.now
      try set.startCommand("caller-\(number)", "minerva", ["open", "Settings", "--timeout", "800ms", "--runtime", set.directory])
      #expect(await set.wait { (try? await client.snapshot().settled) == false }, "jump \(number): nothing is under way")
      try offset.set(Int64(jump) + (number.isMultiple(of: 2) ? 7_200 : -7_200))
      #expect(set.exit(of: "caller-\(number)") == 4, "jump \(number): \(set.log(of: "caller-\(number)"))")
      #expect(ContinuousClock.now - started >= .milliseconds(800), "jump \(number)")
      #expect(set.log(of: "caller-\(number)").contains("error link.timeout: "), "jump \(number): \(set.log(of: "caller-\(number)"))")
      set.signal("shop-1", SIGCONT)
      #expect(await set.wait { (try? await client.snapshot().settled) == true }, "jump \(number)")
    }
    let after = try await client.status()
    #expect(after.epoch == before.epoch)
    // Whoever had joined is still there; a worker may have come meanwhile.
    #expect(Set(before.peers.map(\.pid)).isSubset(of: after.peers.map(\.pid)))
    #expect(try await client.coordinators().allSatisfy { !$0.isSuspended })

    // A broker goes, and the clock falls back a day while everybody waits to dial again: they wait as long as they meant to.
    set.kill("broker")
    try offset.set(-86_400)
    try set.start("broker", "minerva-broker")
    let pids = Set(["shop-1", "diff-1"].compactMap { set.pid(of: $0) })
    #expect(await set.wait { pids.isSubset(of: Set((try? await client.status().peers.map(\.pid)) ?? [])) })
    let opened = try await client.request(.open(.init(ModuleAddress(name: "Settings"))), within: .seconds(5))
    #expect(opened.outcome.presented.count == 1)
    await client.close()
  }
}
