import Foundation
import MinervaWire
import ShellKit
import Testing

/// A code that programs act on and people look up: `help errors` has each.
@Suite("Codes of errors")
struct CodeTests {
  static let known = Set(ErrorCatalogue.entries.map(\.code.rawValue) + ShellHelp.ownErrors.map(\.code))

  @Test("Every code that the product names is in help errors once, with its cause and its remedy")
  func codesAreCatalogued() throws {
    #expect(Self.known.count == ErrorCatalogue.entries.count + ShellHelp.ownErrors.count)
    var found: Set<String> = []
    for source in HouseTests.product.flatMap(Repository.sources) {
      // An app's codes are its own.
      guard !source.path.hasPrefix("Sources/MinervaDemo/") else { continue }
      for (number, code) in Self.codes(in: source) {
        found.insert(code)
        #expect(Self.known.contains(code), "\(source.path):\(number) names \(code)")
      }
    }
    #expect(found.count > 100, "codes are found where they are named")
  }

  /// The literals that become codes, with their lines.
  private static func codes(in source: Repository.Source) -> [(line: Int, code: String)] {
    let marks = ["MinervaError(\"", "Code(\"", "Entry(\"", "code: \"", ": Self = \""]
    var codes: [(Int, String)] = []
    var before = Substring()
    for (number, line) in source.lines.enumerated() {
      defer { before = line }
      guard line.contains("\"") else { continue }
      var starts = marks.compactMap { line.range(of: $0)?.upperBound }
      let isArgument = before.hasSuffix("MinervaError(") || before.hasSuffix("Refusal(")
      if isArgument, let quote = line.firstIndex(of: "\"") { starts.append(line.index(after: quote)) }
      for start in starts {
        let literal = line[start...].prefix { $0 != "\"" }
        let parts = literal.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 == "_" || $0.isLowercase } }) else { continue }
        codes.append((number + 1, String(literal)))
      }
    }
    return codes
  }
}
