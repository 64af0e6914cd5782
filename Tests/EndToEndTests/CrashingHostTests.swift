import Foundation
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaTesting
import MinervaWire
import Testing

/// Hosts that fall over their author's mistakes, under a supervisor that starts them again.
@Suite("Real hosts whose handlers trap", .serialized, .oneAtATime, .timeLimit(.minutes(2)))
struct CrashingHostTests {
  @Test("Processes: a tap over which its host traps three times is refused with app.crashed; the screen and all else go on (N15, K3)")
  func trapsThreeTimes() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    let host = try ProductDirectory.executable("ledger-host")
    try set.startCommand("up", "minerva", ["up", "--host", host, "--diff-workers", "0", "--runtime", set.directory])
    let client = try await set.client()
    #expect(await set.wait(atMost: .seconds(30)) { ((try? await client.modules().isEmpty) ?? true) == false }, "\(set.log(of: "up"))")
    let person = Person(client: client, scene: SceneAddress(name: "main", app: "ledgers"))
    let ledger = try await person.opens("Ledger", input: #"{"add":1}"#)
    let pit = try await person.opens("Pit")
    try await person.taps("step", on: pit)
    let first = try #require(try await client.coordinators(of: person.scene).first { $0.summary.screen == pit })

    let end = await failure { try await person.does(.act(.id(pit), .tap(row: "fall", action: nil)), within: .seconds(60)) }
    #expect(end?.code == .appCrashed, "\(end.map { "\($0)" } ?? "it was answered"): \(set.log(of: "up"))")
    #expect(end?.message.contains("was lost 3 times while \(pit) Pit had this in hand") == true, "\(end?.message ?? "")")
    #expect(try await client.status().counters["messages.poisonous"] == 1)

    // Where it was, in its fourth process, with what it had: and it takes the next tap.
    #expect(try await set.wait { try await !client.coordinators(of: person.scene).contains { $0.isSuspended } })
    #expect(try await client.snapshot(of: person.scene).tree.layers.first?.stack.map(\.id) == [ledger, pit])
    try await person.taps("step", on: pit)
    #expect(await set.wait { (try? await person.rendering(pit).row("steps")?.text) == "2" })
    let last = try #require(try await client.coordinators(of: person.scene).first { $0.summary.screen == pit })
    #expect(last.summary.host == first.summary.host)
    #expect(
      set.log(of: last.summary.host).components(separatedBy: "Index out of range").count - 1 == 3, "\(set.log(of: last.summary.host))")
    await client.close()
    #expect(try ProcessSet.Once.run("minerva", ["down", "--runtime", set.directory]).status == 0)
  }
}
