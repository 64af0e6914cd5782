@testable import MinervaBrokerCore
import MinervaProtocol
import Testing

@Suite("The moments at which scenes are woken")
struct WakeQueueTests {
  @Test("a scene that changes its mind is woken at its last moment alone, the earliest first", arguments: UInt64(1)...20)
  func model(seed: UInt64) {
    var dice = seed &* 0x9E37_79B9_7F4A_7C15
    func roll(_ sides: UInt64) -> UInt64 {
      dice ^= dice << 13
      dice ^= dice >> 7
      dice ^= dice << 17
      return dice % sides
    }
    var queue = WakeQueue()
    var model: [String: Moment] = [:]
    for _ in 0..<2_000 {
      let scene = "s\(roll(9))"
      switch roll(8) {
      case 0:
        queue.remove(scene)
        model[scene] = nil
      case 1:
        if let first = queue.first { model[first.scene] = nil }
        queue.removeFirst()
      default:
        let at = Moment(milliseconds: Int64(roll(50)))
        queue.insert(WakeQueue.Entry(at: at, scene: scene))
        model[scene] = at
      }
      #expect(queue.first?.at == model.values.min(), "seed \(seed)")
      if let first = queue.first { #expect(model[first.scene] == first.at, "seed \(seed)") }
    }
  }

  @Test("a far moment that is asked for between near ones, again and again, is kept once")
  func bounded() {
    var queue = WakeQueue()
    for turn in 0..<100_000 {
      queue.insert(WakeQueue.Entry(at: Moment(milliseconds: turn.isMultiple(of: 2) ? 600_000 : Int64(turn)), scene: "main"))
    }
    #expect(queue.count < 200)
  }
}
