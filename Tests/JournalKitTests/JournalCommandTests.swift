import CommandKit
import CommandRuns
import Glibc
import JournalKit
import MinervaJournal
import MinervaWire
import Synchronization
import TestSupport
import Testing

/// `minerva journal` as people and scripts use it.
@Suite("minerva journal") struct JournalCommandTests {
  private let place: TestFolder

  init() throws { place = try TestFolder() }

  /// A journal with two scenes; the first has a snapshot.
  private func fill(_ name: String = "journal.sqlite") async throws {
    let settings = SQLiteJournal.Settings(wallClock: { 1_700_000_000_000 })
    let journal = try await SQLiteJournal.open(place.file(name), settings: settings)
    for sequence: UInt64 in 1...6 {
      try await journal.append(
        [JournalEntry(scene: "shop/main#1", sequence: sequence, record: [0xAB, 0xCD, UInt8(sequence)])], epoch: journal.epoch)
    }
    try await journal.writeSnapshot(JournalSnapshot(scene: "shop/main#1", sequence: 4, bytes: [9, 9]), epoch: journal.epoch)
    try await journal.append([JournalEntry(scene: "shop/other#2", sequence: 1, record: [])], epoch: journal.epoch)
    await journal.close()
  }

  @Test("Help says what each part does")
  func help() {
    #expect(snapshotMismatch(TestFolder.help(["minerva", "journal"]), "help-journal.txt") == nil)
    #expect(snapshotMismatch(TestFolder.help(["minerva", "journal", "export"]), "help-journal-export.txt") == nil)
    #expect(snapshotMismatch(TestFolder.help(["minerva", "journal", "import"]), "help-journal-import.txt") == nil)
  }

  @Test("P3: stats, verify and export of a whole journal")
  func looks() async throws {
    try await fill()
    #expect(snapshotMismatch(try place.journal(["stats", place.file("journal.sqlite")]).out, "stats.txt") == nil)
    #expect(
      try place.journal(["verify", place.file("journal.sqlite")])
        == CommandRun("ok   7 records and 1 snapshots are as they were written\n", .done))
    #expect(snapshotMismatch(try place.journal(["export", place.file("journal.sqlite")]).out, "export.jsonl") == nil)
    let one = try place.journal(["export", place.file("journal.sqlite"), "--scene", "shop/other#2"])
    #expect(one.out.split(separator: "\n").count == 3)
    let json = try place.journal(["verify", "--json", place.file("journal.sqlite")])
    #expect(json.out.contains(#""whole":true,"records":7,"snapshots":1,"problems":[]"#))
    let figures = try JSONValue(parsing: try place.journal(["stats", "--json", "--data", place.path]).out)
    #expect(figures["records"] == .integer(7) && figures["newest"] == .integer(1_700_000_000_000))
  }

  @Test("P3: what was exported and imported is the same journal, with a trimmed past too", arguments: [false, true])
  func roundTrip(trimmed: Bool) async throws {
    try await fill()
    if trimmed {
      // The export of a journal whose first records were let go.
      let lines = try place.journal(["export", place.file("journal.sqlite")]).out.split(separator: "\n")
      let kept = lines.filter { line in !(1...3).contains { line.contains("\"shop/main#1\",\"record\":\($0),") } }
      try place.write("export.jsonl", kept.dropLast().joined(separator: "\n") + "\n{\"end\":\(kept.count - 2)}\n")
    } else {
      try place.write("export.jsonl", try place.journal(["export", place.file("journal.sqlite")]).out)
    }
    let made = try place.journal(["import", place.file("export.jsonl"), place.file("copy.sqlite")])
    #expect(made == CommandRun("DIR/copy.sqlite: 2 scenes, \(trimmed ? 4 : 7) records, 1 snapshots\n", .done))
    #expect(try place.journal(["verify", place.file("copy.sqlite")]).code == .done)
    let copy = try place.journal(["export", place.file("copy.sqlite")]).out
    #expect(copy == (try place.text("export.jsonl")))
    let journal = try await SQLiteJournal.open(place.file("copy.sqlite"))
    let main = try #require(try await journal.load("shop/main#1"))
    #expect(main.snapshot?.bytes == [9, 9])
    #expect(main.records.map(\.record) == [[0xAB, 0xCD, 5], [0xAB, 0xCD, 6]])
    #expect(try await journal.load("shop/main#1", upTo: 4)?.sequence == 4)
    try await journal.append([JournalEntry(scene: "shop/main#1", sequence: 7, record: [7])], epoch: journal.epoch)
    await journal.close()
    #expect(!place.names.contains { $0.contains("importing") || $0.hasSuffix(".lock") }, "\(place.names)")
  }

  @Test("P3: the numbers of scenes that were forgotten are given by no import of an export again; an older export says nothing of them")
  func forgotten() async throws {
    try await fill()
    #expect(try place.journal(["export", place.file("journal.sqlite")]).out.contains("forgotten") == false)
    try place.write("old.jsonl", try place.journal(["export", place.file("journal.sqlite")]).out)
    _ = try place.journal(["import", place.file("old.jsonl"), place.file("old.sqlite")])
    let old = try await SQLiteJournal.open(place.file("old.sqlite"))
    #expect(old.forgotten == 0)
    await old.close()

    let clock = Mutex<Int64>(1_700_000_000_000)
    let settings = SQLiteJournal.Settings(retention: .init(age: .seconds(60)), wallClock: { clock.withLock { $0 } })
    let journal = try await SQLiteJournal.open(place.file("journal.sqlite"), settings: settings)
    let over = "shop/over#77"
    try await journal.append([JournalEntry(scene: over, sequence: 1, record: [1])], epoch: journal.epoch)
    try await journal.writeSnapshot(JournalSnapshot(scene: over, sequence: 1, bytes: [1]), epoch: journal.epoch)
    try await journal.noteRest(JournalRest(scene: over, sequence: 1, note: [], over: 77), epoch: journal.epoch)
    clock.withLock { $0 += 100_000 }
    let busy = (1...5_000).map { JournalEntry(scene: "shop/busy#78", sequence: UInt64($0), record: []) }
    try await journal.append(busy, epoch: journal.epoch)
    _ = try await journal.load("shop/busy#78")
    #expect(journal.forgotten == 77)
    await journal.close()

    try place.write("export.jsonl", try place.journal(["export", place.file("journal.sqlite")]).out)
    #expect(try place.journal(["import", place.file("export.jsonl"), place.file("copy.sqlite")]).code == .done)
    #expect(try place.journal(["export", place.file("copy.sqlite")]).out == (try place.text("export.jsonl")))
    let copy = try await SQLiteJournal.open(place.file("copy.sqlite"))
    #expect(copy.forgotten == 77 && copy.opening.damage == nil)
    await copy.close()
    #expect(try place.journal(["verify", place.file("copy.sqlite")]).code == .done)
  }

  @Test("Import never overwrites, and takes no name that a broker holds")
  func refusesToOverwrite() async throws {
    try await fill()
    try place.write("export.jsonl", try place.journal(["export", place.file("journal.sqlite")]).out)
    let before = try place.text("journal.sqlite")
    let there = try place.journal(["import", place.file("export.jsonl"), place.file("journal.sqlite")])
    #expect(there.code == .refused && there.out.contains("journal.exists"), "\(there.out)")
    #expect(try place.text("journal.sqlite") == before)
    let open = try await SQLiteJournal.open(place.file("held.sqlite"))
    let held = try place.journal(["import", place.file("export.jsonl"), place.file("held.sqlite")])
    #expect(held.code == .refused && held.out.contains("journal.locked") && held.out.contains("process \(getpid())"), "\(held.out)")
    await open.close()
  }

  @Test(
    "An export that is not one, is cut off, changed or of another format is refused with its line, and leaves nothing",
    arguments: [
      ("", "parse.json_line: DIR/bad.jsonl: line 1 is missing"),
      ("{}\n", "line 1 is not the first line"),
      ("{\"minerva_journal\":2,\"format\":1}\n", "journal.newer_format"),
      ("{\"minerva_journal\":1,\"format\":99}\n", "journal.newer_format"),
      ("{\"minerva_journal\":1,\"format\":2,\"aside\":true}\n", "can't be imported"),
      ("{\"minerva_journal\":1,\"format\":5,\"forgotten\":-1}\n", "line 1 tells of no number"),
      ("{\"minerva_journal\":1,\"format\":5,\"forgotten\":\"7\"}\n", "line 1 tells of no number"),
      ("HEAD\n", "line 2 is missing: the export is cut off"),
      ("HEAD\nnonsense\n", "line 2 is no JSON object"),
      ("HEAD\n{\"scene\":\"a\",\"record\":1,\"written\":1,\"body\":\"%\"}\n", "line 2 has not the members"),
      ("HEAD\n{\"scene\":\"a\",\"record\":0,\"written\":1,\"body\":\"\"}\n", "line 2 names neither"),
      ("HEAD\n{\"scene\":\"a\",\"record\":2,\"written\":1,\"body\":\"\"}\n", "journal.sequence"),
      ("HEAD\n{\"scene\":\"a\",\"record\":1,\"written\":1,\"body\":\"\"}\n{\"end\":2}\n", "line 3 tells of 2 lines, there are 1"),
      ("HEAD\n{\"end\":0}\n{\"end\":0}\n", "line 3 comes behind the end"),
    ])
  func refusesBadExports(text: String, expected: String) throws {
    try place.write("bad.jsonl", text.replacing("HEAD", with: "{\"minerva_journal\":1,\"format\":2,\"version\":\"0\"}"))
    let ran = try place.journal(["import", place.file("bad.jsonl"), place.file("new.sqlite")])
    #expect(ran.out.contains(expected), "\(ran.out)")
    #expect(ran.code == .refused || ran.code == .usage)
    #expect(place.names == ["bad.jsonl"])
  }

  @Test("An export that the system stops reading is not taken for one that is cut off")
  func readError() throws {
    let ran = try place.journal(["import", place.path, place.file("new.sqlite")])
    #expect(ran.out.hasPrefix("error file.unreadable: cannot read DIR: Is a directory"), "\(ran.out)")
    #expect(ran.code == .refused)
  }

  @Test("A file that is missing, is none, or is damaged: each its clear refusal")
  func badFiles() async throws {
    let missing = try place.journal(["stats", place.file("none.sqlite")])
    #expect(missing.code == .refused && missing.out.contains("journal.file: there is no journal at DIR/none.sqlite"), "\(missing.out)")
    try place.write("text.sqlite", String(repeating: "no journal ", count: 900))
    let text = try place.journal(["verify", place.file("text.sqlite")])
    #expect(text.code == .refused && text.out.contains("journal.corrupt"), "\(text.out)")
    try await fill()
    try place.overwrite("journal.sqlite", find: [0xAB, 0xCD, 5], with: [0xAB, 0xCD, 77])
    let damaged = try place.journal(["verify", place.file("journal.sqlite")])
    #expect(damaged.code == .refused)
    #expect(damaged.out.hasPrefix("FAIL row 5: the checksum of record 5 of scene 1 differs\n"), "\(damaged.out)")
  }

  @Test("P3: what was set aside is shown with its reason")
  func aside() async throws {
    try await fill()
    let journal = try await SQLiteJournal.open(place.file("journal.sqlite"))
    _ = try await journal.setAside(.records(after: 5), of: "shop/main#1", reason: "record 6: no such case", epoch: journal.epoch)
    await journal.close()
    let shown = try place.journal(["export", "--aside", "--data", place.path]).out
    #expect(shown.contains(#""scene":"shop/main#1","record":6,"written":1700000000000,"body":"q80G","reason":"record 6: no such case"}"#))
    #expect(try place.journal(["stats", "--data", place.path]).out.contains("aside      1 that could not be used"))
  }
}
