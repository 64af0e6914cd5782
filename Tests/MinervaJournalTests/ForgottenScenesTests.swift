import MinervaJournal
import MinervaWire
import Synchronization
import Testing

/// What is left of scenes that are over goes with the last of their records (P3).
@Suite("P3: scenes that are over") struct ForgottenScenesTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func rows(_ table: String) -> Int { scratch.count(table) }

  /// Begins scenes and ends some of them.
  private func end(_ scenes: [(name: String, number: UInt64)], in journal: SQLiteJournal) async throws {
    for (name, number) in scenes {
      try await journal.append(JournalRules.entries(name, 1...3), epoch: journal.epoch)
      try await journal.writeSnapshot(
        JournalSnapshot(scene: name, sequence: 3, bytes: [UInt8](repeating: 9, count: 500)), epoch: journal.epoch)
      try await journal.noteRest(JournalRest(scene: name, sequence: 3, note: [1], over: number), epoch: journal.epoch)
    }
  }

  @Test("Nothing is kept of one whose records are gone, but that its number was given; open ones stay", arguments: [false, true])
  func forgets(restarted: Bool) async throws {
    let clock = Mutex<Int64>(1_000_000)
    let settings = SQLiteJournal.Settings(retention: .init(age: .seconds(60)), wallClock: { clock.withLock { $0 } })
    var journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    try await journal.append(JournalRules.entries("open", 1...3), epoch: journal.epoch)
    try await journal.noteRest(JournalRest(scene: "open", sequence: 3, note: [1]), epoch: journal.epoch)
    let over = (1...700).map { ("over\($0)", UInt64($0 % 50 + 1)) }
    try await end(over, in: journal)
    #expect(try await journal.scenes().filter(\.isOver).count == 700)
    clock.withLock { $0 += 30_000 }
    try await end([("young", 900)], in: journal)
    if restarted {
      await journal.close()
      journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    }
    #expect(try await journal.scenes().count == 702, "nothing goes before its time")
    #expect(journal.forgotten == 0)

    clock.withLock { $0 += 31_000 }
    if restarted {
      await journal.close()
      journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    }
    // The look comes with the next records, and a call behind it sees what it did.
    try await journal.append(JournalRules.entries("busy", 1...5_000), epoch: journal.epoch)
    // Nobody waits for all of them: one batch goes between two calls.
    #expect(try await journal.scenes().count == 3 + 700 - 512)
    _ = try await journal.load("busy")
    #expect(try await journal.scenes().map(\.scene) == ["busy", "open", "young"])
    #expect(journal.forgotten == 50)
    #expect(try await journal.load("over7") == nil)
    #expect(try await journal.load("open")?.records.count == 3)
    await journal.close()
    #expect(try SQLiteJournal.verify(scratch.file).isWhole)
    #expect(rows("scene") == 3 && rows("head") == 3 && rows("rest") == 2 && rows("snapshot") == 1 && rows("ended") == 1)

    journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    #expect(journal.opening.damage == nil)
    #expect(journal.forgotten == 50)
    // Numbers of scenes in the file go on: nothing of the old ones can be taken for a new one's.
    try await journal.append(JournalRules.entries("over7", 1...1), epoch: journal.epoch)
    #expect(try await journal.load("over7")?.records.count == 1)
    await journal.close()
    #expect(try SQLiteJournal.verify(scratch.file).isWhole)
  }

  @Test("A note that is false, or that records have followed, ends nothing", arguments: ["number = 77", "sequence = 2", "scene = 1"])
  func falseNotes(change: String) async throws {
    let clock = Mutex<Int64>(1_000_000)
    let settings = SQLiteJournal.Settings(retention: .init(age: .seconds(60)), wallClock: { clock.withLock { $0 } })
    var journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    try await journal.append(JournalRules.entries("other", 1...3), epoch: journal.epoch)
    try await journal.writeSnapshot(JournalSnapshot(scene: "other", sequence: 3, bytes: [9]), epoch: journal.epoch)
    try await end([("over", 5)], in: journal)
    try await end([("went on", 6)], in: journal)
    try await journal.append(JournalRules.entries("went on", 4...4), epoch: journal.epoch)
    await journal.close()
    scratch.run("UPDATE ended SET \(change) WHERE place = 1")
    #expect(try SQLiteJournal.verify(scratch.file).problems.count == 1)
    clock.withLock { $0 += 61_000 }
    journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    try await journal.append(JournalRules.entries("busy", 1...5_000), epoch: journal.epoch)
    _ = try await journal.load("busy")
    #expect(try await journal.scenes().map(\.scene) == ["busy", "other", "over", "went on"])
    #expect(journal.forgotten == 0)
    // It can be said again.
    try await journal.noteRest(JournalRest(scene: "over", sequence: 3, note: [1], over: 5), epoch: journal.epoch)
    #expect(try await journal.scenes().map(\.isOver) == [false, false, true, false])
    await journal.close()
    #expect(try SQLiteJournal.verify(scratch.file).isWhole)
  }

  @Test("A damaged file keeps the number that is not to be given again")
  func salvaged() async throws {
    let clock = Mutex<Int64>(1_000_000)
    let settings = SQLiteJournal.Settings(retention: .init(age: .seconds(60)), wallClock: { clock.withLock { $0 } })
    var journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    try await end([("over", 8)], in: journal)
    clock.withLock { $0 += 61_000 }
    try await journal.append(JournalRules.entries("busy", 1...5_000), epoch: journal.epoch)
    _ = try await journal.load("busy")
    #expect(journal.forgotten == 8)
    await journal.close()
    scratch.run("UPDATE record SET body = x'00' WHERE row = (SELECT max(row) FROM record)")
    journal = try await SQLiteJournal.open(
      scratch.file, settings: .init(retention: .init(age: .seconds(60)), check: .whole, wallClock: { clock.withLock { $0 } }))
    #expect(journal.opening.damage != nil)
    #expect(journal.forgotten == 8)
    await journal.close()
  }
}
