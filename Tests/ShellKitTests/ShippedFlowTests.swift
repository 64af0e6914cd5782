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

  @Test func `the program carries the script as the file has it`() throws {
    let file = try ScriptText.read(Self.folder + "/workouts.flow").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let source = try ScriptText.read(Self.folder + "/DemoFlows+Workouts.swift").split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(source.firstIndex { $0.contains("#\"\"\"") }) + 1
    let end = try #require(source.lastIndex { $0.contains("\"\"\"#") })
    let carried = source[start..<end].map { String($0.hasPrefix("    ") ? $0.dropFirst(4) : $0) }
    #expect(carried == Array(file.dropLast(file.last == "" ? 1 : 0)))
  }
}
