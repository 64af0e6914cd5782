@testable import MinervaBrokerCore
import Synchronization
import Testing

/// What is kept of many scenes: the end of one, or its host's, costs no look at the others.
@Suite("Tables by scene")
struct SceneTableTests {
  /// A key that notes that anything looks at one of its scene.
  private struct Key: SceneNamed {
    static let seen = Mutex<Set<String>>([])
    let number: Int
    private let name: String

    init(_ name: String, _ number: Int) { (self.name, self.number) = (name, number) }

    var scene: String {
      Self.seen.withLock { _ = $0.insert(name) }
      return name
    }

    func hash(into hasher: inout Hasher) {
      Self.seen.withLock { _ = $0.insert(name) }
      hasher.combine(number)
    }
  }

  @Test("a table by scene is a dictionary, whatever is done with it")
  func model() {
    for seed in UInt64(1)...20 {
      var state = seed
      func roll(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
      }
      var table: SceneTable<BrokerStateMachine.RendererKey, Int> = [:]
      var model: [BrokerStateMachine.RendererKey: Int] = [:]
      for step in 0..<400 {
        let key = BrokerStateMachine.RendererKey(scene: "s\(roll(5))", renderer: "r\(roll(5))")
        switch roll(8) {
        case 0:
          table.removeAll(of: key.scene)
          model = model.filter { $0.key.scene != key.scene }
        case 1:
          table.removeAll { $0 % 3 == 0 }
          model = model.filter { $0.value % 3 != 0 }
        case 2: #expect(table.removeValue(forKey: key) == model.removeValue(forKey: key), "seed \(seed)")
        case 3:
          table[key] = nil
          model[key] = nil
        default:
          table[key] = step
          model[key] = step
        }
        #expect(table[key] == model[key] && table.isEmpty == model.isEmpty, "seed \(seed), step \(step)")
        #expect(Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.value) }) == model, "seed \(seed), step \(step)")
        #expect(table.of(key.scene) == model.filter { $0.key.scene == key.scene }, "seed \(seed), step \(step)")
      }
    }
  }

  @Test("what one scene has is found and let go of without a look at what a thousand others have")
  func others() {
    var table: SceneTable<Key, Int> = [:]
    for scene in 0..<1_000 { for number in 0..<5 { table[Key("scene\(scene)", number)] = number } }
    Key.seen.withLock { $0 = [] }
    let found = table.of("scene7").sorted { $0.key.number < $1.key.number }
    for (key, _) in found.dropLast() { table.removeValue(forKey: key) }
    table.removeAll(of: "scene7")
    table.removeAll(of: "scene8")
    #expect(found.count == 5 && table.of("scene7").isEmpty && table.of("scene8").isEmpty)
    #expect(Key.seen.withLock { $0 }.isSubset(of: ["scene7", "scene8"]))
  }
}
