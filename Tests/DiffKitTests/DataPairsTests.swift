import CommandKit
import CommandRuns
import DiffKit
import Glibc
import Testing

/// Lists from public sources, beside the repository on some machines, or where `MINERVA_SAMPLES` says.
private enum Data {
  static let root: String = {
    if let chosen = getenv("MINERVA_SAMPLES") { return String(cString: chosen) + "/lists" }
    return #filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/\($1)" } + "/shared/data/lists"
  }()
  static let exist = access(root, R_OK) == 0

  static func files(_ folder: String, _ prefix: String) -> [String] {
    guard let directory = opendir("\(root)/\(folder)") else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix(prefix), name.hasSuffix(".tsv") { names.append("\(root)/\(folder)/\(name)") }
    }
    return names.sorted()
  }

  /// Consecutive pairs, and the oldest with the newest.
  static func pairs(_ files: [String]) -> [(String, String)] {
    guard let first = files.first, let last = files.last else { return [] }
    return Array(zip(files, files.dropFirst())) + [(first, last)]
  }
}

@Suite("minerva diff on real lists", .enabled(if: Data.exist, "needs ../shared/data/lists, or MINERVA_SAMPLES"))
struct DataPairsTests {
  @Test("every pair, flat and under headings, in every form, replays byte for byte")
  func pairs() async throws {
    let awesome = ["--ids", "tsv:3", "--header"]
    let sets: [(files: [String], words: [String])] = [
      (Data.files("awesome", "run_"), awesome), (Data.files("awesome", "wide_"), awesome),
      (Data.files("awesome", "run_"), awesome + ["--section", "1"]), (Data.files("awesome", "wide_"), awesome + ["--section", "1"]),
      (Data.files("pypi_top400", ""), ["--ids", "tsv:1"]),
    ]
    for set in sets {
      #expect(set.files.count > 5)
      for (old, new) in Data.pairs(set.files) {
        for form in ["batch", "steps", "staged"] {
          let result = try await runDiff([old, new, "--check", "--form", form] + set.words)
          #expect(result.code == .done && result.out.contains("rows byte for byte"), "\(old) \(new) \(form): \(result.out)")
        }
      }
    }
  }
}
