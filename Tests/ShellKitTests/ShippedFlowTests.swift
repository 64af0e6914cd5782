import CommandKit
import ShellKit
import Testing

@Suite("The scripts that are shipped")
struct ShippedFlowTests {
  private static let folder = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" } + "/cli/minerva-command/Flows"

  @Test func `the demo's script is understood and speaks in nobody's place`() throws {
    let script = try FlowScript.read(Self.folder + "/workouts.flow")
    #expect(script.header.apps == ["workouts"])
    let verbs = Set(script.steps.flatMap(\.statements).map(\.verb.name))
    #expect(verbs.isDisjoint(with: ["output", "finish", "cancel"]))
    let kills = script.steps.flatMap(\.statements).filter { if case .lab(.kill) = $0.request { true } else { false } }
    #expect(kills.count == 3)
  }

  @Test func `what the README shows of the demo is in its script, in this order, and its count is right`() throws {
    let readme = try ScriptText.read(Self.folder + "/../../../README.md").split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(readme.firstIndex(of: "## Sixty seconds"))
    let block = try #require(readme[start...].split(omittingEmptySubsequences: false) { $0.hasPrefix("```") }.dropFirst().first)
    let script = try ScriptText.read(Self.folder + "/workouts.flow").split(separator: "\n").map(String.init)
    var place = script.startIndex
    for line in block {
      let words = String(line.drop { " >✓".contains($0) })
      let wanted = line.hasPrefix("— ") ? "note \"\(line.dropFirst(2))\"" : words
      guard line.hasPrefix("— ") || line.hasPrefix("> ") || line.hasPrefix("  ✓ ") else { continue }
      place = try #require(script[place...].firstIndex(of: wanted), "\(line)") + 1
    }
    #expect(place > script.startIndex)
    let expectations = script.count { $0.hasPrefix("expect ") }
    let kills = script.count { $0.hasPrefix("fault kill ") }
    #expect(block.last?.hasPrefix("all \(expectations) expectations held; \(kills) recoveries, ") == true, "\(block.last ?? "")")
  }
}
