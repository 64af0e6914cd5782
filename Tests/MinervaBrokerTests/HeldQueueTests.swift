@testable import MinervaBrokerCore
import MinervaInterfaces
import Testing

/// What waits for records to be durable, and the numbers of scenes.
@Suite("What is held back")
struct HeldQueueTests {
  @Test("N16: what is held back comes out in order, when the records before it are durable and no sooner")
  func order() {
    for seed in UInt64(1)...20 {
      var state = seed
      func roll(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
      }
      var queue = HeldQueue()
      var model: [(ticket: UInt64, item: CallToken)] = []
      for step in 0..<12_000 {
        switch roll(5) {
        case 0: #expect(queue.nextTicket() == queue.last)
        case 1...3:
          queue.append(.reply(CallToken(step), .done))
          model.append((queue.last, CallToken(step)))
        default:
          // Seldom, so that many wait.
          guard roll(400) == 0 else { continue }
          queue.commit(upTo: queue.durable + UInt64(roll(Int(queue.last - queue.durable) + 1)))
          let ready = model.prefix { $0.ticket <= queue.durable }.map(\.item)
          var released: [CallToken] = []
          while case .reply(let token, _)? = queue.popDurable() { released.append(token) }
          #expect(released == ready, "seed \(seed), step \(step)")
          model.removeFirst(ready.count)
        }
      }
      #expect(queue.count == model.count && queue.isDurable == (model.isEmpty && queue.durable == queue.last), "seed \(seed)")
      queue.commitAll()
      var rest: [CallToken] = []
      while case .reply(let token, _)? = queue.popFirst() { rest.append(token) }
      #expect(rest == model.map(\.item) && queue.isDurable, "seed \(seed)")
    }
  }

  @Test("no number of a scene is given twice, also when nothing is kept of those that had it")
  func incarnations() {
    var known = Incarnations()
    #expect(known.next(of: "main") == 1)
    known.note(SceneIdentity(name: "main", app: "shop", incarnation: 5))
    known.note(SceneIdentity(name: "main", app: "shop", incarnation: 3))
    #expect(known.next(of: "main") == 6 && known.next(of: "other") == 1)
    known.note(forgotten: 9)
    known.note(forgotten: 4)
    #expect(known.next(of: "main") == 10 && known.next(of: "other") == 10)
  }
}
