@testable import Minerva
import MinervaInterfaces
import MinervaProtocol
import Testing

@Suite("The lease of a burst's next job")
struct SpareLeaseTests {
  private func lease(_ job: String, _ worker: String = "diff-1", attempt: Int = 1) -> DiffLease {
    DiffLease(job: job, worker: worker, endpoint: "ipc:///\(worker)", attempt: attempt, life: 1)
  }

  private func at(_ milliseconds: Int64) -> Moment { Moment(milliseconds: milliseconds) }

  /// One whose second job began at 2.
  private func inBurst() -> SpareLease {
    var spare = SpareLease(prefix: "me")
    spare.begins(at: at(0))
    _ = spare.keeps(lease("1"), since: at(0), at: at(1))
    spare.begins(at: at(2))
    return spare
  }

  @Test("That of an answered job serves the next one of a burst, and is taken once")
  func kept() throws {
    var spare = SpareLease(prefix: "me")
    spare.begins(at: at(0))
    let first = spare.keeps(lease("1"), since: at(0), at: at(1))
    #expect(!first, "one job is no burst")
    spare.begins(at: at(2))
    let second = spare.keeps(lease("2"), since: at(2), at: at(3))
    let asked = spare.ended()
    #expect(second && asked == nil)
    let further = spare.keeps(lease("3"), since: at(2), at: at(4))
    #expect(!further, "one is enough")
    let stranger = spare.take(preferring: DiffWorkerLife(worker: "diff-2", life: 1))
    let taken = spare.take(preferring: DiffWorkerLife(worker: "diff-1", life: 1))
    let again = spare.take(preferring: nil)
    #expect(stranger == nil && again == nil)
    #expect(taken?.lease.job == "2" && taken?.since == at(2))
  }

  @Test("One serves jobs for a bounded time, and none that has cost a worker is kept")
  func bounded() {
    var spare = inBurst()
    let tooOld = spare.keeps(lease("old"), since: at(0), at: at(SpareLease.patience + 1))
    let costly = spare.keeps(lease("costly", attempt: 2), since: at(2), at: at(3))
    #expect(!tooOld && !costly)
    let justRight = spare.keeps(lease("young"), since: at(0), at: at(SpareLease.patience))
    #expect(justRight)
  }

  @Test("That of a list, whose next job would end it, is not kept, and makes a burst all the same")
  func ofLists() throws {
    var spare = SpareLease(prefix: "me")
    spare.begins(at: at(0))
    let first = spare.keeps(lease("1"), ofList: true, since: at(0), at: at(1))
    spare.begins(at: at(2))
    let second = spare.keeps(lease("2"), ofList: true, since: at(2), at: at(3))
    let asked = spare.ended()
    #expect(!first && !second && asked != nil, "the next job has one of its own, without the list")
  }

  @Test("While a lease grows old the next one is asked for, once")
  func askedAhead() throws {
    var spare = inBurst()
    let early = spare.sent(since: at(2), at: at(3))
    #expect(early == nil, "the job's own will do")
    let asked = [spare.sent(since: at(2), at: at(20)), spare.sent(since: at(2), at: at(20))]
    let name = try #require(asked[0])
    let tooEarly = spare.take(preferring: nil)
    #expect(asked[1] == nil && tooEarly == nil, "it is not there yet")
    let isWanted = spare.granted(lease(name), at: at(21))
    let own = spare.keeps(lease("2"), since: at(2), at: at(22))
    let again = spare.ended()
    #expect(isWanted && !own && again == nil, "it is there")
    let taken = spare.take(preferring: nil)
    #expect(taken?.lease.job == name && taken?.since == at(21))
  }

  @Test("None is kept from others while leases take long")
  func crowded() {
    var spare = inBurst()
    spare.crowd()
    let kept = spare.keeps(lease("2"), since: at(2), at: at(9))
    let names = [spare.sent(since: at(0), at: at(20)), spare.ended()]
    #expect(!kept && names == [nil, nil])
    spare.begins(at: at(10))
    let next = spare.keeps(lease("3"), since: at(10), at: at(11))
    #expect(next, "the next job had its lease at once")
  }

  @Test("One that nobody needed is given back, and asked for again at the answer")
  func expired() throws {
    var spare = inBurst()
    _ = spare.keeps(lease("2"), since: at(2), at: at(3))
    #expect(spare.expiry == at(3 + SpareLease.patience))
    let expiries = [spare.expire(at: at(27)), spare.expire(at: at(28)), spare.expire(at: at(28))]
    let taken = spare.take(preferring: nil)
    #expect(expiries == [nil, "2", nil] && taken == nil && spare.expiry == nil)
    let answered = spare.ended()
    let second = try #require(answered)
    let isWanted = spare.granted(lease("other"), at: at(40))
    #expect(!isWanted)
    spare.refused(second)
    spare.begins(at: at(200))
    let late = spare.sent(since: at(0), at: at(200))
    #expect(late == nil, "the burst is over")
  }
}
