import CommandKit
import MinervaSupervision
import ShellKit
import Testing

@Suite("Logs as text")
struct LogTextTests {
  private func lines(_ texts: String...) -> [ProcessLog.Line] { texts.map { ProcessLog.Line($0) } }

  @Test("what a process wrote past its log stands with what comes behind it: its last words with its end")
  func merging() {
    let entries = LogText.merged([
      (
        "a",
        lines(
          "2026-11-30T10:00:00.000Z a  begins", "Fatal error: no", "2026-11-30T12:00:00.000Z supervisor  a generation 1 ended",
          // The clock was set back.
          "2026-11-30T09:00:00.000Z a  begins again", "nothing follows this")
      ), ("b", lines("no time at all")), ("c", lines("2026-11-30T11:00:00.000Z c  in between")),
    ])
    #expect(
      entries.map(\.line.text) == [
        "no time at all", "a  begins", "c  in between", "Fatal error: no", "supervisor  a generation 1 ended", "a  begins again",
        "nothing follows this",
      ])
  }

  @Test("a crash report is not cut off from what it is about")
  func crashReports() {
    let report =
      lines("2026-11-30T10:00:00.000Z a  begins", "App/main.swift:3: Fatal error: empty", "", "*** Signal 4: Backtracing…", "")
      + (0..<60).map { ProcessLog.Line(time: nil, text: "\($0) in frame at file.swift") }
    let tail = LogText.tail(report, 40)
    #expect(
      tail.prefix(3).map(\.text) == [
        "App/main.swift:3: Fatal error: empty", "*** Signal 4: Backtracing…", "… 22 lines of its report; --lines shows more",
      ])
    #expect(tail.count == 43 && tail.last?.text == "59 in frame at file.swift")
    // With its head in sight, or another life begun since, the last lines are just those.
    #expect(LogText.tail(report, 64).map(\.text) == report.suffix(64).map(\.text))
    let later = report + lines("2026-11-30T11:00:00.000Z a  begins") + (0..<5).map { ProcessLog.Line(time: nil, text: "printed \($0)") }
    #expect(LogText.tail(later, 3).map(\.text) == ["printed 2", "printed 3", "printed 4"])
    #expect(LogText.tail([], 40).isEmpty && LogText.tail(later, 0).isEmpty)
  }

  @Test("a line has its time, whose it is and what it says; programs get the time as it was written")
  func text() {
    let line = ProcessLog.Line("2001-02-03T04:05:06.789Z shop-1  serves\u{1B}[0m")
    let shown = LogText(names: ["shop-1", "workouts-1"], oldest: line.time, isJSON: false).text(.init(process: "shop-1", line: line))
    #expect(shown.hasSuffix(":06.789  shop-1      serves\\x1b[0m") && shown.hasPrefix("02-0"), "\(shown)")
    let json = LogText(names: ["shop-1"], oldest: nil, isJSON: true)
    #expect(
      json.text(.init(process: "shop-1", line: ProcessLog.Line("2001-02-03T04:05:06.789Z shop-1  serves")))
        == #"{"process":"shop-1","time":"2001-02-03T04:05:06.789Z","line":"shop-1  serves"}"#)
    #expect(
      json.text(.init(process: "shop-1", line: ProcessLog.Line("Fatal error: x")))
        == #"{"process":"shop-1","time":null,"line":"Fatal error: x"}"#)
    let ends = ProcessLog.Line("\(ProcessLog.stamp) supervisor  shop-1 generation 1, pid 7, ended unexpectedly: signal 4")
    let people = LogText(names: ["shop-1"], oldest: ends.time, isJSON: false)
    #expect(
      people.text(.init(process: "shop-1", line: ends)).dropFirst(12) == "  shop-1  generation 1, pid 7, ended unexpectedly: signal 4")
  }
}
