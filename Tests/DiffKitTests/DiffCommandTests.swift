import CommandKit
import CommandRuns
import DiffKit
import MinervaWire
import TestSupport
import Testing

@Suite("minerva diff")
struct DiffCommandTests {
  @Test("help")
  func help() {
    let root = CommandDefinition("minerva", "Test", subcommands: [DiffCommand.definition])
    #expect(snapshotMismatch(Program.help(root, for: ["minerva", "diff"], width: 100), "help-diff.txt") == nil)
  }

  @Test("what people read: counts, then changes, cut with a note")
  func report() async throws {
    let folder = try TestFolder()
    let old = try folder.write("old.txt", "one\nzero\ntwo\n")
    let new = try folder.write("new.txt", "five\nfour\ntwo\none\n")
    let table = try folder.write("old.tsv", "part\tid\ttitle\nA\t1\tx\nA\t2\ty\nB\t3\tz\n")
    let later = try folder.write("new.tsv", "part\tid\ttitle\nA\t2\ty\nB\t3\tzz\nB\t1\tx\nC\t4\tw\n")
    let long = try folder.write("long.txt", (0..<100).map { "row \($0)\u{1B}\n" }.joined())
    var text = ""
    for words in [
      [old, new, "--check"], [old, new, "--form", "steps", "--check"], [old, new, "--form", "staged", "--check"], [old, old],
      [old, new, "--json", "--check"], [old, new, "--json", "--form", "steps"], [old, long],
      [table, later, "--ids", "tsv:2", "--section", "1", "--header", "--check"],
      [table, later, "--ids", "tsv:2", "--section", "1", "--header", "--form", "staged", "--check", "--json"],
      [table, later, "--ids", "tsv:2", "--section", "1", "--header", "--form", "steps", "--check"],
      [table, later, "--ids", "tsv:2", "--section", "1", "--header", "--form", "steps", "--json"],
      [table, later, "--ids", "tsv:2", "--header", "--content", "3", "--form", "staged", "--check"],
    ] {
      let result = try await runDiff(words, in: folder)
      let shown = words.map { $0.split(separator: "/").last.map(String.init) ?? $0 }.joined(separator: " ")
      text += "$ minerva diff \(shown)\n\(result.out)[\(result.code.rawValue)]\n"
    }
    #expect(snapshotMismatch(text, "diff.txt") == nil)
  }

  @Test("bad input: one clear error each, with the line")
  func errors() async throws {
    let folder = try TestFolder()
    let good = try folder.write("good.tsv", "1\ta\n2\tb\n")
    let files: [(name: String, bytes: [UInt8], words: [String])] = [
      ("ragged.tsv", Array("1\ta\n2\n".utf8), ["--ids", "tsv:1"]),
      ("narrow.tsv", Array("1\n2\n".utf8), ["--ids", "tsv:2"]),
      ("twice.tsv", Array("1\ta\n2\tb\n1\tc\n".utf8), ["--ids", "tsv:1"]),
      ("section-twice.tsv", Array("1\ta\n2\tb\n3\ta\n".utf8), ["--ids", "tsv:1", "--section", "2"]),
      ("latin.txt", Array("ok\n".utf8) + [0x63, 0x61, 0x66, 0xE9, 0x0A], []),
      ("overlong.txt", [0x61, 0x0A, 0xC0, 0xAF], []),
      ("surrogate.txt", [0xED, 0xA0, 0x80], []),
      ("cut.txt", Array("a\nb\n".utf8) + [0xE2, 0x82], []),
      ("utf16.txt", [0xFF, 0xFE, 0x61, 0x00], []),
      ("zero.txt", Array("abcdefghijk\n".utf8) + [0x00], []),
      ("broken.jsonl", Array("{\"id\":1}\n{\"id\":2\n".utf8), ["--ids", "jsonl:id"]),
      ("array.jsonl", Array("[1]\n".utf8), ["--ids", "jsonl:id"]),
      ("keyless.jsonl", Array("{\"id\":1}\n{\"no\":2}\n".utf8), ["--ids", "jsonl:id"]),
      ("key-twice.jsonl", Array("{\"id\":1,\"id\":2}\n".utf8), ["--ids", "jsonl:id"]),
      ("empty-line.jsonl", Array("{\"id\":1}\n\n{\"id\":2}\n".utf8), ["--ids", "jsonl:id"]),
    ]
    var text = ""
    for file in files {
      let path = try folder.write(file.name, file.bytes)
      let result = try await runDiff([path, path] + file.words, in: folder)
      text += "\(file.name) \(file.words.joined(separator: " "))\n\(result.out)[\(result.code.rawValue)]\n"
    }
    for words in [
      ["missing.txt", good], [folder.path, good], [good, good, "--ids", "csv:1"], [good, good, "--ids", "tsv:0"],
      [good, good, "--ids", "tsv:x"],
      [good, good, "--section", "1"], ["-", "-"], [good],
      [good, good, "--form", "patch"], [good, good, "--ids", "tsv:1", "--content", "5"],
    ] {
      let result = try await runDiff(words, in: folder)
      let shown = words.map { $0.hasPrefix(folder.path) ? $0.split(separator: "/").last.map(String.init) ?? $0 : $0 }
      let named = shown.map { $0.hasPrefix("folder-") ? "DIRECTORY" : $0 }.joined(separator: " ")
      let out = result.out.split(separator: folder.path, omittingEmptySubsequences: false).joined(separator: "DIRECTORY")
      text += "\(named)\n\(out)[\(result.code.rawValue)]\n"
    }
    #expect(snapshotMismatch(text, "errors.txt") == nil)
  }

  @Test("LF, CRLF, a byte order mark and a missing last line end are the same list (D04)")
  func lineEnds() async throws {
    let folder = try TestFolder()
    let plain = try folder.write("plain.txt", "a\nb\n\nc\n")
    for (name, text) in [("crlf", "a\r\nb\r\n\r\nc\r\n"), ("bom", "\u{FEFF}a\nb\n\nc\n"), ("open", "a\nb\n\nc")] {
      let other = try folder.write(name, text)
      let result = try await runDiff([plain, other, "--check"], in: folder)
      #expect(result.code == .done && result.out.contains("4 → 4 rows, no change"), "\(name): \(result.out)")
    }
    let empty = try folder.write("empty.txt", "")
    #expect(try await runDiff([empty, plain, "--check"]).out.contains("0 → 4 rows: 0 deleted, 4 inserted"))
    #expect(try await runDiff([empty, empty, "--check", "--form", "steps"]).code == .done)
  }

  @Test("lines may repeat; identifiers of rows only when asked (B01)")
  func duplicates() async throws {
    let folder = try TestFolder()
    let old = try folder.write("old.tsv", "1\ta\n2\ta\n3\ta\n4\tb\n")
    let new = try folder.write("new.tsv", "1\ta\n5\ta\n6\ta\n7\ta\n4\ta\n8\ta\n4\tb\n")
    let refused = try await runDiff([old, new, "--ids", "tsv:1"], in: folder)
    #expect(refused.code == .refused)
    #expect(refused.out.hasPrefix("error diff.duplicate: new.tsv: line 7 has the identifier \"4\" of line 5 again"), "\(refused.out)")
    let paired = try await runDiff([old, new, "--ids", "tsv:1", "--duplicates", "occurrence", "--check"], in: folder)
    #expect(paired.code == .done && paired.out.contains("2 deleted, 5 inserted, 0 moved"), "\(paired.out)")
  }

  @Test("an update is what --content says, else anything in the row")
  func contents() async throws {
    let folder = try TestFolder()
    let old = try folder.write("old.jsonl", "{\"id\":\"a\",\"points\":1,\"seen\":2}\n{\"id\":\"b\",\"points\":1}\n")
    let new = try folder.write("new.jsonl", "{\"id\":\"a\",\"points\":1,\"seen\":3}\n{\"points\":1.5,\"id\":\"b\"}\n")
    let all = try await runDiff([old, new, "--ids", "jsonl:id", "--check"])
    #expect(all.out.contains("0 moved, 2 updated"), "\(all.out)")
    let points = try await runDiff([old, new, "--ids", "jsonl:id", "--content", "points", "--check"])
    #expect(points.out.contains("0 moved, 1 updated"), "\(points.out)")
  }
}
