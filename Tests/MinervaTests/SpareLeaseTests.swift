@testable import Minerva
import MinervaInterfaces
import MinervaProtocol
import Testing

@Suite("The lease of a burst's next job")
struct SpareLeaseTests {
  private func lease(_ job: String, _ worker: String = "diff-1") -> DiffLease {
    DiffLease(job: job, worker: worker, endpoint: "ipc:///\(worker)", attempt: 1, life: 1)
  }

  private func at(_ milliseconds: Int64) -> Moment { Moment(milliseconds: milliseconds) }

  @Test("It is asked for when a job of a burst is sent, once, and taken by the next")
  func askedAhead() throws {
    var spare = SpareLease(prefix: "me")
    spare.begins(at: at(0))
    let names = [spare.sent(), spare.ended(at: at(1))]
    #expect(names == [nil, nil], "one job is no burst")
    spare.begins(at: at(2))
    let asked = [spare.sent(), spare.sent()]
    let name = try #require(asked[0])
    let early = spare.take(preferring: nil)
    #expect(asked[1] == nil && early == nil, "it is not there yet")
    let isWanted = spare.granted(lease(name))
    let again = spare.ended(at: at(3))
    #expect(isWanted && again == nil, "it is there")
    let stranger = spare.take(preferring: DiffWorkerLife(worker: "diff-2", life: 1))
    let taken = spare.take(preferring: DiffWorkerLife(worker: "diff-1", life: 1))
    let second = spare.take(preferring: nil)
    #expect(stranger == nil && taken?.job == name && second == nil)
  }

  @Test("None is kept from others while leases take long")
  func crowded() {
    var spare = SpareLease(prefix: "me")
    _ = spare.ended(at: at(0))
    spare.begins(at: at(1))
    spare.crowd()
    let names = [spare.sent(), spare.ended(at: at(9))]
    #expect(names == [nil, nil])
    spare.begins(at: at(10))
    let next = spare.sent()
    #expect(next != nil, "the next job had its lease at once")
  }

  @Test("One that nobody needed is given back, and asked for again at the answer")
  func expired() throws {
    var spare = SpareLease(prefix: "me")
    _ = spare.ended(at: at(0))
    spare.begins(at: at(1))
    let sent = spare.sent()
    let first = try #require(sent)
    _ = spare.granted(lease(first))
    let expiries = [spare.expire(first), spare.expire(first)]
    let taken = spare.take(preferring: nil)
    #expect(expiries == [true, false] && taken == nil)
    let answered = spare.ended(at: at(100))
    let second = try #require(answered)
    let isWanted = spare.granted(lease(first))
    #expect(second != first && !isWanted)
    spare.refused(second)
    spare.begins(at: at(200))
    let late = spare.sent()
    #expect(late == nil, "the burst is over")
  }
}
