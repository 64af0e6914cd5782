import MinervaProtocol
import MinervaWire
import Testing

@Suite("Event lane") struct EventLaneTests {
  typealias Lane = EventLaneStateMachine<UInt64>

  private func drain(_ lane: inout Lane) -> [UInt64] {
    var out: [UInt64] = []
    while let next = lane.next {
      out.append(next)
      lane.sent()
    }
    return out
  }

  @Test func `C06: events go out by credit and in order, the rest waits`() {
    var lane = Lane()
    for number in 1...5 as ClosedRange<UInt64> { lane.publish(number, bytes: 1) }
    #expect(drain(&lane) == [])
    lane.grant(2)
    #expect(drain(&lane) == [1, 2])
    lane.grant(9)
    #expect(drain(&lane) == [3, 4, 5] && lane.credit == 6)
    lane.publish(6, bytes: 1)
    #expect(lane.next == 6 && lane.next == 6, "an event that the link did not take stays the next one")
  }

  @Test func `C06: at a bound all is given up but the newest, whose number shows the gap`() {
    var settings = Lane.Settings()
    settings.events = 3
    settings.bytes = 100
    var lane = Lane(settings: settings)
    for number in 1...4 as ClosedRange<UInt64> { lane.publish(number, bytes: 1) }
    #expect(lane.waiting == 1 && lane.dropped == 3 && lane.next == nil)
    lane.publish(5, bytes: 100)
    #expect(lane.waiting == 1 && lane.dropped == 4)
    lane.publish(6, bytes: 1_000)
    #expect(lane.waiting == 1, "one event fits, whatever its size")
    lane.grant(.max)
    #expect(drain(&lane) == [6])
    lane.grant(.max)
    #expect(lane.credit == settings.credit, "credit does not run over")
  }

  @Test(arguments: [1, 2, 3, 77, 4_242] as [UInt64])
  func `C06: whatever the reader grants, it sees an ascending run that ends with the newest event, and the bounds hold`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var settings = Lane.Settings()
    settings.events = 40
    settings.bytes = 2_000
    var lane = Lane(settings: settings)
    var seen: [UInt64] = []
    var published: UInt64 = 0
    var granted: UInt64 = 0
    for _ in 0..<5_000 {
      if UInt8.random(in: 0..<10, using: &random) < 7 {
        published += 1
        lane.publish(published, bytes: Int.random(in: 1...120, using: &random))
      } else {
        let events = UInt32.random(in: 0...12, using: &random)
        granted += UInt64(events)
        lane.grant(events)
      }
      if Bool.random(using: &random) { seen += drain(&lane) }
      #expect(lane.waiting <= settings.events && UInt64(seen.count) <= granted, "seed \(seed)")
    }
    lane.grant(.max)
    seen += drain(&lane)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 } && seen.last == published, "seed \(seed)")
    #expect(seen.count + lane.dropped == Int(published), "seed \(seed)")
  }
}
