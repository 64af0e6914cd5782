import MinervaNavigation

/// Random commands, played in the core and in the naive model: tree, answer and removals must agree (N7, N8, N14).
package enum ModelProperty {
  private static let verdicts: [String: LinkVerdict] = [
    "Shell": .tabs("home", "orders"), "Split": .split("List", "Nothing"),
    "Profile": .accepted(Acceptance(host: "shop-1", slots: ["hero"])),
  ]

  /// A command out of the model's present, from one throw of the dice.
  private static func command(_ dice: inout Dice, _ model: NaiveScene) -> (Command.Action, ScreenID?) {
    let screens = model.everything.map(\.id)
    func anyone() -> ScreenID {
      dice.once(in: 12) ? ScreenID(UInt32(dice.roll(Int(model.next)) + 1)) : dice.pick(screens) ?? 1
    }
    let origin = dice.once(in: 3) ? dice.pick(screens) : nil
    let module = address(dice.pick(["Plain", "Plain", "Plain", "Shell", "Split", "Profile"]) ?? "Plain")
    switch dice.roll(screens.count > 20 ? 32 : 22) {
    case 0, 1, 2, 3: return (.open(Command.Opening(module)), origin)
    case 4: return (.open(Command.Opening(module, via: .replace)), origin)
    case 5: return (.open(Command.Opening(module, via: .root)), dice.once(in: 3) ? origin : nil)
    case 6, 7: return (.open(Command.Opening(module, via: .modal(.sheet))), origin)
    case 8, 9: return (.open(Command.Opening(module, via: .tab(dice.once(in: 2) ? "home" : "orders"))), origin)
    case 10: return (.open(Command.Opening(module, via: .detail)), origin)
    case 11: return (.open(Command.Opening(module, via: .embed("hero"))), origin)
    case 12: return (.open(Command.Opening(module, popTo: .id(anyone()), inclusive: dice.once(in: 2))), nil)
    case 13, 14: return (.selectTab(name: dice.once(in: 2) ? "home" : "orders", of: nil, reset: dice.once(in: 2)), origin)
    case 15: return (dice.once(in: 2) ? .collapse(nil) : .expand(nil), origin)
    case 16:
      var elements: [Command.Element] = model.layers[0].stack.screens.map { .screen(.id($0.id)) }
      elements.shuffle(using: &dice)
      elements.removeLast(dice.roll(elements.count + 1))
      if dice.once(in: 2) { elements.append(.module(address("Plain"), input: [])) }
      return (.setStack(.main, elements), nil)
    case 17: return (.dismiss(dice.once(in: 2) ? nil : .id(anyone())), origin)
    case 18: return (.backTo(.id(anyone())), nil)
    case 19: return (.close([.id(anyone()), .id(anyone())]), nil)
    case 20: return (dice.once(in: 2) ? .finish(.id(anyone()), nil) : .cancel(.id(anyone())), nil)
    case 21: return (dice.once(in: 3) ? .backRoot(in: nil) : .back(count: UInt32(dice.roll(4)), in: nil), origin)
    case 22: return (.dismissAll, nil)
    default: return (.close([.id(anyone())]), nil)
    }
  }

  /// Plays the throws in core and model; returns how they differ, if they do.
  package static func difference(_ throwsOfDice: [UInt64]) -> String? {
    var stage = Stage()
    stage.catalog = verdicts
    let model = NaiveScene()
    var seen: Set<Substring> = []
    for (number, seed) in throwsOfDice.enumerated() {
      var dice = Dice(seed: seed)
      let (action, origin) = command(&dice, model)
      let before = model.text()
      let nextBefore = model.next
      let expected = model.run(action, origin: origin)
      if expected.isRefused { model.next = nextBefore }
      stage.said.removeAll(keepingCapacity: true)
      let answer = stage.ask(action, origin: origin)
      let removed = stage.removals
      let found = NaiveScene.Verdict(
        isRefused: answer?.refusal != nil, changed: answer?.outcome?.changed ?? false, removed: removed)
      let what = "step \(number): \(action) origin \(origin?.description ?? "-") on \(before)"
      if answer == nil { return "\(what): no answer" }
      if found != expected { return "\(what): expected \(expected), found \(found) \(answer?.refusal?.description ?? "")" }
      if stage.state.tree.text() != model.text() {
        return "\(what):\nexpected \(model.text())\nfound    \(stage.state.tree.text())"
      }
      if !stage.state.requests.isEmpty { return "\(what): something is in flight" }
      for removal in removed {
        guard let id = removal.split(separator: " ").first, seen.insert(id).inserted else { return "\(what): \(removal) again" }
      }
    }
    return nil
  }
}
