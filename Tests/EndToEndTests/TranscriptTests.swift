import Foundation
import Minerva
import MinervaTesting
import TestSupport
import Testing

/// What the manual shows, as flows of a catalogue app on a virtual clock with a renderer of 300 ms, and as typed.
@Suite("Real processes play the transcripts", .serialized, .oneAtATime)
struct TranscriptTests {
  static let folder = #filePath.split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" } + "/Transcripts"
  static let flows = ["settings", "queues", "renderer", "links", "resume", "timers", "gaps"]

  @Test("Processes: every transcript holds on a virtual clock (N3, N6, N10, N12, N13, N15, R2, R3, D3)", arguments: flows)
  func flow(_ name: String) throws {
    let run = try ProcessSet.Once.run("minerva", ["run", "\(Self.folder)/\(name).flow"], within: .seconds(60))
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test("Processes: what is typed is answered as the manual has it, word for word and moment for moment (D3)")
  func typed() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startCommand(
      "up", "minerva", ["up", "--catalog", "\(Self.folder)/shop.json", "--virtual", "--diff-workers", "1", "--runtime", set.directory])
    let input = try String(contentsOfFile: "\(Self.folder)/typed.txt", encoding: .utf8)
    #expect(
      await set.wait(atMost: .seconds(20)) { (try? ProcessSet.Once.run("minerva", ["stack", "--runtime", set.directory]).status) == 0 })
    let shell = try ProcessSet.Once.run(
      "minerva", ["shell", "--keep-going", "--runtime", set.directory], input: input, within: .seconds(60))
    #expect(snapshotMismatch(Self.comparable(shell.output), "typed.txt") == nil)
    // Beside the answers stands which lines were refused.
    let places = shell.errors.split(separator: "\n")
    #expect(!places.isEmpty && places.allSatisfy { $0.hasPrefix("  at line ") }, "\(shell.errors)")
  }

  /// Jobs are told when they end, beside the answers; numbers of records depend on what the hosts had to say meanwhile.
  private static func comparable(_ text: String) -> String {
    let lines = text.split(separator: "\n").map { String($0).replacing(/#[0-9]+/, with: "#n") }
    return (lines.filter { !$0.hasPrefix("[") } + lines.filter { $0.hasPrefix("[") }.sorted()).joined(separator: "\n") + "\n"
  }

  @Test("Processes: what changes in a screen's list is computed by a worker, not by the host")
  func workersCompute() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll()
    // A host knows a worker once that has offered itself to the broker.
    let client = try await set.client()
    #expect(await set.wait { (try? await client.status().pool.workers) == 1 })
    await client.close()
    let run = try ProcessSet.Once.run(
      "minerva", ["run", "--shared", "--runtime", set.directory, "-"],
      input: """
        flow "compared by a worker"
        app shop
        open Settings {"section":"privacy"} as @s
        expect stack main == [Home, Settings]
        tap @s mail
        expect changes @s update=1
        expect event list.changed by=diff-1

        """, within: .seconds(30))
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test("Processes: a running set on the machine's clock refuses virtual time, and says where there is some")
  func refused() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll()
    #expect(await set.wait { (try? ProcessSet.Once.run("minerva", ["stack", "--runtime", set.directory]).status) == 0 })
    let advance = try ProcessSet.Once.run("minerva", ["advance", "3s", "--runtime", set.directory])
    #expect(advance.status == 1)
    #expect(advance.output.hasPrefix("error clock.real: ") || advance.errors.hasPrefix("error clock.real: "))
    let run = try ProcessSet.Once.run(
      "minerva", ["run", "--shared", "--runtime", set.directory, "-"],
      input: "flow \"x\"\nclock virtual\nopen Settings\n", within: .seconds(30))
    #expect(run.status == 1)
    #expect((run.output + run.errors).contains("clock.real"))
  }

  @Test("Processes: a bad catalogue is one error, before anything starts")
  func badCatalogue() throws {
    let run = try ProcessSet.Once.run("minerva", ["up", "--catalog", "\(Self.folder)/settings.flow"])
    #expect(run.status == 1)
    #expect(run.errors.contains("error catalog.invalid: ") && run.errors.contains("settings.flow"), "\(run.errors)")
    let missing = try ProcessSet.Once.run("minerva", ["run", "-"], input: "flow \"x\"\ncatalog nowhere.json\nstack\n")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("file.unreadable") && missing.errors.contains("nowhere.json"), "\(missing.errors)")
  }
}
