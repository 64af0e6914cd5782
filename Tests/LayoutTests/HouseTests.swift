import Foundation
import Testing

/// The habits that a reader of the tree relies on.
@Suite("House style")
struct HouseTests {
  static let product = ["Sources", "Services", "cli"]

  @Test("No file is longer than 500 lines")
  func filesAreShort() {
    for folder in Self.product + ["Tests"] {
      for source in Repository.sources(below: folder) {
        #expect(source.lines.count <= 500, "\(source.path) has \(source.lines.count) lines")
      }
    }
  }

  @Test("No file or folder is named after nothing")
  func namesSaySomething() {
    for folder in Self.product {
      for source in Repository.sources(below: folder) {
        for word in ["Utils", "Helpers", "Manager", "Common", "Misc"] {
          #expect(!source.path.contains(word), "\(source.path)")
        }
      }
    }
  }

  @Test(
    "Libraries neither print, nor trap on purpose, nor block a thread",
    arguments: ["print(", "try!", "fatalError(", "usleep(", "as! "])
  func librariesBehave(mark: String) {
    for folder in ["Sources", "Services"] {
      for source in Repository.sources(below: folder) {
        for (number, line) in source.lines.enumerated() {
          let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
          guard let range = code.range(of: mark) else { continue }
          // A longer word that only ends like the mark, `fingerprint(`.
          let before = code[..<range.lowerBound].last
          #expect(before?.isLetter == true, "\(source.path):\(number + 1) \(mark)")
        }
      }
    }
  }

  @Test("No unfinished marks")
  func nothingIsMarkedUnfinished() {
    for folder in Self.product {
      for source in Repository.sources(below: folder) {
        let words = Set(source.text.split { !$0.isLetter })
        for mark in ["TO" + "DO", "FIX" + "ME", "X" + "XX"] {
          #expect(!words.contains(Substring(mark)), "\(source.path) holds \(mark)")
        }
      }
    }
  }
}
