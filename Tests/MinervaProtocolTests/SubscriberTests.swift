import MinervaProtocol
import Testing

@Suite("Subscriber") struct SubscriberTests {
  typealias Reader = SubscriberStateMachine<String>

  private func at(_ milliseconds: Int64) -> Moment { Moment(milliseconds: milliseconds) }

  /// Actions as words, since events need not be comparable.
  private func words(_ actions: [Reader.Action]) -> [String] {
    actions.map {
      switch $0 {
      case .requestSnapshot(let request): "ask \(request)"
      case .reset(let through): "reset \(through)"
      case .apply(let event, let number): "apply \(number) \(event)"
      case .incomplete(let reason): "incomplete \(reason)"
      case .complete: "complete"
      }
    }
  }

  private func live(_ settings: Reader.Settings = .init(), through: UInt64 = 10) -> Reader {
    var reader = Reader(settings: settings)
    #expect(words(reader.start(at: at(0))) == ["incomplete starting", "ask 1"])
    #expect(words(reader.snapshot(1, through: through, publisher: 1, at: at(1))) == ["reset \(through)", "complete"])
    return reader
  }

  @Test func `C06: events before the snapshot are kept, older ones dropped, the rest applied in order`() {
    var reader = Reader()
    _ = reader.start(at: at(0))
    for number in 4...7 as ClosedRange<UInt64> { #expect(words(reader.event("e\(number)", number: number, publisher: 1, at: at(1))) == []) }
    #expect(
      words(reader.snapshot(1, through: 5, publisher: 1, at: at(2))) == ["reset 5", "apply 6 e6", "apply 7 e7", "complete"])
    #expect(reader.lastApplied == 7 && reader.isComplete)
  }

  @Test func `C06: a gap asks for a snapshot and is never shown as complete; duplicates are nothing`() {
    var reader = live()
    #expect(words(reader.event("a", number: 11, publisher: 1, at: at(2))) == ["apply 11 a"])
    #expect(words(reader.event("a", number: 11, publisher: 1, at: at(2))) == [])
    #expect(words(reader.event("c", number: 13, publisher: 1, at: at(3))) == ["incomplete gap", "ask 2"])
    #expect(!reader.isComplete && reader.gaps == 1)
    #expect(words(reader.snapshot(1, through: 99, publisher: 1, at: at(3))) == [], "an answer to an earlier question")
    #expect(words(reader.snapshot(2, through: 12, publisher: 1, at: at(4))) == ["reset 12", "apply 13 c", "complete"])
  }

  @Test func `a gap among the kept events asks again`() {
    var reader = live()
    _ = reader.event("13", number: 13, publisher: 1, at: at(2))
    #expect(words(reader.event("20", number: 20, publisher: 1, at: at(3))) == [])
    #expect(words(reader.snapshot(2, through: 15, publisher: 1, at: at(4))) == ["reset 15", "ask 3"])
    #expect(!reader.isComplete)
    #expect(words(reader.snapshot(3, through: 19, publisher: 1, at: at(5))) == ["reset 19", "apply 20 20", "complete"])
  }

  @Test func `memory is bounded while a snapshot is awaited`() {
    var settings = Reader.Settings()
    settings.buffered = 10
    var reader = Reader(settings: settings)
    _ = reader.start(at: at(0))
    for number in 1...1_005 as ClosedRange<UInt64> {
      _ = reader.event("x", number: number, publisher: 1, at: at(1))
      #expect(reader.bufferedCount <= 10)
    }
    #expect(words(reader.snapshot(1, through: 500, publisher: 1, at: at(2))).last == "ask 2")
    #expect(!reader.isComplete)
  }

  @Test func `the loss of the last events is noticed by the watermark or by silence`() {
    var reader = live()
    #expect(words(reader.watermark(10, publisher: 1, at: at(100))) == [])
    #expect(words(reader.watermark(12, publisher: 1, at: at(200))) == ["incomplete gap", "ask 2"])
    _ = reader.snapshot(2, through: 12, publisher: 1, at: at(300))
    #expect(reader.nextDeadline == at(3_300))
    #expect(words(reader.tick(at(3_300))) == ["incomplete silent", "ask 3"])
    #expect(words(reader.tick(at(4_300))) == ["ask 4"])
  }

  @Test func `another life of the publisher starts over`() {
    var reader = live()
    #expect(words(reader.event("n", number: 1, publisher: 2, at: at(2))) == ["incomplete publisherChanged", "ask 2"])
    #expect(words(reader.snapshot(2, through: 1, publisher: 2, at: at(3))) == ["reset 1", "complete"])
    #expect(words(reader.connectionLost(at: at(4))) == ["incomplete connectionLost", "ask 3"])
    _ = reader.event("o", number: 2, publisher: 2, at: at(5))
    #expect(words(reader.snapshot(3, through: 7, publisher: 3, at: at(6))) == ["ask 4"])
  }
}
