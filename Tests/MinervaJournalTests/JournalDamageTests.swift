import Glibc
import MinervaJournal
import MinervaWire
import Testing

/// What becomes of a file that is not as it was written (P3).
@Suite("A damaged journal") struct JournalDamageTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  @Test("P3: a file that is no journal is kept aside and an empty one begins")
  func notADatabase() async throws {
    scratch.copy("nothing", to: "journal.db")
    let descriptor = open(scratch.file, O_WRONLY | O_CREAT, 0o600)
    let text = Array(repeating: UInt8(ascii: "x"), count: 9000)
    write(descriptor, text, text.count)
    close(descriptor)
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    let damage = try #require(journal.opening.damage)
    #expect(damage.recordsKept == 0)
    #expect(scratch.names.contains("journal.db.damaged-1"))
    #expect(scratch.size(of: "journal.db.damaged-1") == 9000)
    try await journal.append(JournalRules.entries("a", 1...1), epoch: journal.epoch)
    await journal.close()
  }

  @Test("the journal and what lies beside it are the user's alone")
  func mode() async throws {
    let journal = try await SQLiteJournal.open(scratch.file)
    try await journal.append(JournalRules.entries("a", 1...1), epoch: journal.epoch)
    #expect(scratch.names.count > 1)
    for name in scratch.names {
      var status = stat()
      #expect(stat("\(scratch.path)/\(name)", &status) == 0 && status.st_mode & 0o077 == 0, "\(name)")
    }
    await journal.close()
  }

  @Test("P3: a changed record cuts its scene before it, and no other")
  func changedRecord() async throws {
    try await scratch.fill(["a", "b"], upTo: 50)
    scratch.run("UPDATE record SET body = zeroblob(4) WHERE row = 70")
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    let damage = try #require(journal.opening.damage)
    #expect(damage.recordsKept == 69)
    #expect(damage.recordsCut == 31)
    #expect(damage.reason.contains("checksum"))
    #expect(damage.scenes == ["b"])
    #expect(try await journal.load("a")?.sequence == 50)
    #expect(try await journal.load("b")?.records == JournalRules.entries("b", 1...19))
    #expect(journal.epoch > 1, "an epoch never comes back")
    try await journal.append(JournalRules.entries("b", 20...21), epoch: journal.epoch)
    await journal.close()
    let again = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(again.opening.damage == nil)
    #expect(try await again.load("b")?.sequence == 21)
    await again.close()
  }

  @Test("P3: a record whose number has none behind it is damage like any other", arguments: [Int64.max, -1, .min])
  func lastNumber(sequence: Int64) async throws {
    try await scratch.fill(["a"], upTo: 20)
    scratch.run("UPDATE record SET sequence = \(sequence) WHERE row = 11")
    #expect(try SQLiteJournal.verify(scratch.file).problems.count >= 2)
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(journal.opening.damage?.recordsKept == 10)
    #expect(try await journal.load("a")?.sequence == 10)
    await journal.close()
  }

  @Test("P3: a missing record, and one of another scene in its place, are damage")
  func missingRecord() async throws {
    try await scratch.fill(["a"], upTo: 20)
    scratch.run("DELETE FROM record WHERE row = 11")
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(journal.opening.damage?.recordsKept == 10)
    #expect(try await journal.load("a")?.sequence == 10)
    await journal.close()
    scratch.run("UPDATE record SET scene = 77 WHERE row = 5")
    let second = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(try await second.load("a")?.sequence == 4)
    await second.close()
    #expect(scratch.names.filter { $0.contains("damaged") } == ["journal.db.damaged-1", "journal.db.damaged-2"])
  }

  @Test("P1, P3: a recovery that is killed before its end finds the damaged file again, with all that is whole in it, and keeps it once")
  func killedBeforeTheEnd() async throws {
    try await scratch.fill(["a", "b"], upTo: 50)
    scratch.run("UPDATE record SET body = zeroblob(4) WHERE row = 70")
    link(scratch.file, scratch.file + ".damaged-1")
    scratch.copy("journal.db", to: "journal.db.recovering")
    scratch.truncate("journal.db.recovering", to: 8192)
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(journal.opening.damage?.recordsKept == 69)
    #expect(try await journal.load("a")?.sequence == 50)
    #expect(try await journal.load("b")?.sequence == 19)
    #expect(journal.epoch > 1)
    await journal.close()
    #expect(scratch.names == ["journal.db", "journal.db.damaged-1"])
  }

  @Test("P1, P3: a recovery that is killed between its last steps is ended by the next opening, without the old file's log")
  func killedAtTheEnd() async throws {
    try await scratch.fill(["a"], upTo: 50)
    scratch.copy("journal.db", to: "journal.db.recovered")
    // What is left of the damaged file: pages of something else, and a log that would be read into the new one.
    let other = try ScratchDirectory()
    let busy = try await SQLiteJournal.open(other.file)
    try await busy.append(JournalRules.entries("z", 1...300), epoch: busy.epoch)
    for (name, copy) in [("journal.db", "journal.db"), ("journal.db-wal", "journal.db-wal")] {
      let bytes = other.bytes(of: name)
      #expect(!bytes.isEmpty)
      unlink("\(scratch.path)/\(copy)")
      let descriptor = open("\(scratch.path)/\(copy)", O_WRONLY | O_CREAT, 0o600)
      write(descriptor, bytes, bytes.count)
      close(descriptor)
    }
    await busy.close()
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(journal.opening.damage == nil)
    #expect(try await journal.load("a")?.sequence == 50)
    #expect(try await journal.load("z") == nil)
    #expect(journal.epoch > 1)
    await journal.close()
    #expect(scratch.names == ["journal.db"])
  }

  @Test("P3: a snapshot behind the damage leads on to the records after it")
  func snapshotBeyondCut() async throws {
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    try await journal.append(JournalRules.entries("a", 1...30), epoch: journal.epoch)
    try await journal.writeSnapshot(JournalSnapshot(scene: "a", sequence: 25, bytes: [25]), epoch: journal.epoch)
    await journal.close()
    scratch.run("UPDATE record SET body = zeroblob(1) WHERE row = 20")
    let cut = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    let scene = try #require(try await cut.load("a"))
    #expect(scene.snapshot?.bytes == [25])
    #expect(scene.records == JournalRules.entries("a", 26...30))
    #expect(cut.opening.damage?.scenes == [], "nothing of the present is lost")
    try await cut.append(JournalRules.entries("a", 31...32), epoch: cut.epoch)
    let early = await JournalRules.code { () async throws(MinervaError) in try await cut.load("a", upTo: 7) }
    #expect(early == .timeOutOfRange)
    await cut.close()
    let again = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(again.opening.damage == nil)
    #expect(try await again.load("a")?.records == JournalRules.entries("a", 26...32))
    await again.close()
  }

  @Test("P3: a scene whose first records are lost begins anew, and the others keep theirs")
  func lostBeginning() async throws {
    try await scratch.fill(["a", "b"], upTo: 20)
    scratch.run("DELETE FROM record WHERE row <= 5")
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    let damage = try #require(journal.opening.damage)
    #expect(damage.recordsKept == 20 && damage.recordsCut == 15)
    #expect(damage.reason == "no whole snapshot leads up to record 6, the first of scene 1")
    #expect(try await journal.load("a") == JournaledScene(scene: "a", snapshot: nil, records: []))
    #expect(try await journal.load("b")?.records == JournalRules.entries("b", 1...20))
    try await journal.append(JournalRules.entries("a", 1...2) + JournalRules.entries("b", 21...21), epoch: journal.epoch)
    await journal.close()
    let again = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(again.opening.damage == nil)
    #expect(try await again.load("a")?.records == JournalRules.entries("a", 1...2))
    await again.close()
  }

  @Test("P3: a snapshot leads up to the first kept record only while it is whole", arguments: [false, true])
  func snapshotBeforeTheFirst(damaged: Bool) async throws {
    let first = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    try await first.append(JournalRules.entries("a", 1...20), epoch: first.epoch)
    try await first.writeSnapshot(JournalSnapshot(scene: "a", sequence: 10, bytes: [10]), epoch: first.epoch)
    await first.close()
    scratch.run("DELETE FROM record WHERE row <= 10")
    if damaged { scratch.run("UPDATE snapshot SET body = x'0b'") }
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect((journal.opening.damage != nil) == damaged)
    #expect(try await journal.load("a")?.records == (damaged ? [] : JournalRules.entries("a", 11...20)))
    await journal.close()
  }

  @Test("P3: a damaged snapshot ahead of the records is left out and cannot let records go")
  func damagedSnapshot() async throws {
    let first = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    try await first.append(JournalRules.entries("a", 1...20), epoch: first.epoch)
    try await first.writeSnapshot(JournalSnapshot(scene: "a", sequence: 20, bytes: [20]), epoch: first.epoch)
    await first.close()
    scratch.run("UPDATE snapshot SET sequence = 90")
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(journal.opening.damage?.recordsKept == 20)
    #expect(try await journal.load("a")?.records == JournalRules.entries("a", 1...20))
    await journal.close()
    #expect(try SQLiteJournal.statistics(of: scratch.file).snapshots == 0)
  }

  @Test("P3: a scene in the middle that is damaged keeps nobody else from what came later")
  func othersKeepTheirs() async throws {
    let first = try await SQLiteJournal.open(scratch.file)
    for number: UInt64 in 1...40 {
      for scene in ["a", "b", "c"] { try await first.append(JournalRules.entries(scene, number...number), epoch: first.epoch) }
    }
    await first.close()
    scratch.run("UPDATE record SET body = x'00' WHERE scene = 2 AND sequence = 7")
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(journal.opening.damage?.scenes == ["b"])
    #expect(try await journal.load("a")?.records == JournalRules.entries("a", 1...40))
    #expect(try await journal.load("b")?.records == JournalRules.entries("b", 1...6))
    #expect(try await journal.load("c")?.records == JournalRules.entries("c", 1...40))
    await journal.close()
  }

  @Test("P3: damage that opening does not look for shows when the scene is loaded; nothing is taken until what is whole is salvaged")
  func damageShowsAtLoad() async throws {
    try await scratch.fill(["a", "b"], upTo: 50)
    scratch.run("UPDATE record SET body = x'00' WHERE row = 70")
    let journal = try await SQLiteJournal.open(scratch.file)
    let epoch = journal.epoch
    #expect(journal.opening.damage == nil)
    #expect(try await journal.load("a")?.sequence == 50)
    #expect(await JournalRules.code { () async throws(MinervaError) in try await journal.load("b") } == .journalCorrupt)
    let more = JournalRules.entries("a", 51...51)
    #expect(
      await JournalRules.code { () async throws(MinervaError) in try await journal.append(more, epoch: epoch) } == .journalUnavailable)
    let next = try await journal.reopen()
    #expect(journal.damages.map(\.scenes) == [["b"]])
    #expect(journal.troubles.first?.contains("journal.db.damaged-1") == true)
    #expect(try await journal.load("b")?.records == JournalRules.entries("b", 1...19))
    try await journal.append(more, epoch: next)
    await journal.close()
  }

  @Test("P3: what came after the last mark is checked by every opening, without a clean end too")
  func tailIsChecked() async throws {
    let first = try await SQLiteJournal.open(scratch.file)
    for start: UInt64 in [0, 3_000] {
      try await first.append(JournalRules.entries("a", (start + 1)...(start + 3_000)), epoch: first.epoch)
    }
    try await first.append(JournalRules.entries("a", 6_001...6_100), epoch: first.epoch)
    scratch.copy("journal.db", to: "crash.db")
    scratch.copy("journal.db-wal", to: "crash.db-wal")
    await first.close()
    for name in ["", "-wal"] { scratch.copy("crash.db\(name)", to: "journal.db\(name)") }
    scratch.run("UPDATE record SET body = x'00' WHERE row = 6050")
    let journal = try await SQLiteJournal.open(scratch.file)
    #expect(journal.opening.damage?.recordsKept == 6_049)
    #expect(try await journal.load("a")?.sequence == 6_049)
    await journal.close()
  }

  @Test("P3: a scene's name stands in two places, and one of them is enough", arguments: [0, 1])
  func damagedName(place: Int) async throws {
    try await scratch.fill(["shop/first#1", "shop/second#1"], upTo: 10)
    let bytes = scratch.bytes(of: "journal.db")
    // The records of these tests begin with the name as well, and go on with their number.
    let places = bytes.indices.filter {
      bytes[$0...].starts(with: Array("second#1".utf8)) && !bytes[$0...].starts(with: Array("second#1#".utf8))
    }
    try #require(places.count == 2)
    scratch.damage("journal.db", at: places[place], with: Array("zz".utf8))
    let journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(try await journal.scenes().map(\.scene) == ["shop/first#1", "shop/second#1"])
    #expect(try await journal.load("shop/second#1")?.records == JournalRules.entries("shop/second#1", 1...10))
    await journal.close()
  }

  @Test("P3: a scene whose name is lost is left out and reported, never served under another one")
  func lostName() async throws {
    try await scratch.fill(["a", "b"], upTo: 10)
    scratch.run("UPDATE scene SET name = 'z' WHERE id = 2")
    let journal = try await SQLiteJournal.open(scratch.file)
    #expect(try await journal.scenes().map(\.scene) == ["a"])
    #expect(journal.opening.damage?.reason.contains("name of scene 2") == true)
    #expect(journal.opening.damage?.recordsCut == 10)
    await journal.close()
  }

  // MARK: Setting aside

  @Test("P3: records that cannot be used are set aside with the reason, and the scene goes on before them")
  func setsRecordsAside() async throws {
    try await scratch.fill(["a", "b"], upTo: 30)
    let journal = try await SQLiteJournal.open(scratch.file)
    let moved = try await journal.setAside(.records(after: 20), of: "b", reason: "record 21 is nonsense", epoch: journal.epoch)
    #expect(moved == JournalAside(scene: "b", sequence: 20, records: 10, snapshots: 0))
    #expect(try await journal.load("b")?.records == JournalRules.entries("b", 1...20))
    #expect(try await journal.load("a")?.sequence == 30)
    try await journal.append(JournalRules.entries("b", 21...22), epoch: journal.epoch)
    #expect(
      await JournalRules.code { () async throws(MinervaError) in
        try await journal.setAside(.records(after: 1), of: "a", reason: "", epoch: 1)
      } == .staleEpoch)
    await journal.close()
    #expect(try SQLiteJournal.verify(scratch.file).problems == [])
    let statistics = try SQLiteJournal.statistics(of: scratch.file)
    #expect(statistics.aside == 10 && statistics.records == 52)
    for check in [SQLiteJournal.Check.sinceMark, .whole] {
      let again = try await SQLiteJournal.open(scratch.file, settings: .init(check: check))
      #expect(again.opening.damage == nil)
      #expect(again.opening.records == 52)
      #expect(try await again.load("b")?.records == JournalRules.entries("b", 1...22))
      await again.close()
    }
  }

  @Test(
    "P3: without a snapshot that cannot be used the records before it stand; where they are gone the scene begins anew",
    arguments: [false, true])
  func setsSnapshotsAside(trimmed: Bool) async throws {
    let first = try await SQLiteJournal.open(scratch.file)
    try await first.append(JournalRules.entries("a", 1...20) + JournalRules.entries("b", 1...2), epoch: first.epoch)
    try await first.writeSnapshot(JournalSnapshot(scene: "a", sequence: 10, bytes: [10]), epoch: first.epoch)
    await first.close()
    if trimmed { scratch.run("DELETE FROM record WHERE row <= 10") }
    let journal = try await SQLiteJournal.open(scratch.file)
    let moved = try await journal.setAside(.snapshot(10), of: "a", reason: "not an image", epoch: journal.epoch)
    #expect(moved.sequence == (trimmed ? 0 : 20))
    #expect(moved.snapshots == 1 && moved.records == (trimmed ? 10 : 0))
    #expect(
      try await journal.load("a") == JournaledScene(scene: "a", snapshot: nil, records: trimmed ? [] : JournalRules.entries("a", 1...20)))
    try await journal.append(JournalRules.entries("a", trimmed ? 1...1 : 21...21), epoch: journal.epoch)
    await journal.close()
    #expect(try SQLiteJournal.verify(scratch.file).problems == [])
    let again = try await SQLiteJournal.open(scratch.file, settings: .init(check: .whole))
    #expect(again.opening.damage == nil)
    #expect(try await again.load("a")?.sequence == (trimmed ? 1 : 21))
    await again.close()
  }

  // MARK: Any place

  /// Seeds that once showed a fault: a damaged inner page, where a row is read in order and not found by its number.
  private static let found: [UInt64] = [4_273_833_226_419_745_083]
  private static let count = getenv("MINERVA_DEEP") == nil ? 40 : 3_000

  @Test(
    "P3: pages overwritten or cut off at any place: every scene answers with a prefix, as long as can be; nothing is invented",
    arguments: [SQLiteJournal.Check.sinceMark, .whole])
  func randomDamage(check: SQLiteJournal.Check) async throws {
    try await scratch.fill(["a", "b", "c"], upTo: 400)
    let size = scratch.size(of: "journal.db")
    scratch.copy("journal.db", to: "good")
    let places = RecordPlaces(scratch.bytes(of: "good"))
    #expect(places.last == ["a": 400, "b": 400, "c": 400])
    for number in 0..<(Self.found.count + Self.count) {
      let seed = number < Self.found.count ? Self.found[number] : UInt64.random(in: 0...UInt64.max)
      var random = SplitMix64(seed: seed)
      for name in scratch.names where name != "good" { unlink("\(scratch.path)/\(name)") }
      scratch.copy("good", to: "journal.db")
      var least: [String: UInt64] = [:]
      if random.next() % 4 == 0 {
        scratch.truncate("journal.db", to: Int(random.next() % UInt64(size)))
      } else {
        let bytes = (0..<Int(1 + random.next() % 600)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let offset = Int(random.next() % UInt64(size))
        scratch.damage("journal.db", at: offset, with: bytes)
        least = places.untouched(by: offset..<min(size, offset + bytes.count))
      }
      try await tryDamaged(check, least, seed)
    }
  }

  private func tryDamaged(_ check: SQLiteJournal.Check, _ least: [String: UInt64], _ seed: UInt64) async throws {
    let journal: SQLiteJournal
    do throws(MinervaError) { journal = try await SQLiteJournal.open(scratch.file, settings: .init(check: check)) } catch {
      // A header that claims a newer format is refused, not guessed at.
      #expect(error.code == .journalNewerFormat, "seed \(seed): \(error)")
      return
    }
    var kept: [String: UInt64] = [:]
    for attempt in 0...1 {
      kept = [:]
      var isDamaged = false
      for head in try await journal.scenes() {
        let code = await JournalRules.code { () async throws(MinervaError) in
          let scene = try await journal.load(head.scene)
          #expect(scene?.snapshot == nil, "seed \(seed)")
          let expected = head.sequence == 0 ? [] : JournalRules.entries(head.scene, 1...head.sequence)
          #expect(scene?.records == expected, "seed \(seed)")
          kept[head.scene] = head.sequence
        }
        guard code != nil else { continue }
        #expect(attempt == 0 && code == .journalCorrupt, "seed \(seed): \(head.scene) \(code?.rawValue ?? "")")
        isDamaged = true
        break
      }
      guard isDamaged, attempt == 0 else { break }
      _ = try await journal.reopen()
    }
    #expect(Set(kept.keys).isSubset(of: ["a", "b", "c"]), "seed \(seed)")
    for (scene, sequence) in least {
      #expect(kept[scene] ?? 0 >= sequence, "seed \(seed): \(scene) has \(kept[scene] ?? 0) of at least \(sequence)")
    }
    await journal.close()
  }
}

/// Where the records of a file stand, found by their bodies alone: what must survive damage is known without the journal's help.
private struct RecordPlaces {
  private static let page = 8192
  private var byPage: [Int: [(scene: String, sequence: UInt64)]] = [:]
  private(set) var last: [String: UInt64] = [:]

  init(_ bytes: [UInt8]) {
    var index = 0
    while index + 2 < bytes.count {
      guard bytes[index + 1] == UInt8(ascii: "#"), (UInt8(ascii: "a")...UInt8(ascii: "c")).contains(bytes[index]) else {
        index += 1
        continue
      }
      let digits = bytes[(index + 2)...].prefix(3).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      let scene = String(decoding: [bytes[index]], as: UTF8.self)
      if let sequence = UInt64(String(decoding: digits, as: UTF8.self)) {
        byPage[index / Self.page, default: []].append((scene, sequence))
        last[scene] = max(last[scene] ?? 0, sequence)
      }
      index += 2 + digits.count
    }
  }

  /// How much of each scene stands before the first damaged page; nothing where pages without records are damaged as well.
  func untouched(by range: Range<Int>) -> [String: UInt64] {
    var least = last
    for page in (range.lowerBound / Self.page)...((range.upperBound - 1) / Self.page) {
      guard let records = byPage[page] else { return [:] }
      for record in records { least[record.scene] = min(least[record.scene] ?? 0, record.sequence - 1) }
    }
    return least
  }
}
