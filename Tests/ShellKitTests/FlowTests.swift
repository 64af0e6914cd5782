import CommandKit
import MinervaWire
import ShellKit
import TestSupport
import Testing

/// Collects what a run reports.
private actor Reports: FlowReporter {
  private(set) var failures: [FlowFailure] = []
  private(set) var recoveries: [Recovery] = []
  private(set) var lines: [String] = []

  func carriedOut(_ step: FlowStep, lines: [String], events: [EventText], in script: FlowScript) { self.lines += lines }
  func failed(_ failure: FlowFailure, in script: FlowScript) { failures.append(failure) }
  func recovered(_ recovery: Recovery, in script: FlowScript) { recoveries.append(recovery) }
}

private struct DoubleStage: FlowStage {
  var forgetsRows = false
  var isBroken = false

  func open(_ script: FlowScript) async throws(MinervaError) -> any SceneTarget {
    if isBroken { throw MinervaError(.unreachable, "no set") }
    return SceneDouble(forgetsRows: forgetsRows)
  }
}

@Suite("Flow scripts")
struct FlowTests {
  /// Time passes by itself with every look at it, so that a wait that fails costs nothing.
  private func clock() -> SessionClock {
    let ticks = Ticks()
    return SessionClock(
      now: { ticks.next() },
      sleep: { span in
        let end = ticks.next() + span
        while ticks.next() < end, !Task.isCancelled { await Task.yield() }
      })
  }

  private func run(
    _ text: String, stage: DoubleStage = DoubleStage(), options: FlowRunner.Options = FlowRunner.Options()
  ) async throws -> (FlowResult, [Recovery]) {
    let script = try FlowScript.parse(text, file: "a.flow")
    let reports = Reports()
    let results = await FlowRunner(stage: stage, reporter: reports, options: options, clock: clock()).run([script])
    #expect(await reports.failures == results[0].failures)
    return (results[0], await reports.recoveries)
  }

  private func failure(_ text: String) async throws -> String {
    let (result, _) = try await run("open Home via root\n" + text)
    return result.failures.map { "\($0.line) \($0.code): \($0.reason)" }.joined(separator: "\n")
  }

  @Test func `every form of expect holds where it should`() async throws {
    let (result, _) = try await run(
      """
      open Tabs via root
      expect tab home
      tab orders
      expect tab orders
      expect stack main == [Tabs]
      expect stack main/orders == [Orders]
      open Item {"id":3, "x":[1]} as @i
      expect stack main/orders == [Orders, Item {"x":[1],"id":3.0}]
      expect stack main/orders == [s3, @i]
      expect event screen.presented module=Item
      expect modal none
      open Login via modal
      expect modal Login
      dismiss
      expect removed @login reason=dismissed once
      tap @i out
      expect output @i {"theme":"dark"}
      tap @i nope
      expect error screen.no_such_row
      tap @i add
      expect changes @i insert=1
      expect rows @i count==2
      expect rows @i contains "row r"
      expect row @i r1 "row r1"
      expect screen @i ~ "The Item"
      expect enabled @i go
      expect enabled @i r1
      tap @i done
      expect result @i {"id":4}
      expect removed @i reason=finished
      back
      expect error nav.*
      expect no leaks
      wait settled
      """)
    #expect(result.failures.map(\.lines) == [])
    #expect(result.held == 23)
  }

  @Test func `a quiet scene decides an expectation on its state, and an event is waited for`() async throws {
    func spent(_ line: String) async throws -> Duration {
      let clock = clock()
      let session = Session(target: SceneDouble(), clock: clock)
      try await session.start()
      for statement in try ["open Home via root", line].flatMap({ try Statement.parse($0) }) {
        _ = await session.execute(statement) { _ in }
      }
      await session.close()
      return clock.now()
    }
    // Half a second, and the second that a hint may take at most, which passes at once on this clock; five without a decision.
    #expect(try await spent("expect modal Login") < .seconds(3))
    #expect(try await spent("expect output top {}") < .seconds(3))
    #expect(try await spent("expect modal Login --timeout 3s") > .seconds(3))
    #expect(try await spent("expect event screen.removed") > .seconds(5))
  }

  @Test func `every form of expect can fail, and says what was found`() async throws {
    #expect(try await failure("expect stack main == [Home, Item]") == "2 expect.failed: found main [s1 Home]")
    #expect(try await failure("expect stack main == [Hom]") == "2 expect.failed: found main [s1 Home]; did you mean Home?")
    #expect(try await failure("expect modal Detial") == "2 expect.failed: no modal layer; did you mean Detail?")
    #expect(try await failure("expect stack main == [Other]") == "2 expect.failed: found main [s1 Home]")
    #expect(try await failure("expect stack main == [Home {\"a\":1}]") == "2 expect.failed: found main [s1 Home]")
    #expect(try await failure("expect stack main/x == []") == "2 expect.failed: there is no stack at main/x")
    #expect(try await failure("expect tab x") == "2 expect.failed: the visible place is main")
    #expect(try await failure("expect modal Login") == "2 expect.failed: no modal layer")
    #expect(try await failure("open Login via modal\nexpect modal none") == "3 expect.failed: 1 modal layers, Login on top")
    #expect(try await failure("expect error nav.busy") == "2 expect.failed: the command before was done; error nav.busy was expected")
    #expect(
      try await failure("back\nexpect error nav.busy").hasPrefix("3 expect.failed: the command before ended with nav.root_protected"))
    #expect(try await failure("expect removed @home") == "2 expect.failed: s1 is still there")
    #expect(
      try await failure("open Item\nback\nexpect removed @item reason=dismissed") == "4 expect.failed: s2 was removed with reason=popped")
    #expect(try await failure("expect rows top count==7") == "2 expect.failed: top has 1 rows")
    #expect(try await failure("expect rows top contains zzz") == "2 expect.failed: no row of top shows \"zzz\"")
    #expect(try await failure("expect row top r2 x") == "2 expect.failed: top has no row r2; did you mean r1?")
    #expect(try await failure("expect row top r1 x") == "2 expect.failed: row r1 shows \"row r1\"")
    #expect(try await failure("tap top add\nexpect changes top insert=2") == "3 expect.failed: s1 changed by insert=1")
    #expect(try await failure("tap top add\nexpect changes top update=0") == "3 expect.failed: s1 changed by insert=1")
    // The first change has been heard of before the second tap.
    #expect(
      try await failure("tap top add\nexpect changes top insert=1\ntap top r1\nexpect changes top insert=1")
        == "5 expect.failed: s1 did not change")
    #expect(try await failure("expect screen top ~ zzz") == "2 expect.failed: top does not show \"zzz\"")
    #expect(try await failure("expect enabled top stop") == "2 expect.failed: stop is disabled")
    #expect(try await failure("expect enabled top zzz") == "2 expect.failed: top has no command zzz")
    #expect(try await failure("expect output top {}") == "2 expect.failed: s1 gave no output since the last command")
    #expect(try await failure("tap top out\nexpect output top {}") == "3 expect.failed: s1 gave {\"theme\":\"dark\"}")
    #expect(try await failure("expect result top {}") == "2 expect.failed: s1 has not ended")
    #expect(try await failure("expect event screen.removed") == "2 expect.failed: no event screen.removed since the last command")
    #expect(try await failure("wait event gesture --timeout 1s") == "2 bus.deadline: no event gesture within 1s")
  }

  @Test func `an error fails the script unless the next line expects it`() async throws {
    #expect(try await failure("back").hasPrefix("2 nav.root_protected"))
    #expect(try await failure("back\ntree\nexpect error nav.root_protected").hasPrefix("2 nav.root_protected"))
    #expect(try await failure("back; expect error nav.root_protected") == "")
    #expect(try await failure("back\n\n# a word\nexpect error nav.root_protected\ntree") == "")
  }

  @Test func `exhaustive scripts fail on what nobody expected`() async throws {
    #expect(
      try await failure("expect exhaustive\nopen Item\nback\ntree").hasPrefix("5 expect.failed: not expected: #5 screen.removed s2 Item"))
    #expect(
      try await failure("expect exhaustive\nopen Item\nback\nexpect removed @item\ntap top add").contains("not expected: - list.changed"))
    #expect(try await failure("expect exhaustive\nopen Item\nback\nexpect removed @item\ntap top add\nexpect changes top insert=1") == "")
  }

  @Test func `a failure shows the tree before the last command and now`() async throws {
    let (result, _) = try await run("open Home via root\nopen Item id=3\nexpect stack main == [Home]\ntree")
    #expect(
      result.failures.first?.lines == [
        "a.flow:3: expect stack main == [Home]", "  expect.failed: found main [s1 Home, s2 Item{id:\"3\"}]",
        "  tree before the last command:",
        "  - main [s1 Home]", "  tree now:", "  + main [s1 Home, s2 Item{id:\"3\"}]",
      ])
    #expect(result.statements == 3)
  }

  @Test func `stop at the first failure, or keep going (D01)`() async throws {
    let text = "open Home via root\nback\ntab x\nexpect modal none"
    #expect(try await run(text).0.failures.map(\.line) == [2])
    var options = FlowRunner.Options()
    options.keepsGoing = true
    #expect(try await run(text, options: options).0.failures.map(\.line) == [2, 3])
  }

  @Test func `a kill becomes a recovery with both processes and both states`() async throws {
    let text = "open Home via root\ntap top add\nfault kill shop-1\nexpect stack main == [Home]\nnote \"next\""
    let (result, recoveries) = try await run(text)
    #expect(result.failures.map(\.lines) == [])
    #expect(recoveries.map(\.process) == ["shop-1"])
    #expect(recoveries.first?.oldPid == 100 && recoveries.first?.newPid == 101)
    #expect(recoveries.first?.isEqual == true)
    #expect(recoveries.first?.json.contains("\"equal\":true") == true)
    let (_, different) = try await run(text, stage: DoubleStage(forgetsRows: true))
    #expect(different.first?.isEqual == false)
    #expect(try await failure("fault kill nobody").hasPrefix("2 process.unknown"))
  }

  @Test func `files run in order or several at a time, and are filtered`() async throws {
    let scripts = try (1...6).map {
      try FlowScript.parse(
        "flow \"number \($0)\"\nopen Home via root\(String(repeating: "\nback", count: $0 == 3 ? 1 : 0))", file: "f\($0)")
    }
    func run(_ change: (inout FlowRunner.Options) -> Void) async -> [FlowResult] {
      var options = FlowRunner.Options()
      change(&options)
      return await FlowRunner(stage: DoubleStage(), reporter: Reports(), options: options, clock: clock()).run(scripts)
    }
    let stopped = await run { _ in }
    #expect(stopped.map(\.isSkipped) == [false, false, false, true, true, true])
    #expect(FlowRunner.exitCode(stopped) == .refused)
    let all = await run {
      $0.keepsGoing = true
      $0.jobs = 4
    }
    #expect(all.map(\.file) == ["f1", "f2", "f3", "f4", "f5", "f6"])
    #expect(all.map(\.isGood) == [true, true, false, true, true, true])
    #expect(await run { $0.filter = "number 4" }.map(\.file) == ["f4"])
    let broken = await FlowRunner(stage: DoubleStage(isBroken: true), reporter: Reports(), clock: clock()).run([scripts[0]])
    #expect(FlowRunner.exitCode(broken) == .unreachable)
  }

  @Test func `JUnit reports are well formed whatever is in them`() {
    var good = FlowResult(file: "a<b>.flow", title: "good & \"well\"")
    good.duration = .milliseconds(1_005)
    var bad = FlowResult(file: "b.flow", title: "bad")
    bad.failures = [
      FlowFailure(file: "b.flow", line: 2, source: "x\u{1B}", code: "expect.failed", reason: "a < b", before: ["x"], after: ["y"])
    ]
    var skipped = FlowResult(file: "c.flow", title: "skipped")
    skipped.isSkipped = true
    #expect(snapshotMismatch(JUnitReport.text([good, bad, skipped]), "junit.xml") == nil)
  }
}
