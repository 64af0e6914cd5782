import MinervaJournal
import MinervaWire
import Testing

/// The rules of `Journal`, kept by the one in memory and the one on disk alike.
@Suite("Journal rules") struct JournalRulesTests {
  enum Kind: CaseIterable { case memory, sqlite }

  private func with(_ kind: Kind, _ body: (JournalRules) async throws -> Void) async throws {
    switch kind {
    case .memory:
      let journal = MemoryJournal()
      try await body(JournalRules(journal: journal, epoch: journal.epoch))
    case .sqlite:
      let scratch = try ScratchDirectory()
      let journal = try await SQLiteJournal.open(scratch.file)
      try await body(JournalRules(journal: journal, epoch: journal.epoch))
      await journal.close()
    }
  }

  @Test("A scene is read back as appended", arguments: Kind.allCases)
  func appendsAndLoads(_ kind: Kind) async throws { try await with(kind) { try await $0.appendsAndLoads() } }

  @Test("A group with a gap is refused whole", arguments: Kind.allCases)
  func refusesGaps(_ kind: Kind) async throws { try await with(kind) { try await $0.refusesGapsWhole() } }

  @Test("A write under an old epoch is refused", arguments: Kind.allCases)
  func refusesStaleEpochs(_ kind: Kind) async throws { try await with(kind) { try await $0.refusesStaleEpochs() } }

  @Test("D2: the past is the snapshot before and the records up to it", arguments: Kind.allCases)
  func snapshots(_ kind: Kind) async throws { try await with(kind) { try await $0.snapshots() } }

  @Test("P2: what is noted of a scene at rest counts while its record is the last", arguments: Kind.allCases)
  func rests(_ kind: Kind) async throws { try await with(kind) { try await $0.restsCountForTheLastRecord() } }

  @Test("Empty groups, names and records are as good as others", arguments: Kind.allCases)
  func empty(_ kind: Kind) async throws { try await with(kind) { try await $0.emptyRecordsAndGroups() } }

  @Test("A closed journal refuses and never keeps anyone waiting", arguments: Kind.allCases)
  func closes(_ kind: Kind) async throws { try await with(kind) { try await $0.closes() } }

  @Test("P1: a journal that refuses takes nothing until reopened")
  func memoryRefuses() async throws {
    let journal = MemoryJournal()
    try await journal.append(JournalRules.entries("a", 1...1), epoch: 1)
    journal.refuse()
    #expect(await JournalRules.code { () async throws(MinervaError) in try await journal.load("a") } == .journalUnavailable)
    let epoch = try await journal.reopen()
    #expect(try await journal.load("a")?.sequence == 1)
    try await journal.append(JournalRules.entries("a", 2...2), epoch: epoch)
  }

  @Test("Local ownership is of every scene, under the journal's epoch")
  func ownership() async throws {
    let journal = MemoryJournal()
    let ownership = LocalOwnership { journal.epoch }
    #expect(try await ownership.claim("a") == .ours(epoch: 1))
    _ = try await journal.reopen()
    #expect(try await ownership.claim("a") == .ours(epoch: 2))
  }
}
