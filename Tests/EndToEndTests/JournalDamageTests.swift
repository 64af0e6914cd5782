import Minerva
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaTesting
import MinervaWire
import TestSupport
import Testing

/// Real brokers whose journals hold what they should not (P3).
@Suite("Real processes and a damaged journal", .serialized, .oneAtATime, .timeLimit(.minutes(3)))
struct JournalDamageTests {
  private static let names = ["first", "second", "third"]

  /// Opens a screen without a host: what the tree shows then hangs on the journal alone.
  private static func plain(via: Presentation) -> Command.Action {
    .open(Command.Opening(ModuleAddress(name: "Settings"), via: via, unhosted: true))
  }

  /// Starts a broker and a host, and opens a screen in three scenes.
  private func filled(_ set: ProcessSet) async throws -> [String: SceneTree] {
    try set.startAll(app: "shop", hosts: 1, workers: 1)
    let client = try await set.client()
    #expect(await set.wait { ((try? await client.modules().isEmpty) ?? true) == false })
    var trees: [String: SceneTree] = [:]
    for name in Self.names {
      let person = Person(client: client, scene: SceneAddress(name: name, app: "shop"))
      _ = try await person.waits(for: "Home", set: set)
      try await person.does(Self.plain(via: .root))
      trees[name] = try await client.snapshot(of: person.scene).tree
    }
    await client.close()
    #expect(set.stop("broker") == 0)
    return trees
  }

  private func journal(_ set: ProcessSet) async throws -> SQLiteJournal { try await SQLiteJournal.open(set.directory + "/journal.sqlite") }

  private func stack(_ tree: SceneTree?) -> [String] { tree?.layers.first?.stack.map(\.module) ?? [] }

  @Test("Processes: a record and a snapshot that make no sense cost their own scenes what rests on them, and no other; it is reported (P3)")
  func senselessParts() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let before = try await filled(set)
    let journal = try await journal(set)
    let heads = Dictionary(uniqueKeysWithValues: try await journal.scenes().map { ($0.scene, $0.sequence) })
    let first = try #require(heads["shop/first#1"])
    let second = try #require(heads["shop/second#1"])
    let garbage: [UInt8] = [0xDE, 0xAD]
    try await journal.append(
      [
        JournalEntry(scene: "shop/first#1", sequence: first + 1, record: garbage),
        JournalEntry(scene: "shop/first#1", sequence: first + 2, record: garbage),
      ], epoch: journal.epoch)
    try await journal.writeSnapshot(JournalSnapshot(scene: "shop/second#1", sequence: second, bytes: garbage), epoch: journal.epoch)
    // Nothing but nonsense: there is no state to go on from.
    try await journal.append([JournalEntry(scene: "shop/fourth#1", sequence: 1, record: garbage)], epoch: journal.epoch)
    await journal.close()

    try set.start("broker", "minerva-broker")
    let client = try await set.client()
    for name in Self.names {
      #expect(try await client.snapshot(of: SceneAddress(name: name, app: "shop")).tree == before[name], "\(name)")
    }
    let troubles = try await client.status().troubles
    #expect(troubles.count == 3, "\(troubles)")
    #expect(
      troubles.contains {
        $0.hasPrefix("scene shop/first#1: record \(first + 1)") && $0.contains("goes on after record \(first), 2 records")
      })
    #expect(troubles.contains { $0.hasPrefix("scene shop/second#1: the snapshot at record \(second)") && $0.contains("1 snapshots") })
    #expect(troubles.contains { $0.hasPrefix("scene shop/fourth#1") && $0.contains("it begins anew") })
    for trouble in troubles { #expect(set.log(of: "broker").contains("journal: \(trouble)")) }
    // All of them take requests again, the one that begins anew too.
    #expect(await set.wait { ((try? await client.modules().isEmpty) ?? true) == false })
    for name in Self.names + ["fourth"] {
      let person = Person(client: client, scene: SceneAddress(name: name, app: "shop"))
      #expect(try await person.does(Self.plain(via: .modal(.sheet))).presented.count == 1)
    }
    await client.close()
    #expect(set.stop("broker") == 0)
    #expect(try SQLiteJournal.verify(set.directory + "/journal.sqlite").problems == [])
    #expect(try SQLiteJournal.statistics(of: set.directory + "/journal.sqlite").aside == 4)

    // What was set aside does not come back.
    try set.start("broker", "minerva-broker")
    let again = try await set.client()
    #expect(try await again.status().troubles == [])
    #expect(stack(try await again.snapshot(of: SceneAddress(name: "first", app: "shop")).tree) == stack(before["first"]))
    await again.close()
  }

  @Test("Processes: pages of the journal overwritten in its middle: the broker starts, keeps the file aside, and serves what is whole (P3)")
  func overwrittenPages() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let before = try await filled(set)
    let path = set.directory + "/journal.sqlite"
    let bytes = RuntimeFiles.bytes(path)
    // The scenes' last records may be alike: whichever is met, it is one scene's.
    let journal = try await journal(set)
    let last = try #require(try await journal.load("shop/third#1")?.records.last?.record)
    await journal.close()
    let place = try #require(bytes.indices.last { bytes[$0...].starts(with: last) })
    RuntimeFiles.overwrite(path, at: place, with: [UInt8](repeating: 0x5A, count: 4))

    try set.start("broker", "minerva-broker")
    let client = try await set.client()
    // Where the scene is met only when it is read, the journal is salvaged while the broker serves.
    try await until("the journal is salvaged") { try await client.status().troubles.contains { $0.contains("left out") } }
    try await until("it takes records") { try await !client.status().troubles.contains { $0.hasPrefix("takes no records") } }
    let troubles = try await client.status().troubles
    let cut = Self.names.filter { name in troubles.contains { $0.contains("1 left out (shop/\(name)#1)") } }
    #expect(troubles.count == 1 && cut.count == 1, "\(troubles)")
    for name in Self.names {
      let tree = try await client.snapshot(of: SceneAddress(name: name, app: "shop")).tree
      if !cut.contains(name) { #expect(tree == before[name], "\(name)") }
    }
    #expect(RuntimeFiles.names(in: set.directory).contains("journal.sqlite.damaged-1"))
    await client.close()
  }
}
