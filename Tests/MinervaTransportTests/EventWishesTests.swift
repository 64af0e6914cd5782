@testable import MinervaTransport
import Testing

@Suite("What subscribers ask for")
struct EventWishesTests {
  @discardableResult
  private func take(_ wishes: inout EventWishes, _ bytes: [UInt8], from connection: Int32 = 5, key: String? = nil) -> Bool {
    bytes.withUnsafeBytes { wishes.take($0, from: connection, key: key) }
  }

  private func wish(_ topic: String, ends: Bool = false) -> [UInt8] { [ends ? 0 : 1] + EventFrame.prefix(topic: topic) }

  @Test("A whole topic is wished for until its last subscriber is gone; scene1 is not scene10")
  func topics() {
    var wishes = EventWishes()
    #expect(!wishes.contains("scene1"))
    take(&wishes, wish("scene1"))
    #expect(wishes.contains("scene1"))
    #expect(!wishes.contains("scene10"))
    take(&wishes, wish("scene1", ends: true))
    #expect(!wishes.contains("scene1"))
  }

  /// Everything, a part of a topic, and more than a topic.
  private static let doubtful: [[UInt8]] = [[], [6], [6, 0, 115], [1, 0, 97, 98]]

  @Test("In doubt there is a wish", arguments: doubtful)
  func doubt(prefix: [UInt8]) {
    var wishes = EventWishes()
    take(&wishes, [1] + prefix)
    #expect(wishes.contains("scene1"))
    take(&wishes, [0] + prefix)
    #expect(!wishes.contains("scene1"))
  }

  @Test("A topic is wished for until the last of its subscribers is gone, also where it said it twice")
  func several() {
    var wishes = EventWishes()
    for connection: Int32 in [5, 6, 6] { take(&wishes, wish("t"), from: connection) }
    take(&wishes, wish("t", ends: true), from: 7)
    wishes.forget(6)
    #expect(wishes.contains("t"))
    wishes.forget(5)
    wishes.forget(5)
    #expect(!wishes.contains("t"))
  }

  @Test("Messages that are no wish are nothing; whoever wishes for more than anyone needs is named, and nobody else")
  func hostile() {
    var wishes = EventWishes()
    for bytes: [UInt8] in [[], [2], [255, 1, 1], [2, 0, 0]] { take(&wishes, bytes) }
    #expect(!wishes.contains("t"))
    for number in 0..<EventWishes.prefixLimit { #expect(take(&wishes, wish("t\(number)"))) }
    #expect(!take(&wishes, wish("one more")))
    #expect(take(&wishes, wish("t0")))
    #expect(take(&wishes, wish("one more"), from: 6))
    // In bytes as well.
    let long = String(repeating: "x", count: 1_000)
    let taken = (10_000..<12_000).prefix { take(&wishes, wish("\($0)\(long)"), from: 7) }.count
    #expect(taken == EventWishes.byteLimit / 1_007)
    // Ends make room.
    take(&wishes, wish("t0", ends: true))
    #expect(take(&wishes, wish("one more")))
  }

  @Test("Connections are found by their key")
  func keys() {
    var wishes = EventWishes()
    take(&wishes, wish("t"), from: 5, key: "anna")
    take(&wishes, wish("t"), from: 6, key: "eve")
    take(&wishes, wish("t"), from: 7)
    #expect(wishes.connections { $0 == "eve" } == [6])
  }
}
