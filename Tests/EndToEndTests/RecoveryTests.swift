import Glibc
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Testing

/// Real processes, killed in the middle of what people do (architecture, section 4).
@Suite("Real processes that die", .serialized, .oneAtATime)
struct RecoveryTests {
  private func signedOut(_ set: ProcessSet) async throws -> (Person, ScreenID) {
    try set.startAll(app: "workouts", hosts: 1, workers: 1)
    let person = Person(client: try await set.client())
    #expect(await set.wait { ((try? await person.client.modules().isEmpty) ?? true) == false })
    // The seeded session is the administrator's: out they go.
    _ = try await person.waits(for: "User", set: set)
    try await person.does(.selectTab(name: "Settings", of: nil, reset: false))
    let settings = try await person.waits(for: "Settings", set: set)
    try await person.taps("logout", on: settings)
    return (person, try await person.waits(for: "Welcome", set: set))
  }

  @Test("Processes: a host dies holding a half-filled form, and another life of it goes on with it (K3)")
  func hostDies() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (person, welcome) = try await signedOut(set)
    try await person.taps("login", on: welcome)
    let form = try await person.waits(for: "SignIn", set: set)
    try await person.enters("a@a.com", into: "email", on: form)
    let before = try await person.client.snapshot(of: person.scene)
    set.kill("workouts-1")
    #expect(try await set.wait { try await person.client.coordinators().contains { $0.isSuspended } })
    try set.start("workouts-1", "minerva-host", ["--app", "workouts"])
    #expect(try await set.wait { try await !person.client.coordinators().contains { $0.isSuspended } })
    #expect(try await set.wait { try await person.field("email", on: form) == "a@a.com" })
    let after = try await person.client.snapshot(of: person.scene)
    #expect(after.tree.layers.map { $0.stack.map(\.id) } == before.tree.layers.map { $0.stack.map(\.id) })
    try await person.enters("a", into: "password", on: form)
    try await person.taps("submit", on: form)
    _ = try await person.waits(for: "User", set: set)
    await person.client.close()
  }

  @Test("Processes: the broker dies, callers and hosts come back, and answered requests stay answered (N2, P1)")
  func brokerDies() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (person, welcome) = try await signedOut(set)
    try await person.taps("login", on: welcome)
    _ = try await person.waits(for: "SignIn", set: set)
    let answered = try await person.client.request(.backRoot(in: nil), txn: "back-once", within: .seconds(8))
    let before = try await person.client.snapshot(of: person.scene)
    set.kill("broker")
    // Asked while nobody is there: the session keeps it and sends it when the broker is back.
    async let again = person.client.request(.backRoot(in: nil), txn: "back-once", within: .seconds(8))
    try set.start("broker", "minerva-broker")
    let repeated = try await again
    #expect(repeated.outcome == answered.outcome)
    #expect(repeated.epoch == answered.epoch + 1)
    let after = try await person.client.snapshot(of: person.scene)
    #expect(after.tree == before.tree)
    #expect(await set.wait { (try? await person.rendering(welcome).title) == "Welcome" })
    try await person.taps("create", on: welcome)
    _ = try await person.waits(for: "SignIn", set: set)
    await person.client.close()
  }

  @Test("Processes: a stopped host is suspended within a few heartbeats, and goes on when it is continued (C07)")
  func hostSleeps() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (person, _) = try await signedOut(set)
    set.signal("workouts-1", SIGSTOP)
    #expect(try await set.wait { try await person.client.coordinators().contains { $0.isSuspended } })
    set.signal("workouts-1", SIGCONT)
    #expect(try await set.wait { try await !person.client.coordinators().contains { $0.isSuspended } })
    await person.client.close()
  }

  @Test("Processes: a host that sleeps past its lease leaves a placeholder at the root, and opens new screens when it wakes (K3, N15, C07)")
  func hostSleepsPastItsLease() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(app: "shop", hosts: 1, workers: 1)
    let person = Person(client: try await set.client())
    #expect(await set.wait { ((try? await person.client.modules().isEmpty) ?? true) == false })
    let home = try await person.waits(for: "Home", set: set)
    let above = try await person.opens("Settings", input: #"{"section":"privacy"}"#)
    set.signal("shop-1", SIGSTOP)
    var stack: [SceneTree.Screen] = []
    let isOver = await set.wait(atMost: .seconds(15)) {
      stack = (try? await person.client.snapshot(of: person.scene).tree.layers.first?.stack) ?? []
      return stack.count == 1 && stack[0].id != home
    }
    #expect(isOver && stack[0].host == "", "\(stack)")
    // Nobody is there, and that is an answer.
    for screen in [home, above] { #expect(await refusal { try await person.taps("look", on: screen) } == "nav.stale_ref") }
    #expect(await refusal { _ = try await person.opens("Settings", input: #"{"section":"privacy"}"#) } != nil)
    set.signal("shop-1", SIGCONT)
    var opened: ScreenID?
    let opens = await set.wait(atMost: .seconds(15)) {
      opened = try? await person.opens("Settings", input: #"{"section":"privacy"}"#)
      return opened != nil
    }
    #expect(opens, "\(set.log(of: "shop-1").suffix(1_000))")
    let report = try await person.client.coordinators().first { $0.summary.screen == opened }
    #expect(report?.summary.host == "shop-1" && report?.isSuspended == false)
    try await person.does(.open(Command.Opening(ModuleAddress(name: "Home"), input: Array("{}".utf8), via: .root)))
    #expect(await set.wait { (try? await person.client.leaks(in: nil).isEmpty) ?? false }, "what it ran before is ended")
    await person.client.close()
  }

  @Test("Processes: a coordinator asks one in another host without the broker, which is stopped and killed meanwhile (K7)")
  func asksHostToHost() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    for name in ["ledgers-1", "ledgers-2"] { try set.start(name, "ledger-host") }
    let person = Person(client: try await set.client())
    /// Connected is not enough: a host says what it offers once it is.
    func areOffering(_ count: Int) async -> Bool {
      (try? await person.client.modules())?.contains { $0.hosts.count == count } ?? false
    }
    #expect(await set.wait { await areOffering(2) })
    func opens(_ module: String, on host: String, _ input: String) async throws -> ScreenID {
      let opening = Command.Opening(ModuleAddress(name: module, host: host), input: Array(input.utf8))
      return try #require(try await person.does(.open(opening)).presented.last?.screen)
    }
    let ledger = try await opens("Ledger", on: "ledgers-1", #"{"add":7}"#)
    let asker = try await opens("Asker", on: "ledgers-2", #"{"of":\#(ledger.number)}"#)
    try await person.taps("ask", on: asker)

    /// How long each question took that was asked so far, in milliseconds, and how it ended.
    func questions() -> [(took: Double, end: Substring)] {
      set.log(of: "ledgers-2").split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ", maxSplits: 2)
        return words.count == 3 && words[0] == "asked" ? Double(words[1]).map { ($0, words[2]) } : nil
      }
    }
    /// Waits for so many more questions, and returns those that were not answered, or not straight away.
    func failures(ofNext count: Int) async -> [String] {
      let before = questions().count
      guard await set.wait(atMost: .seconds(20), until: { questions().count >= before + count }) else { return ["no more questions"] }
      return questions().dropFirst(before).filter { $0.end != "sum=7" || $0.took > 500 }.map { "\($0)" }
    }
    #expect(await set.wait { questions().last?.end == "sum=7" }, "\(set.log(of: "ledgers-2"))")
    set.signal("broker", SIGSTOP)
    // More than its links outlive.
    #expect(await failures(ofNext: 120) == [])
    set.kill("broker")
    #expect(await failures(ofNext: 50) == [])
    // What was known of a host that died is asked anew.
    try set.start("broker", "minerva-broker")
    #expect(await set.wait { await areOffering(2) })
    set.kill("ledgers-1")
    #expect(await set.wait { questions().last?.end != "sum=7" })
    try set.start("ledgers-1", "ledger-host")
    #expect(await set.wait(atMost: .seconds(20)) { questions().last?.end == "sum=7" }, "\(questions().suffix(3))")
    await person.client.close()
  }

  /// The code of the refusal; nothing when there was none.
  private func refusal(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? MinervaError)?.code.rawValue ?? "\(error)"
    }
  }

  @Test("Processes: SIGTERM ends each service within two seconds with status 0 and leaves no socket behind")
  func servicesEndCleanly() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let (person, _) = try await signedOut(set)
    await person.client.close()
    for name in ["workouts-1", "store-1", "diff-1", "broker"] { #expect(set.stop(name, within: .seconds(2)) == 0, "\(name)") }
    let left = RuntimeFiles.names(in: set.directory).filter { $0.hasSuffix(".sock") || $0.hasSuffix(".lock") }
    #expect(left == [])
  }
}
