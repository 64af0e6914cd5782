import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import Testing

/// What is on its way to a host is neither lost nor too much at once (N7).
@Suite("Orders on their way")
struct OrderLaneTests {
  private static let scene = SceneIdentity(name: "main", app: "shop", incarnation: 1)

  private func order(_ number: UInt32, _ bytes: Int) -> HostOrder {
    let message = Message(number: number, body: .input([UInt8](repeating: 7, count: bytes)))
    return .deliver(Self.scene, Delivery(screen: ScreenID(1), host: "shop-1", lease: 1, message: message), at: .zero)
  }

  private func numbers(_ batch: [HostOrder]) -> [UInt32] {
    batch.compactMap { if case .deliver(_, let delivery, _) = $0 { delivery.message.number } else { nil } }
  }

  @Test("N7: a batch of several orders fits an ordinary message, whatever their sizes; all come, in order")
  func batchesFit() throws {
    for seed in UInt64(1)...20 {
      var random = SplitMix64(seed: seed)
      let lane = OrderLane()
      let count = UInt32.random(in: 1...600, using: &random)
      for number in 1...count { _ = lane.append(order(number, Bool.random(using: &random) ? 9 : .random(in: 0...600_000, using: &random))) }
      var sent: [UInt32] = []
      while let batch = lane.next() {
        #expect(!batch.isEmpty, "seed \(seed)")
        if batch.count > 1 { #expect(try CBOR.encode(batch).count < Limits.standard.messageBytes - 4_096, "seed \(seed)") }
        sent += numbers(batch)
      }
      #expect(sent == Array(1...count), "seed \(seed)")
    }
  }

  @Test("N15: a batch that is too large for its host is sent one by one, and a single message leaves its number and the reason")
  func tooLarge() {
    let error = MinervaError.tooLarge("the message", bytes: 9, limit: 8)
    let singles = OrderLane.split([order(1, 9), order(2, 9)], after: error)
    #expect(singles.map(numbers) == [[1], [2]])
    let instead = OrderLane.split(singles[0], after: error)
    #expect(instead.map(numbers) == [[1]])
    guard case .deliver(_, let delivery, _)? = instead.first?.first, case .undelivered(let refusal) = delivery.message.body else {
      Issue.record("nothing is told in its place")
      return
    }
    #expect(refusal.code == "bus.too_large")
    #expect(OrderLane.split(instead[0], after: error).isEmpty)
  }
}
