import Foundation
import Testing

/// What people copy from the README and the articles must build.
@Suite("Code that is shown is built")
struct ShownCodeTests {
  /// A fenced block of Swift: where it stands, and its paragraphs, without imports and indentation.
  struct Block: Sendable, CustomStringConvertible {
    var path: String
    var line: Int
    var paragraphs: [[String]]
    var description: String { "\(path):\(line)" }
  }

  static let blocks = Repository.files(below: "", endingIn: "md").flatMap(blocks)

  @Test("Every Swift block of the README and the articles stands in a source that is built, paragraph for paragraph", arguments: blocks)
  func blockIsBuilt(block: Block) {
    let sources = Repository.sources(below: "Tests/Support").map { source in source.lines.map(Self.bare) }
    for paragraph in block.paragraphs {
      let stands = sources.contains { lines in
        lines.indices.contains { lines[$0...].starts(with: paragraph) }
      }
      #expect(stands, "nowhere in Tests/Support: \(paragraph.first ?? "")")
    }
  }

  @Test("The blocks are found")
  func blocksAreFound() {
    #expect(Self.blocks.count >= 10, "\(Self.blocks)")
  }

  private static func blocks(in source: Repository.Source) -> [Block] {
    var blocks: [Block] = []
    var block: Block?
    for (number, line) in source.lines.enumerated() {
      if line == "```swift" {
        block = Block(path: source.path, line: number + 1, paragraphs: [[]])
      } else if line.hasPrefix("```") {
        if var ended = block {
          ended.paragraphs.removeAll(where: \.isEmpty)
          blocks.append(ended)
        }
        block = nil
      } else if let last = block?.paragraphs.indices.last {
        let bare = bare(line)
        if bare.isEmpty { block?.paragraphs.append([]) } else if !bare.hasPrefix("import ") { block?.paragraphs[last].append(bare) }
      }
    }
    return blocks
  }

  private static func bare(_ line: Substring) -> String {
    String(line.drop { $0 == " " })
  }
}
