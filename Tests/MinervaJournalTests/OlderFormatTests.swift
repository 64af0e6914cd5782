import MinervaJournal
import MinervaWire
import Testing

/// Files as older versions wrote them, made by hand: the statements are those of their time and are never changed.
@Suite("P3: journals of older formats open, are migrated, and hold what they held") struct OlderFormatTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// The rows are a second old.
  private static let settings = SQLiteJournal.Settings(wallClock: { 2_000 })

  /// The check over a row, written once more from its description: FNV-1a of 64 bits, eight bytes a step, the high half folded back.
  private static func sum(_ bytes: [UInt8], scene: UInt64, sequence: UInt64) -> Int64 {
    let prime: UInt64 = 0x0000_0100_0000_01B3
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for value in [scene, sequence, UInt64(bytes.count)] { hash = (hash ^ value) &* prime }
    var rest = bytes[...]
    while rest.count >= 8 {
      hash = (hash ^ rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }) &* prime
      hash ^= hash >> 32
      rest = rest.dropFirst(8)
    }
    for byte in rest { hash = (hash ^ UInt64(byte)) &* prime }
    return Int64(bitPattern: hash ^ (hash >> 29))
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    "x'" + bytes.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined() + "'"
  }

  private static let meta = "CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"

  private static let first = """
    CREATE TABLE scene (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE record (
      row INTEGER PRIMARY KEY, scene INTEGER NOT NULL, sequence INTEGER NOT NULL, prior INTEGER NOT NULL,
      written INTEGER NOT NULL, sum INTEGER NOT NULL, body BLOB NOT NULL);
    CREATE TABLE snapshot (
      scene INTEGER NOT NULL, sequence INTEGER NOT NULL, row INTEGER NOT NULL, written INTEGER NOT NULL,
      sum INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (scene, sequence));
    """

  private static let second = """
    CREATE TABLE scene (id INTEGER PRIMARY KEY, name TEXT NOT NULL, sum INTEGER NOT NULL);
    CREATE TABLE record (
      row INTEGER PRIMARY KEY, scene INTEGER NOT NULL, sequence INTEGER NOT NULL, prior INTEGER NOT NULL,
      written INTEGER NOT NULL, sum INTEGER NOT NULL, body BLOB NOT NULL);
    CREATE TABLE snapshot (
      scene INTEGER NOT NULL, sequence INTEGER NOT NULL, row INTEGER NOT NULL, written INTEGER NOT NULL,
      sum INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (scene, sequence));
    CREATE UNIQUE INDEX scene_name ON scene (name, sum);
    CREATE TABLE head (scene INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, row INTEGER NOT NULL, sum INTEGER NOT NULL);
    CREATE TABLE aside (
      place INTEGER PRIMARY KEY, scene INTEGER NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL,
      written INTEGER NOT NULL, sum INTEGER NOT NULL, body BLOB NOT NULL, reason TEXT NOT NULL, moved INTEGER NOT NULL);
    """

  private static let rest =
    "CREATE TABLE rest (scene INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, sum INTEGER NOT NULL, note BLOB NOT NULL);"

  /// Two scenes, "a" with records 1 to 3 and a snapshot at 2, "b" with record 1; rows in the order of their writing.
  private func write(_ format: Int, marked: Bool = false) {
    var sql = Self.meta + (format == 1 ? Self.first : Self.second)
    if format >= 4 { sql += Self.rest }
    sql += "INSERT INTO meta VALUES ('format', \(format)), ('epoch', 7);"
    for (id, name) in [(1, "a"), (2, "b")] {
      sql +=
        format == 1
        ? "INSERT INTO scene VALUES (\(id), '\(name)');"
        : "INSERT INTO scene VALUES (\(id), '\(name)', \(Self.sum(Array(name.utf8), scene: UInt64(id), sequence: 0)));"
    }
    let rows: [(scene: UInt64, sequence: UInt64, prior: Int, entry: JournalEntry)] = [
      (1, 1, 0, JournalRules.entries("a", 1...1)[0]), (1, 2, 1, JournalRules.entries("a", 2...2)[0]),
      (2, 1, 0, JournalRules.entries("b", 1...1)[0]), (1, 3, 2, JournalRules.entries("a", 3...3)[0]),
    ]
    for (index, row) in rows.enumerated() {
      let sum = Self.sum(row.entry.record, scene: row.scene, sequence: row.sequence)
      sql +=
        "INSERT INTO record VALUES (\(index + 1), \(row.scene), \(row.sequence), \(row.prior), 1000, \(sum), \(Self.hex(row.entry.record)));"
    }
    let state: [UInt8] = [2, 2, 2]
    sql += "INSERT INTO snapshot VALUES (1, 2, 2, 1000, \(Self.sum(state, scene: 1, sequence: 2)), \(Self.hex(state)));"
    if marked {
      func head(_ scene: UInt64, _ sequence: UInt64, _ row: UInt64) -> String {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: row >> (8 * $0)) }
        return "INSERT INTO head VALUES (\(scene), \(sequence), \(row), \(Self.sum(bytes, scene: scene, sequence: sequence)));"
      }
      sql += head(1, 2, 2) + "INSERT INTO meta VALUES ('mark', 2), ('records', 2);"
    }
    scratch.run(sql)
  }

  @Test(
    "What format 1 to 4 wrote is read, written on and read again", arguments: [(1, false), (2, false), (2, true), (3, true), (4, true)])
  func opens(_ format: Int, _ marked: Bool) async throws {
    write(format, marked: marked)
    #expect(try SQLiteJournal.verify(scratch.file).isWhole, "also before it is migrated")
    var journal = try await SQLiteJournal.open(scratch.file, settings: Self.settings)
    #expect(journal.opening.formatBefore == format)
    #expect(journal.opening.format == SQLiteJournal.format)
    #expect(journal.opening.damage == nil)
    #expect(journal.opening.records == 4)
    #expect(journal.epoch == 8, "the epoch goes on")
    let heads = try await journal.scenes()
    #expect(
      heads == [
        JournaledHead(scene: "a", sequence: 3, snapshotSequence: 2), JournaledHead(scene: "b", sequence: 1, snapshotSequence: 0),
      ])
    let a = try #require(try await journal.load("a"))
    #expect(a.snapshot?.bytes == [2, 2, 2])
    #expect(a.records == JournalRules.entries("a", 3...3))
    #expect(try await journal.load("a", upTo: 1)?.records == JournalRules.entries("a", 1...1))
    try await journal.append(JournalRules.entries("a", 4...4) + JournalRules.entries("c", 1...1), epoch: journal.epoch)
    try await journal.noteRest(JournalRest(scene: "b", sequence: 1, note: [5], over: 3), epoch: journal.epoch)
    #expect(journal.forgotten == 0)
    await journal.close()

    #expect(try SQLiteJournal.verify(scratch.file).isWhole)
    journal = try await SQLiteJournal.open(scratch.file, settings: Self.settings)
    #expect(journal.opening.formatBefore == SQLiteJournal.format)
    #expect(try await journal.load("a")?.records == JournalRules.entries("a", 3...4))
    #expect(try await journal.scenes().map(\.rest) == [nil, [5], nil])
    #expect(try await journal.scenes().map(\.isOver) == [false, true, false])
    await journal.close()
  }

  @Test("A damaged file of an older format is salvaged as any other", arguments: [1, 2, 3, 4])
  func salvages(_ format: Int) async throws {
    write(format)
    scratch.run("UPDATE record SET body = x'00' WHERE row = 4")
    let journal = try await SQLiteJournal.open(scratch.file, settings: Self.settings)
    #expect(journal.opening.damage?.recordsCut == 1)
    #expect(try await journal.load("a")?.sequence == 2)
    #expect(try await journal.load("b")?.records == JournalRules.entries("b", 1...1))
    await journal.close()
  }

  @Test("What is noted of scenes at rest is checked, and a false note is none")
  func restsAreChecked() async throws {
    var journal = try await SQLiteJournal.open(scratch.file, settings: Self.settings)
    try await journal.append(JournalRules.entries("a", 1...1) + JournalRules.entries("b", 1...1), epoch: journal.epoch)
    for scene in ["a", "b"] {
      try await journal.noteRest(JournalRest(scene: scene, sequence: 1, note: [1, 2, 3]), epoch: journal.epoch)
    }
    await journal.close()
    scratch.run("UPDATE rest SET note = x'010204' WHERE scene = 1")
    let problems = try SQLiteJournal.verify(scratch.file).problems
    #expect(problems == ["the note of scene 1 at rest is not as it was written"])
    journal = try await SQLiteJournal.open(scratch.file, settings: Self.settings)
    #expect(try await journal.scenes().map(\.rest) == [nil, [1, 2, 3]])
    await journal.close()
  }
}
