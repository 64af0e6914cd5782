import Foundation
import LoadKit
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaTesting
import MinervaTransport
import MinervaWire
import RawPeers
import Testing

/// `minerva load diff` with workers of its own.
@Suite("A real load of diff jobs", .serialized, .oneAtATime, .timeLimit(.minutes(2)))
struct LoadTests {
  private struct Report: Decodable {
    var jobs: Int
    var answers: Int
    var verified: Int
    var lies: Int
    var liars: [String: Int]
    var lost: Int
    var duplicated: Int
    var retried: Int
    var kills: [Kill]
    var workers: [String: Int]

    struct Kill: Decodable {
      var worker: String
      var held: Int
    }
  }

  private func load(_ arguments: String...) throws -> (status: Int32, report: Report, text: String) {
    let run = try ProcessSet.Once.run("minerva", ["load", "diff", "--json"] + arguments, within: .seconds(60))
    return (run.status, try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)), run.output)
  }

  @Test("Processes: two workers under load, every answer right, none lost, none twice")
  func clean() throws {
    let (status, report, text) = try load("--size", "500", "--for", "500ms", "--shape", "sections")
    #expect(status == 0, "\(text)")
    #expect(report.jobs > 0)
    #expect((report.verified, report.lost, report.duplicated, report.lies) == (report.jobs, 0, 0, 0), "\(text)")
    #expect(report.workers.keys.sorted() == ["diff-1", "diff-2"])
  }

  @Test("Processes: workers killed under load cost no job its answer (B04)")
  func kills() throws {
    let (status, report, text) = try load("--size", "20000", "--for", "3s", "--kill-worker", "700ms", "--concurrency", "6")
    #expect(status == 0, "\(text)")
    // Killed with work in their hands, which others then did.
    #expect(report.kills.contains { $0.held > 0 }, "\(text)")
    #expect(report.retried > 0, "\(text)")
    #expect((report.verified, report.lost, report.duplicated) == (report.jobs, 0, 0), "\(text)")
  }

  @Test("Processes: a worker that lies is found out at every lie, and the load ends with 1")
  func lies() throws {
    let (status, report, text) = try load("--size", "200", "--for", "1s", "--lie", "1/5", "--concurrency", "6")
    #expect(status == 1, "\(text)")
    #expect(report.liars.keys.sorted() == ["diff-3"])
    // One in five of those it answered, not one more and not one less.
    #expect(report.lies == (report.workers["diff-3"] ?? 0) / 5, "\(text)")
    #expect(report.verified + report.lies == report.answers)
  }

  @Test("Processes: an answer that comes a second time makes a load unclean")
  func secondAnswers() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.startAll(app: "shop", hosts: 0, workers: 1)
    let client = try await set.client("load")
    let place = try await client.bus.listen(on: Endpoint("ipc://\(set.directory)/load.sock"))
    let double = try #require(RawPeer(place))
    let interfaces = try await FixedInterfaces.learn()
    #expect(try double.greet("double", api: interfaces.catalogue.version) == .welcome)
    let worker = try $DiffWorker.resolve(id: ActorAddress(node: "double", name: WellKnown.worker), using: client.bus)
    var settings = DiffLoad.Settings { LoadLists(shape: .mixed, size: 100, edits: 50, seed: UInt64($0)) }
    settings.duration = .milliseconds(500)
    for times in 1...2 {
      let load = DiffLoad(client: client, settings: settings)
      async let end = load.run()
      #expect(await set.wait { load.now.verified > 0 })
      async let answer = failure { _ = try await worker.status() }
      #expect(await set.wait { await client.bus.peers().contains { $0.node == "double" && $0.callsInFlight == 1 } })
      let call = try #require(double.messages(within: .seconds(5), upTo: 1).first)
      let identifier = try call.withUnsafeBytes { try Envelope.read($0, limits: .standard).call }
      for _ in 0..<times { double.send([Envelope(.reply, call: identifier).message(body: [])]) }
      _ = await answer
      let tally = await end
      #expect(tally.started == tally.verified && tally.duplicated == times - 1 && tally.isClean == (times == 1), "\(tally)")
    }
    await client.close()
  }
}
