import Foundation

/// The repository that this test was compiled from.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A Swift file of ours.
  struct Source {
    /// The path below the root.
    var path: String
    var text: String
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The modules the file imports.
    var imports: [String] {
      lines.compactMap { line in
        let words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "import"), at <= 2, words.count > at + 1 else { return nil }
        let modifiers = words[..<at]
        guard modifiers.allSatisfy({ $0.hasPrefix("@") || ["public", "package", "internal", "private"].contains($0) }) else { return nil }
        let kinds: Set<Substring> = ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"]
        let name = kinds.contains(words[at + 1]) ? words[at + 2] : words[at + 1]
        return String(name.prefix { $0 != "." })
      }
    }
  }

  /// Every Swift file below `folder`, in the order of its path.
  static func sources(below folder: String) -> [Source] { files(below: folder, endingIn: "swift") }

  /// Every file of a kind below `folder`, in the order of its path; what is built and hidden aside.
  static func files(below folder: String, endingIn kind: String) -> [Source] {
    let base = root.appending(path: folder)
    guard let walk = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil, options: .skipsHiddenFiles) else {
      return []
    }
    var found: [Source] = []
    for case let url as URL in walk where url.pathExtension == kind {
      guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
      found.append(Source(path: String(url.path().dropFirst(root.path().count)), text: text))
    }
    return found.sorted { $0.path < $1.path }
  }
}
