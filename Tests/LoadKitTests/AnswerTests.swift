import ListDiff
@testable import LoadKit
import MinervaInterfaces
import MinervaWire
import Testing

/// The load test's own replay: right answers pass, and no wrong one does.
@Suite("The load test checks answers")
struct AnswerTests {
  /// What the product answers to a pair of lists.
  private func answer(_ old: LoadRows, _ new: LoadRows) throws -> [UInt8] { try old.columns().encodedChanges(to: new.columns()) }

  private func fault(_ old: LoadRows, _ answer: [UInt8], _ new: LoadRows) -> String? {
    do throws(AnswerReader.Fault) {
      try old.check(answer, against: new)
      return nil
    } catch {
      return error.text
    }
  }

  @Test("Answers to lists of every shape and of small sizes are found right", arguments: LoadLists.Shape.allCases)
  func rightAnswersPass(shape: LoadLists.Shape) throws {
    for size in [0, 1, 2, 3, 7, 100, 101, 450] {
      var lists = LoadLists(shape: shape, size: size, edits: 100, seed: UInt64(size) + 1)
      for round in 0..<20 {
        let (old, new) = lists.pair()
        let found = fault(old, try answer(old, new), new)
        #expect(found == nil, "size \(size), round \(round): \(found ?? "")")
      }
    }
  }

  @Test("An answer about other rows is found wrong, whichever row differs", arguments: [LoadLists.Shape.mixed, .sections])
  func wrongAnswersAreFound(shape: LoadLists.Shape) throws {
    var lists = LoadLists(shape: shape, size: 230, edits: 50, seed: 9)
    for _ in 0..<20 {
      let (old, new) = lists.pair()
      // What a worker that cannot keep two kept rows apart would say: the answer for another list.
      let (_, other) = lists.pair()
      #expect(fault(old, try answer(old, other), new) != nil)
      #expect(fault(new, try answer(old, new), old) != nil)
    }
  }

  @Test("A content that changed without an update is found, byte for byte")
  func lostUpdateIsFound() throws {
    var old = LoadRows()
    var new = LoadRows()
    for (id, a, b) in [("a", "1", "1"), ("b", "1", "2"), ("c", "1", "1")] {
      old.append(id.utf8, a.utf8)
      new.append(id.utf8, b.utf8)
    }
    #expect(fault(old, try answer(old, new), new) == nil)
    #expect(fault(old, try answer(old, old), new) == "row 1 has another content than was asked for")
    // An identifier that differs in one byte.
    var typo = LoadRows()
    for id in ["a", "b", "d"] { typo.append(id.utf8, "1".utf8) }
    #expect(fault(old, try answer(old, old), typo) == "row 2 has another identifier than was asked for")
  }

  @Test("A section's header that changed without an update is found, and so is an update of what did not change")
  func headers() throws {
    func rows(_ headers: [Int], content: String = "1") -> LoadRows {
      var rows = LoadRows()
      for number in headers.indices { rows.append("row \(number)".utf8, content.utf8) }
      rows.sections = headers.enumerated().map { ("section \($0.offset)", 1, $0.element) }
      return rows
    }
    let old = rows([0, 0, 0]), new = rows([0, 1, 0])
    #expect(fault(old, try answer(old, new), new) == nil)
    #expect(fault(old, try answer(old, old), new) == "section 1 has another header than was asked for")
    #expect(fault(old, try answer(old, new), old) == "section 1 is updated and did not change")
    #expect(fault(old, try answer(old, rows([0, 0, 0], content: "2")), old) == "row 0 is updated and did not change")
    // The lists of the load have such headers.
    var lists = LoadLists(shape: .sections, size: 1_000, edits: 50, seed: 5)
    for _ in 0..<20 {
      let (old, new) = lists.pair()
      let before = Dictionary(uniqueKeysWithValues: (old.sections ?? []).map { ($0.identifier, $0.header) })
      #expect((new.sections ?? []).contains { before[$0.identifier] != $0.header })
    }
  }

  @Test("Answers of bytes that were cut, flipped or made up end in a fault or a right answer, never in a trap")
  func mutatedAnswers() throws {
    var random = SplitMix64(seed: 4)
    for shape in [LoadLists.Shape.mixed, .sections] {
      var lists = LoadLists(shape: shape, size: 150, edits: 100, seed: 3)
      for _ in 0..<40 {
        let (old, new) = lists.pair()
        let right = try answer(old, new)
        for length in 0..<right.count where length % 3 == 0 { #expect(fault(old, Array(right[..<length]), new) != nil) }
        for _ in 0..<60 {
          var bytes = right
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
          _ = fault(old, bytes, new)
        }
      }
    }
    // A run of a thousand million positions in ten bytes.
    let run: [UInt8] = [0x81, 0x80, 0x80, 0x80, 0x08, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x03]
    #expect(fault(LoadRows(), [0x4c, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xff, 0xff, 0xff, 0xff, 0x0f] + run, LoadRows()) != nil)
    #expect(fault(LoadRows(), [0x4c, 1, 1, 1, 1, 0, 0, 0, 0] + [0xff, 0xff, 0xff, 0xff, 0x0f, 0] + run, LoadRows()) != nil)
    #expect(fault(LoadRows(), [0x4c, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x7f, 0], LoadRows()) != nil)
  }

  @Test("Percentiles are at most a sixty-fourth above the truth, and the last is the largest")
  func percentiles() {
    var histogram = LatencyHistogram()
    for value in 1...100_000 { histogram.add(value) }
    for parts in [1, 100, 5_000, 9_000, 9_990, 9_999] {
      let truth = parts * 10
      let found = histogram.percentile(parts)
      #expect(found >= truth && found <= truth + truth / 64 + 1, "\(parts): \(found)")
    }
    #expect(histogram.percentile(10_000) == 100_000)
    #expect(LatencyHistogram().percentile(9_999) == 0)
    #expect(!histogram.picture(width: 80).isEmpty)
  }

  @Test("A report of losses, lies or second answers is not clean, and says so in its five lines")
  func unclean() {
    var tally = DiffLoad.Tally()
    tally.started = 3
    tally.verified = 3
    for _ in 0..<3 { tally.latencies.add(100) }
    tally.elapsed = .seconds(1)
    #expect(tally.isClean)
    #expect(LoadReport(tally: tally, workers: 2, cores: 2, rate: nil).closing.count == 5)
    var lost = tally
    lost.started = 4
    #expect(lost.lost == 1)
    #expect(!lost.isClean)
    var lying = tally
    (lying.verified, lying.lieCount) = (2, 1)
    #expect(lying.lost == 0)
    #expect(!lying.isClean)
    #expect(LoadReport(tally: lying, workers: 2, cores: 2, rate: nil).closing[2] == "verified    2 of 3 answers, 1 were WRONG")
    var twice = tally
    twice.duplicated = 1
    #expect(!twice.isClean)
    var refused = tally
    refused.started = 4
    refused.refusals["bus.backpressure"] = 1
    #expect(refused.isClean)
  }
}
