import MinervaJournal
@testable import MinervaSimulation
import MinervaWire
import Testing

/// The journal over the disk that forgets, below the real broker.
@Suite("The simulated journal") struct SimulatedJournalTests {
  @Test("P3: a torn tail is cut at the last whole group, and each opening has a larger epoch")
  func tornTail() throws {
    var random = SplitMix64(seed: 7)
    var lost = 0
    for _ in 0..<100 {
      let disk = SimulatedDisk()
      var journal = SimulatedJournal(disk: disk)
      try journal.append([JournalEntry(scene: "a", sequence: 1, record: [1])])
      try journal.completeSync(journal.beginSync())
      try journal.append([JournalEntry(scene: "a", sequence: 2, record: [2]), JournalEntry(scene: "b", sequence: 1, record: [3])])
      journal.append(JournalSnapshot(scene: "a", sequence: 2, bytes: [9]))
      disk.crash(using: &random)
      let epoch = journal.epoch
      journal = SimulatedJournal(disk: disk)
      #expect(journal.epoch == epoch + 1)
      let scenes = journal.load()
      #expect(scenes.first?.scene == "a")
      // A group is whole or absent: both scenes have their part of it, or neither.
      #expect((journal.records["a"]?.count == 2) == (journal.records["b"]?.count == 1))
      if journal.records["b"] == nil { lost += 1 }
      #expect(journal.durable["a"] == UInt64(journal.records["a"]?.count ?? 0))
    }
    #expect(lost > 10 && lost < 100)
  }

  @Test("N16: a group that leaves a gap is refused")
  func gaps() {
    let journal = SimulatedJournal(disk: SimulatedDisk())
    #expect(throws: SimulatedJournal.Refused.self) { try journal.append([JournalEntry(scene: "a", sequence: 2, record: [])]) }
  }

  @Test("P1: what a failed sync threw away is given up when the journal is opened anew")
  func failedSync() throws {
    let disk = SimulatedDisk()
    let journal = SimulatedJournal(disk: disk)
    try journal.append([JournalEntry(scene: "a", sequence: 1, record: [1])])
    disk.failingSyncs = 1
    let covered = journal.beginSync()
    #expect(throws: SimulatedDisk.SyncFailed.self) { try journal.completeSync(covered) }
    let epoch = journal.epoch
    #expect(journal.reopen() == epoch + 1)
    #expect(journal.load().isEmpty)
  }
}
