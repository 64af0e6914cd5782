import MinervaNavigation

/// A scene as one would draw it on paper: objects in arrays, searched from the top for everything. Written from the rules alone, to be
/// compared with the core; no locks, no links, no time.
final class NaiveScene {
  final class Stack {
    var screens: [Screen] = []
  }

  final class Screen {
    let id: ScreenID
    let module: String
    var tabs: [(name: String, stack: Stack)] = []
    var selected = 0
    var split: (primary: Stack, detail: Stack)?
    var joined: Int?
    var slots: [(name: String, child: Screen?)] = []

    init(_ id: ScreenID, _ module: String) {
      self.id = id
      self.module = module
    }
  }

  struct Layer {
    var by: ScreenID?
    var stack: Stack
  }

  /// What a command should have come to.
  struct Verdict: Equatable {
    var isRefused = false
    var changed = false
    var removed: [String] = []
  }

  var layers = [Layer(by: nil, stack: Stack())]
  var next: UInt32 = 1

  // MARK: Looking

  /// Everything a screen contains, itself last: what leaves with it, in order.
  func contents(_ screen: Screen) -> [Screen] {
    var list: [Screen] = []
    for slot in screen.slots.reversed() { if let child = slot.child { list += contents(child) } }
    for stack in stacks(of: screen).reversed() { for inner in stack.screens.reversed() { list += contents(inner) } }
    return list + [screen]
  }

  func stacks(of screen: Screen) -> [Stack] {
    screen.split.map { [$0.primary, $0.detail] } ?? screen.tabs.map(\.stack)
  }

  var everything: [Screen] {
    layers.flatMap { $0.stack.screens.flatMap(contents) }
  }

  func find(_ id: ScreenID) -> Screen? {
    everything.first { $0.id == id }
  }

  /// The screen that holds this stack in its container.
  func holder(of stack: Stack) -> Screen? {
    everything.first { stacks(of: $0).contains { $0 === stack } }
  }

  func stack(with screen: Screen) -> Stack? {
    (layers.map(\.stack) + everything.flatMap(stacks)).first { $0.screens.contains { $0 === screen } }
  }

  func slotOwner(of screen: Screen) -> Screen? {
    everything.first { $0.slots.contains { $0.child === screen } }
  }

  /// The stack around a screen, also from inside a slot.
  func around(_ screen: Screen) -> Stack? {
    if let stack = stack(with: screen) { return stack }
    return slotOwner(of: screen).flatMap(around)
  }

  func height(of screen: Screen) -> Int? {
    layers.firstIndex { $0.stack.screens.contains { contents($0).contains { $0 === screen } } }
  }

  var active: Stack {
    var stack = layers[layers.count - 1].stack
    while let top = stack.screens.last {
      if !top.tabs.isEmpty {
        stack = top.tabs[top.selected].stack
      } else if let split = top.split {
        let few = split.detail.screens.isEmpty || (split.detail.screens.count == 1 && split.primary.screens.count > 1)
        stack = top.joined != nil || few ? split.primary : split.detail
      } else {
        break
      }
    }
    return stack
  }

  /// From a screen outwards: itself, what is below it, the screen around, what is below that…
  func outwards(from screen: Screen?) -> [Screen] {
    guard let start = screen ?? active.screens.last ?? holder(of: active) else { return [] }
    if let owner = slotOwner(of: start) { return [start] + outwards(from: owner) }
    guard let stack = stack(with: start), let place = stack.screens.firstIndex(where: { $0 === start }) else { return [] }
    let here = Array(stack.screens[...place].reversed())
    return here + (holder(of: stack).map { outwards(from: $0) } ?? [])
  }

  // MARK: Making

  func make(_ module: String) -> Screen {
    let screen = Screen(ScreenID(next), module)
    next += 1
    return screen
  }

  /// Gives a screen the container its module has, and starts its visible roots.
  func furnish(_ screen: Screen) {
    switch screen.module {
    case "Shell":
      screen.tabs = ["home", "orders"].map { ($0, Stack()) }
      screen.tabs[0].stack.screens = [make("Home")]
    case "Split":
      screen.split = (Stack(), Stack())
      screen.split?.primary.screens = [make("List")]
      screen.split?.detail.screens = [make("Nothing")]
    case "Profile": screen.slots = [("hero", nil)]
    default: break
    }
  }

  // MARK: Removing

  /// Removes screens with what they contain and what layers they presented; returns who left, in order.
  func remove(_ victims: [(Screen, RemovalReason)], layersFrom: Int? = nil, reasons: (Int) -> RemovalReason = { _ in .parentRemoved })
    -> [String]
  {
    var own: [ScreenID: RemovalReason] = [:]
    for (screen, reason) in victims { own[screen.id] = reason }
    let gone = Set(victims.flatMap { contents($0.0) }.map(\.id))
    let presented = layers.indices.first { index in layers[index].by.map(gone.contains) ?? false }
    let cut = min(layersFrom ?? layers.count, presented ?? layers.count)
    var list: [(Screen, RemovalReason)] = []
    for index in (cut..<layers.count).reversed() {
      let explicit = layersFrom.map { index >= $0 } ?? false
      for screen in layers[index].stack.screens.reversed() {
        for inner in contents(screen) {
          let reason = inner === screen ? (explicit ? reasons(index) : .parentRemoved) : RemovalReason.parentRemoved
          list.append((inner, own[inner.id] ?? reason))
        }
      }
    }
    for (screen, reason) in victims {
      for inner in contents(screen) where !list.contains(where: { $0.0 === inner }) {
        list.append((inner, own[inner.id] ?? (inner === screen ? reason : .parentRemoved)))
      }
    }
    for (screen, _) in victims {
      if let stack = stack(with: screen) {
        stack.screens.removeAll { $0 === screen }
        if let holder = holder(of: stack), let joined = holder.joined, stack === holder.split?.primary {
          holder.joined = min(joined, stack.screens.count)
        }
      }
      if let owner = slotOwner(of: screen) {
        for index in owner.slots.indices where owner.slots[index].child === screen { owner.slots[index].child = nil }
      }
    }
    layers.removeLast(layers.count - cut)
    return list.map { "\($0.0.id) \($0.1.rawValue)" }
  }

  /// The screens of a stack from a place upwards, topmost first, all for one reason.
  func above(_ stack: Stack, _ place: Int, _ reason: RemovalReason) -> [(Screen, RemovalReason)] {
    stack.screens.dropFirst(place).reversed().map { ($0, reason) }
  }

  /// The tree in the core's own words.
  func text() -> String {
    func draw(_ screen: Screen) -> String {
      var text = "\(screen.id)\(screen.module)"
      if !screen.tabs.isEmpty {
        text += "{" + screen.tabs.map { "\($0.name)" + draw($0.stack) }.joined(separator: " ") + " @\(screen.selected)}"
      }
      if let split = screen.split { text += "{" + draw(split.primary) + draw(split.detail) + "\(screen.joined != nil)}" }
      if !screen.slots.isEmpty { text += "<" + screen.slots.map { $0.child.map(draw) ?? "" }.joined(separator: " ") + ">" }
      return text
    }
    func draw(_ stack: Stack) -> String { "[" + stack.screens.map(draw).joined(separator: ", ") + "]" }
    return layers.map { "\($0.by.map(\.description) ?? "")" + draw($0.stack) }.joined(separator: " / ")
  }
}

extension SceneTree {
  /// The same words for the core's tree.
  func text() -> String {
    func draw(_ screen: Screen) -> String {
      var text = "\(screen.id)\(screen.module)"
      switch screen.container {
      case .none: break
      case .tabs(let tabs, let selected):
        text += "{" + tabs.map { "\($0.name)" + draw($0.stack) }.joined(separator: " ") + " @\(selected)}"
      case .split(let primary, let detail, let collapsed): text += "{" + draw(primary) + draw(detail) + "\(collapsed)}"
      }
      if !screen.slots.isEmpty { text += "<" + screen.slots.map { $0.content.first.map(draw) ?? "" }.joined(separator: " ") + ">" }
      return text
    }
    func draw(_ stack: [Screen]) -> String { "[" + stack.map(draw).joined(separator: ", ") + "]" }
    return layers.map { "\($0.presentedBy.map(\.description) ?? "")" + draw($0.stack) }.joined(separator: " / ")
  }
}
