/// A stack or a slot, as a path names it.
enum Spot: Hashable {
  case stack(StackKey)
  case slot(ScreenID, Int)
}

/// What names mean now.
extension SceneState {
  /// The place at a path; `nil` if there is none.
  func spot(_ path: NavPath) -> Spot? {
    guard layers.indices.contains(path.layer) else { return nil }
    var spot = Spot.stack(.layer(path.layer))
    for segment in path.segments {
      let candidates: [ScreenID]
      switch spot {
      case .stack(let key): candidates = stack(key).reversed()
      case .slot(let owner, let index): candidates = (nodes[owner]?.slots[index].content).map { [$0] } ?? []
      }
      guard let next = candidates.lazy.compactMap({ part(segment, of: $0) }).first else { return nil }
      spot = next
    }
    return spot
  }

  /// The part of a screen that a segment names.
  func part(_ segment: NavPath.Segment, of id: ScreenID) -> Spot? {
    guard let node = nodes[id] else { return nil }
    switch (segment, node.container) {
    case (.tab(let name), .tabs(let tabs)):
      return tabs.tabs.firstIndex { $0.name == name }.map { .stack(.tab(id, $0)) }
    case (.primary, .split): return .stack(.primary(id))
    case (.detail, .split(let split)): return .stack(split.joined == nil ? .detail(id) : .primary(id))
    case (.slot(let name), _): return node.slots.firstIndex { $0.name == name }.map { .slot(id, $0) }
    default: return nil
    }
  }

  /// The stack at a path.
  func stackKey(_ path: NavPath) throws(Refusal) -> StackKey {
    switch spot(path) {
    case .stack(let key): return key
    case .slot: throw Refusal(code: .noContainer, message: "\(path) is a slot, not a stack; open into it via embed")
    case nil: throw noPlace(path)
    }
  }

  /// The refusal for a path that leads nowhere.
  func noPlace(_ path: NavPath) -> Refusal {
    let here = self.path(of: activeKey)
    return Refusal(code: .noContainer, message: "there is no \(path); the visible stack is \(here)")
  }

  /// The open coordinator that a reference names: on the tree unless it is named by its id.
  func target(_ ref: ScreenRef) throws(Refusal) -> ScreenID {
    switch ref {
    case .id(let id):
      guard let node = nodes[id] else { throw absent(id) }
      if node.phase == .dismissing { throw Refusal(code: .staleRef, message: "\(id) \(node.module.name) is being removed") }
      return id
    case .top:
      let key = activeKey
      if let top = stack(key).last ?? owner(of: key) { return top }
      throw Refusal(code: .targetNotFound, message: "nothing is open; open a module first")
    case .root:
      guard let root = layers[0].stack.first else {
        throw Refusal(code: .targetNotFound, message: "nothing is open; open a module first")
      }
      return root
    case .path(let path):
      switch spot(path) {
      case .stack(let key):
        guard let top = stack(key).last else { throw Refusal(code: .targetNotFound, message: "\(path) is empty") }
        return top
      case .slot(let owner, let index):
        guard let child = nodes[owner]?.slots[index].content else {
          throw Refusal(code: .targetNotFound, message: "\(path) is empty")
        }
        return child
      case nil: throw noPlace(path)
      }
    }
  }

  /// The refusal for a name that is not open: it left (N13), or never was.
  func absent(_ id: ScreenID) -> Refusal {
    if let entry = departures.entry(id) {
      return Refusal(
        code: .staleRef, message: "\(id) \(entry.module), removed at #\(entry.seq) (\(entry.reason.rawValue))",
        details: [
          .init(name: "screen", value: "\(id)"), .init(name: "removed", value: "\(entry.seq)"),
          .init(name: "reason", value: entry.reason.rawValue),
        ])
    }
    if id.number > 0, id.number < nextScreen {
      return Refusal(code: .staleRef, message: "\(id) was removed long ago", details: [.init(name: "screen", value: "\(id)")])
    }
    return Refusal(code: .targetNotFound, message: "no screen \(id); \(listing(activeKey))")
  }

  /// A stack for people: `main is [s1 Home, s5 Settings]`.
  func listing(_ key: StackKey) -> String {
    let screens = stack(key).map { "\($0) \(nodes[$0]?.module.name ?? "")" }
    return "\(path(of: key)) is [\(screens.joined(separator: ", "))]"
  }

  /// The screens whose containers and slots are near, nearest first: what stands around a screen, or in the visible stack.
  ///
  /// From a screen: itself, what is below it in its stack, the screen in whose container that stack is, and so on outwards.
  func surroundings(of origin: ScreenID?, into path: NavPath?) throws(Refusal) -> [ScreenID] {
    if let path {
      return stack(try stackKey(path)).reversed()
    }
    var near: [ScreenID] = []
    let key = activeKey
    var next = origin.flatMap { stackAround($0) == nil ? nil : $0 } ?? stack(key).last ?? owner(of: key)
    while let id = next, let node = nodes[id] {
      switch node.place {
      case .none: next = nil
      case .slot(let owner, _):
        near.append(id)
        next = owner
      case .stack(let key):
        let screens = stack(key)
        near += screens[...(screens.lastIndex(of: id) ?? screens.count - 1)].reversed()
        next = owner(of: key)
      }
    }
    return near
  }

  /// The refusal for a container that is not there, with the kinds of `open` that are possible.
  func noContainer(_ what: String, near: [ScreenID], at key: StackKey) -> Refusal {
    var kinds = ["push", "modal", "replace", "root"]
    for id in near {
      guard let node = nodes[id] else { continue }
      switch node.container {
      case .none: break
      case .tabs(let tabs): kinds += tabs.tabs.map { "tab:\($0.name)" }
      case .split: kinds.append("detail")
      }
      kinds += node.slots.map { "embed:\($0.name)" }
    }
    return Refusal(
      code: .noContainer, message: "\(path(of: key)) has no \(what); kinds possible here: \(kinds.joined(separator: " "))")
  }
}
