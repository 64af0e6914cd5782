import Glibc
import MinervaJournal
import MinervaWire
import Synchronization
import Testing

@Suite("SQLite journal") struct SQLiteJournalTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  @Test("P2: what was appended is there after a restart, and each opening has a larger epoch")
  func survivesRestart() async throws {
    var epochs: [UInt64] = []
    for round: UInt64 in 0..<3 {
      let journal = try await SQLiteJournal.open(scratch.file)
      epochs.append(journal.epoch)
      #expect(journal.opening.records == Int(round) * 2)
      #expect(journal.opening.damage == nil)
      try await journal.append(JournalRules.entries("a", (round * 2 + 1)...(round * 2 + 2)), epoch: journal.epoch)
      await journal.close()
    }
    #expect(epochs == [1, 2, 3])
    #expect(scratch.names == ["journal.db"], "nothing but the file is left after a clean end")
  }

  @Test("P1: at a crash every answered group is in the files, without a close")
  func answeredIsDurable() async throws {
    let journal = try await SQLiteJournal.open(scratch.file)
    try await journal.append(JournalRules.entries("a", 1...100), epoch: journal.epoch)
    try await journal.writeSnapshot(JournalSnapshot(scene: "a", sequence: 90, bytes: [9]), epoch: journal.epoch)
    scratch.copy("journal.db", to: "crash.db")
    scratch.copy("journal.db-wal", to: "crash.db-wal")
    await journal.close()
    let after = try await SQLiteJournal.open("\(scratch.path)/crash.db")
    let scene = try #require(try await after.load("a"))
    #expect(scene.snapshot?.sequence == 90)
    #expect(scene.records == JournalRules.entries("a", 91...100))
    await after.close()
  }

  @Test("A second opening is refused with the holder's process id while the first works on")
  func secondIsLockedOut() async throws {
    let first = try await SQLiteJournal.open(scratch.file)
    do throws(MinervaError) {
      _ = try await SQLiteJournal.open(scratch.file)
      Issue.record("opened twice")
    } catch {
      #expect(error.code == .journalLocked)
      #expect(error.message.contains("process \(getpid())"))
    }
    try await first.append(JournalRules.entries("a", 1...1), epoch: first.epoch)
    await first.close()
    let second = try await SQLiteJournal.open(scratch.file)
    await second.close()
  }

  @Test("P1: completions come in the order of the calls, whatever groups the commits make")
  func completionOrder() async throws {
    let journal = try await SQLiteJournal.open(scratch.file)
    let order = Mutex<[UInt64]>([])
    let epoch = journal.epoch
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      for sequence: UInt64 in 1...500 {
        journal.append(JournalRules.entries("a", sequence...sequence), epoch: epoch) { result in
          if case .success = result { order.withLock { $0.append(sequence) } }
          if sequence == 500 { done.resume() }
        }
      }
    }
    #expect(order.withLock { $0 } == Array(1...500))
    // Gaps in the middle of a commit refuse themselves alone.
    let bad = JournalRules.entries("a", 600...600)
    async let refused = JournalRules.code { () async throws(MinervaError) in try await journal.append(bad, epoch: epoch) }
    try await journal.append(JournalRules.entries("a", 501...501), epoch: epoch)
    #expect(await refused == .journalSequence)
    await journal.close()
  }

  @Test("P1: a failed commit answers unavailable to its group and to all after it, until reopened")
  func failedCommit() async throws {
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(maximumBytes: 256 * 1024))
    let epoch = journal.epoch
    try await journal.append(JournalRules.entries("a", 1...10), epoch: epoch)
    let large = [JournalEntry(scene: "a", sequence: 11, record: [UInt8](repeating: 7, count: 1 << 20))]
    #expect(
      await JournalRules.code { () async throws(MinervaError) in try await journal.append(large, epoch: epoch) } == .journalUnavailable)
    let small = JournalRules.entries("a", 11...11)
    #expect(
      await JournalRules.code { () async throws(MinervaError) in try await journal.append(small, epoch: epoch) } == .journalUnavailable)
    #expect(await JournalRules.code { () async throws(MinervaError) in try await journal.load("a") } == .journalUnavailable)
    #expect(await JournalRules.code { () async throws(MinervaError) in try await journal.scenes() } == .journalUnavailable)

    let next = try await journal.reopen()
    #expect(try await journal.load("a")?.records == JournalRules.entries("a", 1...10), "nothing of the failed group is invented")
    try await journal.append(small, epoch: next)
    await journal.close()
  }

  @Test("P3: a newer format is refused and the file left as it is")
  func newerFormat() async throws {
    try await scratch.fill(["a"], upTo: 3)
    scratch.run("UPDATE meta SET value = 99 WHERE key = 'format'")
    do throws(MinervaError) {
      _ = try await SQLiteJournal.open(scratch.file)
      Issue.record("opened a newer format")
    } catch {
      #expect(error.code == .journalNewerFormat)
      #expect(error.message.contains("99"))
    }
    scratch.run("UPDATE meta SET value = 2 WHERE key = 'format'")
    let journal = try await SQLiteJournal.open(scratch.file)
    #expect(try await journal.load("a")?.sequence == 3)
    await journal.close()
  }

  @Test("P3: a file whose epoch is the last there is gets refused with a code, and left as it is")
  func lastEpoch() async throws {
    try await scratch.fill(["a"], upTo: 3)
    scratch.run("UPDATE meta SET value = -1 WHERE key = 'epoch'")
    do throws(MinervaError) {
      _ = try await SQLiteJournal.open(scratch.file)
      Issue.record("opened without an epoch of its own")
    } catch {
      #expect(error.code == .journalFile)
    }
    scratch.run("UPDATE meta SET value = 7 WHERE key = 'epoch'")
    let journal = try await SQLiteJournal.open(scratch.file)
    #expect(try await journal.load("a")?.sequence == 3)
    #expect(journal.epoch == 8)
    await journal.close()
  }

  @Test("Random histories against a plain model: load, past, restart")
  func againstModel() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    var model: [String: [JournalEntry]] = [:]
    var snapshots: [String: Set<UInt64>] = [:]
    for _ in 0..<6 {
      let journal = try await SQLiteJournal.open(scratch.file)
      for _ in 0..<60 {
        let scene = "s\(random.next() % 5)"
        let count = UInt64(model[scene]?.count ?? 0)
        switch random.next() % 5 {
        case 0 where count > 0:
          let at = 1 + random.next() % count
          snapshots[scene, default: []].insert(at)
          try await journal.writeSnapshot(JournalSnapshot(scene: scene, sequence: at, bytes: [UInt8(at & 255)]), epoch: journal.epoch)
        case 1 where count > 0:
          let limit = 1 + random.next() % (count + 2)
          let last = min(limit, count)
          let covered = snapshots[scene]?.filter { $0 <= last }.max()
          let loaded = try await journal.load(scene, upTo: limit)
          #expect(loaded?.snapshot?.sequence == covered, "seed \(seed)")
          #expect(loaded?.records == Array((model[scene] ?? [])[Int(covered ?? 0)..<Int(last)]), "seed \(seed)")
        default:
          let entries = JournalRules.entries(scene, (count + 1)...(count + 1 + random.next() % 9))
          try await journal.append(entries, epoch: journal.epoch)
          model[scene, default: []] += entries
        }
      }
      #expect(try await journal.scenes().map(\.sequence) == model.sorted { $0.key < $1.key }.map { UInt64($0.value.count) }, "seed \(seed)")
      await journal.close()
    }
    let check = try SQLiteJournal.verify(scratch.file)
    #expect(check.isWhole, "seed \(seed): \(check.problems)")
    #expect(check.recordsChecked == model.values.map(\.count).reduce(0, +))
  }

  @Test("P3: retention lets go of what snapshots cover and no more; earlier times are out of range")
  func retention() async throws {
    let clock = Mutex<Int64>(1_000_000)
    let settings = SQLiteJournal.Settings(retention: .init(age: .seconds(60)), wallClock: { clock.withLock { $0 } })
    var journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    try await journal.append(JournalRules.entries("snapped", 1...50) + JournalRules.entries("plain", 1...50), epoch: journal.epoch)
    try await journal.writeSnapshot(JournalSnapshot(scene: "snapped", sequence: 20, bytes: [20]), epoch: journal.epoch)
    try await journal.writeSnapshot(JournalSnapshot(scene: "snapped", sequence: 40, bytes: [40]), epoch: journal.epoch)
    #expect(try await journal.load("snapped", upTo: 10)?.records.count == 10, "nothing goes before its time")
    await journal.close()

    clock.withLock { $0 += 61_000 }
    journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    try await journal.append(JournalRules.entries("plain", 51...51), epoch: journal.epoch)
    // The look comes after the answer; a second call is behind it.
    #expect(try await journal.load("plain")?.records == JournalRules.entries("plain", 1...51), "no snapshot, so all is needed")
    let snapped = try #require(try await journal.load("snapped"))
    #expect(snapped.snapshot?.bytes == [40])
    #expect(snapped.records == JournalRules.entries("snapped", 41...50))
    let past = await JournalRules.code { () async throws(MinervaError) in try await journal.load("snapped", upTo: 30) }
    #expect(past == .timeOutOfRange)
    try await journal.append(JournalRules.entries("snapped", 51...52), epoch: journal.epoch)
    await journal.close()

    #expect(try SQLiteJournal.verify(scratch.file).isWhole)
    #expect(try SQLiteJournal.statistics(of: scratch.file).records == 50 + 1 + 10 + 2)
    journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    #expect(journal.opening.damage == nil)
    #expect(try await journal.load("snapped")?.sequence == 52)
    await journal.close()
  }

  @Test("P3: what a snapshot covers late goes late: the past is looked through again")
  func retentionLooksAgain() async throws {
    let clock = Mutex<Int64>(1_000_000)
    let settings = SQLiteJournal.Settings(retention: .init(age: .seconds(10)), wallClock: { clock.withLock { $0 } })
    let journal = try await SQLiteJournal.open(scratch.file, settings: settings)
    try await journal.append(JournalRules.entries("late", 1...50), epoch: journal.epoch)
    clock.withLock { $0 += 20_000 }
    // A look at old records that nothing covers.
    try await journal.append(JournalRules.entries("busy", 1...5_000), epoch: journal.epoch)
    #expect(try await journal.load("late", upTo: 10)?.records.count == 10)
    try await journal.writeSnapshot(JournalSnapshot(scene: "late", sequence: 50, bytes: [50]), epoch: journal.epoch)
    clock.withLock { $0 += 61_000 }
    try await journal.append(JournalRules.entries("busy", 5_001...10_000), epoch: journal.epoch)
    _ = try await journal.load("busy")
    let past = await JournalRules.code { () async throws(MinervaError) in try await journal.load("late", upTo: 10) }
    #expect(past == .timeOutOfRange)
    await journal.close()
  }

  @Test("A journal that a broker writes is found whole, and exported so that it can be imported, at any moment")
  func inspectionWhileWritten() async throws {
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(retention: .init(bytes: 1 << 16)))
    let path = scratch.file
    try await journal.append((0..<50).flatMap { JournalRules.entries("s\($0)", 1...200) }, epoch: journal.epoch)
    let epoch = journal.epoch
    let writing = Task {
      var sequence: UInt64 = 200
      var begun = 0
      while !Task.isCancelled {
        let next = (0..<50).map { JournalEntry(scene: "s\($0)", sequence: sequence + 1, record: [1]) }
        try await journal.append(next + JournalRules.entries("new\(begun)", 1...100), epoch: epoch)
        sequence += 1
        begun += 1
      }
    }
    for _ in 0..<20 {
      let problems = try SQLiteJournal.verify(path).problems
      #expect(problems == [])
      await Task.yield()
    }
    writing.cancel()
    _ = await writing.result
    await journal.close()
  }

  @Test("P3: a file over its size lets go of the oldest, and stays near it")
  func retentionBySize() async throws {
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(retention: .init(bytes: 1 << 20)))
    let body = [UInt8](repeating: 5, count: 1000)
    var sequence: UInt64 = 0
    for round in 1...12 {
      let group = (sequence + 1...sequence + 512).map { JournalEntry(scene: "a", sequence: $0, record: body) }
      try await journal.append(group, epoch: journal.epoch)
      sequence += 512
      try await journal.writeSnapshot(JournalSnapshot(scene: "a", sequence: sequence, bytes: [UInt8(round)]), epoch: journal.epoch)
    }
    #expect(try await journal.load("a")?.sequence == sequence)
    await journal.close()
    #expect(try SQLiteJournal.statistics(of: scratch.file).records < 6000)
    #expect(try SQLiteJournal.verify(scratch.file).isWhole)
  }

  @Test("Statistics, verify and export see the file, also while it is open")
  func inspection() async throws {
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(wallClock: { 1_700_000_000_000 }))
    try await journal.append(JournalRules.entries("a", 1...3) + JournalRules.entries("b", 1...2), epoch: journal.epoch)
    try await journal.writeSnapshot(JournalSnapshot(scene: "a", sequence: 2, bytes: [1, 2, 3]), epoch: journal.epoch)
    let statistics = try SQLiteJournal.statistics(of: scratch.file)
    #expect(statistics.scenes == 2 && statistics.records == 5 && statistics.snapshots == 1)
    #expect(statistics.recordBytes == 15 && statistics.snapshotBytes == 3)
    #expect(statistics.oldest == 1_700_000_000_000)
    var lines: [SQLiteJournal.Exported] = []
    try SQLiteJournal.export(scratch.file, scene: "a") { line in
      lines.append(line)
      return true
    }
    #expect(lines.count == 4)
    #expect(lines.last == .record(JournalRules.entries("a", 3...3)[0], written: 1_700_000_000_000))
    await journal.close()
    scratch.run("UPDATE record SET body = x'00' WHERE row = 2")
    let check = try SQLiteJournal.verify(scratch.file)
    #expect(check.problems.count == 1)
    #expect(check.problems.first?.contains("row 2") == true)
  }

  @Test("A directory that isn't there is an error with the path, never a wait")
  func missingDirectory() async throws {
    let path = "\(scratch.path)/none/journal.db"
    let code = await JournalRules.code { () async throws(MinervaError) in try await SQLiteJournal.open(path) }
    #expect(code == .journalFile)
  }
}
