import Foundation
import SceneModels
import Testing

@testable import MinervaNavigation

@Suite("States that come from files")
struct SoundnessTests {
  @Test("D2: a scene in which nothing is under way can always be begun from", arguments: Seeds.parts(of: 60))
  func rest(seeds: ClosedRange<UInt64>) {
    var found = 0
    for seed in seeds {
      var scene = RandomScene()
      for seed in Dice.throwsOfDice(200, seed: seed) {
        _ = scene.feed(scene.next(seed))
        guard scene.state.isSettled, scene.state.gates.isEmpty, !scene.state.hasEnded else { continue }
        found += 1
        #expect(scene.state.unsoundness == nil, "seed \(seed)")
      }
    }
    #expect(found > 100, "scenes hardly ever come to rest: \(found)")
  }

  @Test("D2: a damaged state is refused, or a scene goes on from it without a trap and comes to an end", arguments: Seeds.parts(of: 400))
  func damaged(seeds: ClosedRange<UInt64>) throws {
    var (refused, begun) = (0, 0)
    for seed in seeds {
      var dice = Dice(seed: seed)
      guard let origin = Self.atRest(seed: seed) else { continue }
      var value = try JSONSerialization.jsonObject(with: JSONEncoder().encode(origin), options: .fragmentsAllowed)
      for _ in 0...dice.roll(3) { value = Self.damage(value, &dice) }
      guard JSONSerialization.isValidJSONObject(value), let bytes = try? JSONSerialization.data(withJSONObject: value),
        let state = try? JSONDecoder().decode(SceneState.self, from: bytes), state.unsoundness == nil
      else {
        refused += 1
        continue
      }
      begun += 1
      var scene = RandomScene()
      _ = scene.state.apply(.begun(SceneOrigin(state)), at: .zero)
      for seed in Dice.throwsOfDice(60, seed: seed) { _ = scene.feed(scene.next(seed)) }
      var time = scene.time
      for _ in 0..<10_000 {
        guard let wake = scene.state.wakeTime else { break }
        time = max(time, wake)
        _ = scene.state.apply(.timer, at: time)
      }
      #expect(scene.state.wakeTime == nil, "seed \(seed) does not come to rest")
    }
    #expect(refused > 20 && begun > 20, "\(refused) refused, \(begun) begun")
  }

  @Test(
    "P3: whatever is under way, the parts of a scene fit together", arguments: Seeds.parts(of: 60))
  func underWay(seeds: ClosedRange<UInt64>) {
    var busy = 0
    for seed in seeds {
      var scene = RandomScene()
      for seed in Dice.throwsOfDice(200, seed: seed) {
        _ = scene.feed(scene.next(seed))
        if !scene.state.pending.isEmpty { busy += 1 }
        #expect(scene.state.structuralFault == nil, "seed \(seed), #\(scene.state.seq)")
      }
    }
    #expect(busy > 100, "hardly anything was under way: \(busy)")
  }

  @Test(
    "P3: of a damaged state with anything under way a fault is named, or it goes on without a trap",
    arguments: Seeds.parts(of: 400))
  func damagedUnderWay(seeds: ClosedRange<UInt64>) throws {
    var (refused, begun) = (0, 0)
    for seed in seeds {
      var dice = Dice(seed: seed)
      var scene = RandomScene()
      for seed in Dice.throwsOfDice(40 + dice.roll(80), seed: seed) {
        _ = scene.feed(scene.next(seed))
      }
      var value = try JSONSerialization.jsonObject(
        with: JSONEncoder().encode(scene.state), options: .fragmentsAllowed)
      for _ in 0...dice.roll(3) { value = Self.damage(value, &dice) }
      guard JSONSerialization.isValidJSONObject(value),
        let bytes = try? JSONSerialization.data(withJSONObject: value),
        let state = try? JSONDecoder().decode(SceneState.self, from: bytes),
        state.structuralFault == nil
      else {
        refused += 1
        continue
      }
      begun += 1
      scene.state = state
      for seed in Dice.throwsOfDice(60, seed: seed) {
        _ = scene.feed(scene.next(seed))
        _ = scene.state.treeHash
      }
    }
    #expect(refused > 20 && begun > 20, "\(refused) refused, \(begun) begun")
  }

  @Test("P3: each law of what is under way is looked at")
  func lawsUnderWay() throws {
    var scene = SceneState(scene: "main", app: "shop")
    func open(_ name: String, _ via: Presentation) {
      let opening = Command.Opening(ModuleAddress(name: name), via: via)
      _ = scene.apply(.command(Command(txn: name, caller: "me", action: .open(opening))), at: .zero)
    }
    open("Home", .root)
    let made = Acceptance(host: "shop-1", slots: ["hero"])
    _ = scene.apply(
      .link(LinkReport(screen: ScreenID(1), lease: 1, verdict: .accepted(made))), at: .zero)
    open("Detail", .push)
    #expect(scene.structuralFault == nil && scene.unsoundness == "something was under way in it")
    func fault(_ change: (inout SceneState, inout Work) -> Void) throws -> String? {
      var changed = scene
      var work = try #require(changed.pending.first?.work)
      change(&changed, &work)
      changed.pending[0].status = .running(work)
      return changed.structuralFault
    }
    let (home, detail) = (ScreenID(1), ScreenID(2))
    let number = try #require(scene.pending.first?.seq)
    #expect(
      try fault { state, _ in _ = state.nodes.update(home) { $0.slots[0].content = home } }
        == "s1 does not stand where it should")
    #expect(
      try fault { state, _ in _ = state.nodes.update(home) { $0.lease = 0 } }
        == "a screen has a number that was not given yet")
    #expect(
      try fault { state, _ in _ = state.nodes.update(home) { $0.phase = .dismissing } } != nil)
    let early = SlotState(name: "x", content: home)
    #expect(
      try fault { state, _ in _ = state.nodes.update(detail) { $0.slots = [early] } }
        == "s2 holds screens before it is there")
    #expect(
      try fault { _, work in work.opened = [home] } == "#\(number) opens s1, which it does not make"
    )
    #expect(try fault { _, work in work.opened = [] } == "#\(number) waits for nobody")
    #expect(
      try fault { _, work in work.stage = .linking(missing: .min, until: .zero) }
        == "#\(number) waits for nobody")
    #expect(try fault { _, work in work.scope.subtrees = [[]] } == "#\(number) is nowhere")
    let wrong: [[Move]] = [
      [.push(.tab(detail, 0), detail)], [.push(.layer(0), home)],
      [.push(.layer(0), detail), .push(.layer(0), detail)],
      [.cut(.layer(0), keep: -1, .popped)], [.dropLayers(from: 0, .popped, over: .popped)],
      [.arrange(.layer(0), [home, home])],
      [.arrange(.layer(0), [ScreenID(9)])], [.fill(detail, slot: 0, detail)],
    ]
    for moves in wrong {
      #expect(
        try fault { _, work in work.moves = moves } == "#\(number) leads to no tree", "\(moves)")
    }
  }

  @Test("D2: each law of a scene at rest is looked at")
  func laws() {
    var scene = SceneState(scene: "main", app: "shop")
    for (name, via) in [("Home", Presentation.root), ("List", .push), ("Sheet", .modal(.sheet))] {
      var opening = Command.Opening(ModuleAddress(name: name), via: via)
      opening.unhosted = true
      _ = scene.apply(.command(Command(txn: name, caller: "me", action: .open(opening))), at: .zero)
    }
    #expect(scene.unsoundness == nil)
    func fault(_ change: (inout SceneState) -> Void) -> String? {
      var changed = scene
      change(&changed)
      return changed.unsoundness
    }
    #expect(fault { $0.hasEnded = true } == "the scene has ended")
    #expect(fault { $0.nextScreen = 2 } == "a screen has a number that was not given yet")
    #expect(fault { $0.nextTicket = .max } == "its numbers are near their end")
    #expect(fault { $0.layers = [] } == "it has no root layer")
    #expect(fault { $0.layers[1].stack = [] } == "a modal layer is empty")
    #expect(fault { $0.layers[0].stack.append(ScreenID(1)) } == "s1 does not stand where it should")
    #expect(fault { $0.layers[0].stack.removeLast() } == "a screen cannot be reached")
    #expect(fault { _ = $0.nodes.update(ScreenID(2)) { $0.link = .pending } } == "s2 was being made")
    #expect(fault { _ = $0.nodes.update(ScreenID(2)) { $0.place = .none } } == "s2 stands nowhere")
    #expect(fault { _ = $0.nodes.update(ScreenID(1)) { $0.childCount += 1 } } == "its counts are wrong")
    #expect(fault { _ = $0.nodes.update(ScreenID(1)) { $0.parent = ScreenID(9) } } == "the parent of s1 is not open")
    let circle = fault { state in
      for (child, parent) in [(1, 2), (2, 1)] as [(UInt32, UInt32)] {
        _ = state.nodes.update(ScreenID(child)) { ($0.parent, $0.childCount) = (ScreenID(parent), 1) }
      }
      _ = state.nodes.update(ScreenID(3)) { $0.parent = nil }
    }
    #expect(circle == "s1 is its own ancestor")
    #expect(fault { $0.wakeCalls = [WakeCall(screen: ScreenID(9), name: "a", due: .zero)] } != nil)
  }

  /// A random scene in a state that can be saved.
  private static func atRest(seed: UInt64) -> SceneState? {
    var scene = RandomScene()
    var last: SceneState?
    for seed in Dice.throwsOfDice(120, seed: seed) {
      _ = scene.feed(scene.next(seed))
      if scene.state.unsoundness == nil, !scene.state.coordinators.isEmpty { last = scene.state }
    }
    return last
  }

  /// Changes one thing somewhere in a value: a number, a text, an element too many, one too few, or two that change places.
  private static func damage(_ value: Any, _ dice: inout Dice) -> Any {
    switch value {
    case let object as [String: Any] where !object.isEmpty:
      let key = object.keys.sorted()[dice.roll(object.count)]
      var changed = object
      if dice.once(in: 12) { changed[key] = nil } else { changed[key] = object[key].map { damage($0, &dice) } }
      return changed
    case let list as [Any] where !list.isEmpty:
      var changed = list
      let place = dice.roll(list.count)
      switch dice.roll(6) {
      case 0: changed.remove(at: place)
      case 1: changed.append(list[place])
      case 2: changed.swapAt(place, dice.roll(list.count))
      default: changed[place] = damage(list[place], &dice)
      }
      return changed
    case let number as NSNumber: return [0, 1, 2, 3, number.int64Value + 1, Int64(UInt32.max), -1][dice.roll(7)] as Int64
    case let text as String: return ["", "s1", "s2", "s3", "s99", text + "x"][dice.roll(6)]
    default: return value
    }
  }
}
