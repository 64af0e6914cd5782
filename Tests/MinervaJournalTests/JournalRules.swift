import MinervaJournal
import MinervaWire
import Testing

/// The rules that every journal keeps, run against any implementation.
struct JournalRules {
  let journal: any Journal
  let epoch: UInt64

  static func entries(_ scene: String, _ range: ClosedRange<UInt64>) -> [JournalEntry] {
    range.map { JournalEntry(scene: scene, sequence: $0, record: Array("\(scene)#\($0)".utf8)) }
  }

  /// Runs a call and returns the code it was refused with.
  static func code<Value>(_ call: () async throws(MinervaError) -> Value) async -> MinervaError.Code? {
    do throws(MinervaError) { _ = try await call() } catch { return error.code }
    return nil
  }

  func appendsAndLoads() async throws {
    try await journal.append(Self.entries("a", 1...3) + Self.entries("b", 1...1), epoch: epoch)
    try await journal.append(Self.entries("a", 4...4), epoch: epoch)
    let a = try await journal.load("a")
    #expect(a == JournaledScene(scene: "a", snapshot: nil, records: Self.entries("a", 1...4)))
    #expect(a?.sequence == 4)
    #expect(try await journal.load("nowhere") == nil)
    let heads = try await journal.scenes()
    #expect(heads.map(\.scene) == ["a", "b"])
    #expect(heads.map(\.sequence) == [4, 1])
  }

  func refusesGapsWhole() async throws {
    try await journal.append(Self.entries("a", 1...2), epoch: epoch)
    // The second scene's gap refuses the first scene's good record too: a group is whole or absent.
    let bad = Self.entries("a", 3...3) + Self.entries("c", 2...2)
    #expect(await Self.code { () async throws(MinervaError) in try await journal.append(bad, epoch: epoch) } == .journalSequence)
    let again = Self.entries("a", 2...2)
    #expect(await Self.code { () async throws(MinervaError) in try await journal.append(again, epoch: epoch) } == .journalSequence)
    #expect(try await journal.load("a")?.sequence == 2)
    #expect(try await journal.load("c") == nil)
    try await journal.append(Self.entries("a", 3...3), epoch: epoch)
  }

  func refusesStaleEpochs() async throws {
    let old = Self.entries("a", 1...1)
    let code = await Self.code { () async throws(MinervaError) in try await journal.append(old, epoch: epoch - 1) }
    #expect(code == .staleEpoch)
    let next = try await journal.reopen()
    #expect(next > epoch)
    #expect(await Self.code { () async throws(MinervaError) in try await journal.append(old, epoch: epoch) } == .staleEpoch)
    try await journal.append(old, epoch: next)
  }

  func snapshots() async throws {
    try await journal.append(Self.entries("a", 1...10), epoch: epoch)
    try await journal.writeSnapshot(JournalSnapshot(scene: "a", sequence: 4, bytes: [4]), epoch: epoch)
    try await journal.writeSnapshot(JournalSnapshot(scene: "a", sequence: 8, bytes: [8]), epoch: epoch)
    let early = JournalSnapshot(scene: "a", sequence: 11, bytes: [])
    #expect(await Self.code { () async throws(MinervaError) in try await journal.writeSnapshot(early, epoch: epoch) } == .journalSequence)

    let latest = try #require(try await journal.load("a"))
    #expect(latest.snapshot?.bytes == [8])
    #expect(latest.records == Self.entries("a", 9...10))
    // The past (D2): the snapshot before, and the records up to the moment.
    let past = try #require(try await journal.load("a", upTo: 6))
    #expect(past.snapshot?.bytes == [4])
    #expect(past.records == Self.entries("a", 5...6))
    let first = try #require(try await journal.load("a", upTo: 3))
    #expect(first.snapshot == nil)
    #expect(first.records == Self.entries("a", 1...3))
    #expect(try await journal.load("a", upTo: 8)?.records == [])
    // The records themselves, whatever snapshots there are (D1).
    #expect(try await journal.records(of: "a", after: 2, upTo: 7) == Self.entries("a", 3...7))
    #expect(try await journal.records(of: "a", after: 0, upTo: .max) == Self.entries("a", 1...10))
    #expect(try await journal.records(of: "a", after: 7, upTo: 9) == Self.entries("a", 8...9))
    #expect(try await journal.records(of: "a", after: 10, upTo: 12) == [])
    #expect(try await journal.records(of: "nowhere", after: 0, upTo: 12) == [])
    #expect(try await journal.scenes().first?.snapshotSequence == 8)
  }

  func restsCountForTheLastRecord() async throws {
    try await journal.append(Self.entries("a", 1...3) + Self.entries("b", 1...1), epoch: epoch)
    #expect(try await journal.scenes().map(\.rest) == [nil, nil])
    try await journal.noteRest(JournalRest(scene: "a", sequence: 3, note: [1, 2]), epoch: epoch)
    #expect(try await journal.scenes().map(\.rest) == [[1, 2], nil])
    try await journal.append(Self.entries("a", 4...4), epoch: epoch)
    #expect(try await journal.scenes().map(\.rest) == [nil, nil], "it has gone on")
    try await journal.noteRest(JournalRest(scene: "a", sequence: 3, note: [3]), epoch: epoch)
    #expect(try await journal.scenes().map(\.rest) == [nil, nil], "a note that comes late is of the past")
    try await journal.noteRest(JournalRest(scene: "a", sequence: 4, note: []), epoch: epoch)
    #expect(try await journal.scenes().map(\.rest) == [[], nil])
    let early = JournalRest(scene: "a", sequence: 5, note: [])
    #expect(await Self.code { () async throws(MinervaError) in try await journal.noteRest(early, epoch: epoch) } == .journalSequence)
    let unknown = JournalRest(scene: "c", sequence: 1, note: [])
    #expect(await Self.code { () async throws(MinervaError) in try await journal.noteRest(unknown, epoch: epoch) } == .journalSequence)
    // What is set aside and written anew has the same number and another state.
    _ = try await journal.setAside(.records(after: 3), of: "a", reason: "a test", epoch: epoch)
    try await journal.append(Self.entries("a", 4...4), epoch: epoch)
    #expect(try await journal.scenes().map(\.rest) == [nil, nil])
  }

  func emptyRecordsAndGroups() async throws {
    try await journal.append([], epoch: epoch)
    try await journal.append([JournalEntry(scene: "", sequence: 1, record: [])], epoch: epoch)
    #expect(try await journal.load("")?.records == [JournalEntry(scene: "", sequence: 1, record: [])])
  }

  func closes() async throws {
    await journal.close()
    await journal.close()
    let entries = Self.entries("a", 1...1)
    #expect(await Self.code { () async throws(MinervaError) in try await journal.append(entries, epoch: epoch) } == .journalClosed)
    #expect(await Self.code { () async throws(MinervaError) in try await journal.load("a") } == .journalClosed)
    #expect(await Self.code { () async throws(MinervaError) in try await journal.reopen() } == .journalClosed)
  }
}
