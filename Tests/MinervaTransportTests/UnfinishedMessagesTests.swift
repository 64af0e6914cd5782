import Testing

@testable import MinervaTransport

@Suite("Messages without an end")
struct UnfinishedMessagesTests {
  /// What has come in on each connection.
  private var received: [Int32: UInt64] = [:]
  private var messages = UnfinishedMessages(largest: 1_000, first: 2_000)

  private mutating func look() -> [Int32] {
    let received = received
    return messages.look { received[$0] }
  }

  private mutating func begin(_ connection: Int32, received bytes: UInt64 = 0) {
    received[connection] = bytes
    messages.begin(connection, received: bytes)
  }

  @Test("a connection that finishes messages may send without end; one that finishes none is let go past two of the largest")
  mutating func endless() {
    begin(1)
    begin(2)
    for round in 1...1_000 {
      received[1] = UInt64(round) * 1_900
      messages.finished(1)
      if round <= 2 { received[2] = UInt64(round) * 1_000 }
      #expect(look() == [], "round \(round)")
    }
    received[2] = 4_001
    #expect(look() == [2])
    #expect(look() == [], "it was said once")
    #expect(messages.end(2) > 2_000, "what it held is free when it has ended")
    #expect(messages.end(1) == 0)
  }

  @Test("small pieces add up, however slowly they come")
  mutating func pieces() throws {
    begin(1, received: 5_000_000)
    var rounds = 0
    while rounds < 1_000 {
      rounds += 1
      received[1]? += UnfinishedMessages.beats + 100
      guard look().isEmpty else { break }
    }
    // What signs of life may take is not counted, and the last piece is, whole.
    #expect(rounds == 20, "pieces of 100 bytes beside signs of life")
  }

  @Test("signs of life alone are no message, however many come")
  mutating func beats() {
    begin(1)
    for _ in 0..<100_000 {
      received[1]? += UnfinishedMessages.beats
      #expect(look() == [])
    }
  }

  @Test("together they have a bound too: the largest ones go first, and only as many as must")
  mutating func together() {
    for connection in 1...12 { begin(Int32(connection)) }
    // 100, 200 … 1,200 are far within it.
    for connection in 1...12 { received[Int32(connection)] = UInt64(connection) * 100 }
    #expect(look() == [])
    for connection in 1...12 { received[Int32(connection)] = 1_400 + UInt64(connection) * 10 }
    // 16,812 of 16,000, what signs of life may have taken left out.
    #expect(look() == [12])
    #expect(messages.end(11) == 1_446)
    for connection in 1...10 { received[Int32(connection)] = 1_500 + UInt64(connection) }
    #expect(look() == [], "an ended one does not count")
  }

  @Test("a connection whose count cannot be had is passed over")
  mutating func unknown() {
    begin(1)
    received[1] = nil
    #expect(look() == [])
    #expect(!messages.isEmpty)
    #expect(messages.end(1) == 0)
    #expect(messages.isEmpty)
  }

  @Test("who is new is looked at closely until its first message is whole")
  mutating func urgent() {
    begin(1)
    #expect(messages.isUrgent)
    #expect(look() == [] && messages.isUrgent)
    messages.finished(1)
    #expect(look() == [] && !messages.isUrgent)
    #expect(look() == [] && !messages.isUrgent)
  }

  @Test("who has said nothing yet may send a first message, and no more than one of those is long")
  mutating func strangers() {
    messages = UnfinishedMessages(largest: 1_000, first: 300)
    begin(1)
    begin(2)
    received = [1: 300, 2: 301]
    #expect(look() == [2])
    #expect(messages.isUrgent)
    received[1] = 310
    messages.finished(1)
    #expect(look() == [] && !messages.isUrgent)
    // It is known now.
    received[1] = 310 + 2_000
    #expect(look() == [] && messages.isUrgent)
    received[1] = 310 + UnfinishedMessages.beats + 2_001
    #expect(look() == [1])
  }
}
