@testable import MinervaTransport
import Testing

@Suite("What subscribers ask for")
struct EventWishesTests {
  private func take(_ wishes: inout EventWishes, _ bytes: [UInt8]) { bytes.withUnsafeBytes { wishes.take($0) } }

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

  @Test("Messages that are no wish are nothing, and more wishes than anyone needs are not kept")
  func hostile() {
    var wishes = EventWishes()
    for bytes: [UInt8] in [[], [2], [255, 1, 1], [2, 0, 0]] { take(&wishes, bytes) }
    #expect(!wishes.contains("t"))
    for number in 0...EventWishes.limit { take(&wishes, wish("t\(number)")) }
    #expect(wishes.contains("anything at all"))
  }
}
