import Foundation
import MinervaTesting
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
    var kills: [Kill]
    var workers: [String: Int]

    struct Kill: Decodable {
      var worker: String
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
    let (status, report, text) = try load("--size", "20000", "--for", "3s", "--kill-worker", "700ms", "--rate", "40")
    #expect(status == 0, "\(text)")
    #expect(!report.kills.isEmpty)
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
}
