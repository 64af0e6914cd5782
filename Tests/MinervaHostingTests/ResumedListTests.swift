import Minerva
import MinervaHosting
import MinervaInterfaces
import MinervaWire
import Testing

@Suite("The list of a screen that another host resumes")
struct ResumedListTests {
  /// What a broker keeps of a counter that shows a number.
  private func shown(_ start: Int) async throws -> ShownList {
    let host = try TestHost([.counter])
    await host.open("Counter", #"{"start":\#(start)}"#, as: 1)
    return try #require(await host.broker.renderings.first(1)[0].shown)
  }

  @Test("K3: a turn that was journaled and not shown becomes the change set behind the version that viewers have")
  func goesOn() async throws {
    var shown = try await shown(1)
    #expect(shown.version == 1 && shown.rows == 3 && shown.state == Array("1".utf8))
    shown.version = 6
    let host = try TestHost([.counter])
    _ = await host.resume("Counter", #"{"start":1}"#, state: "2", nextTurn: 4, lease: 2, as: 1, shown: shown)
    let report = await host.broker.renderings.first(1)[0]
    #expect(report.change.from == 6 && report.change.to == 7 && report.rendering.version == 7)
    #expect(report.change.counts == ChangeCounts(updates: 1) && !report.change.changes.isEmpty)
    #expect(report.shown?.version == 7 && report.shown?.state == Array("2".utf8))
  }

  @Test("K3: a screen that shows what it showed is a change set without changes, and nobody's work")
  func staysTheSame() async throws {
    let shown = try await shown(3)
    let host = try TestHost([.counter], differ: Refusing())
    _ = await host.resume("Counter", #"{"start":1}"#, state: "3", nextTurn: 4, lease: 2, as: 1, shown: shown)
    let report = await host.broker.renderings.first(1)[0]
    #expect(report.change.from == 1 && report.change.to == 2 && report.change.counts == ChangeCounts())
    #expect(!report.change.changes.isEmpty)
  }

  @Test("K3: rows that cannot be drawn again are replaced as a whole, behind the version that viewers have")
  func replaced() async throws {
    var shown = try await shown(1)
    shown.digest ^= 1
    shown.version = 9
    shown.rows = 70
    let host = try TestHost([.counter])
    _ = await host.resume("Counter", #"{"start":1}"#, state: "2", nextTurn: 4, lease: 2, as: 1, shown: shown)
    let report = await host.broker.renderings.first(1)[0]
    #expect(report.change.from == 9 && report.change.to == 10 && report.change.changes.isEmpty)
    #expect(report.change.counts == ChangeCounts(inserts: 3, deletes: 70))
    await host.tap("more", on: 1, lease: 2)
    let next = await host.broker.renderings.first(1)[0]
    #expect(next.change.from == 10 && next.change.counts == ChangeCounts(updates: 1))
  }

  @Test("A change that is on its way when the broker comes back follows what the broker had, and answers in its place")
  func onItsWay() async throws {
    let host = try TestHost([.counter])
    await host.open("Counter", #"{"start":1}"#, as: 1)
    _ = await host.broker.renderings.first(1)
    let gate = Gate()
    host.broker.holdRenderings(gate)
    await host.tap("more", on: 1)
    let change = await host.broker.renderings.first(1)[0].change
    #expect(change.from == 1 && change.to == 2)
    host.broker.holdRenderings(nil)
    #expect(await host.runtime.running().map(\.shows) == [true])
    await host.runtime.registered(HostReceipt(epoch: 2, lease: 3_000))
    let again = await host.broker.renderings.first(1)[0]
    #expect(again.change.from == 0 && again.change.to == 1 && !again.answersTurn)
    gate.open()
    let last = await host.broker.renderings.first(1)[0]
    #expect(last.change.from == 0 && last.change.to == 2 && last.answersTurn)
  }
}

private struct Refusing: DiffComputing {
  func changes(from old: DiffRows, to new: DiffRows, list: String) async throws -> ComputedChanges {
    throw MinervaError(.unreachable, "nobody is asked")
  }
}
