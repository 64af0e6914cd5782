extension SceneTree {
  /// FNV-1a, 64 bits, over the canonical form of the tree: names, modules, inputs, containers and selections in order, each with its
  /// length, without hosts and phases, which are not the tree's (Fowler, Noll, Vo, 1991).
  public var hash64: UInt64 {
    var hash = Fingerprint()
    hash.add(UInt64(layers.count))
    for layer in layers {
      hash.add(layer.style?.description ?? "main")
      hash.add(UInt64(layer.presentedBy?.number ?? 0))
      hash.add(layer.stack)
    }
    return hash.value
  }
}

extension Fingerprint {
  fileprivate mutating func add(_ stack: [SceneTree.Screen]) {
    add(UInt64(stack.count))
    for screen in stack {
      add(UInt64(screen.id.number))
      add(screen.module)
      add(screen.input)
      switch screen.container {
      case .none: add(UInt8(0))
      case .tabs(let tabs, let selected):
        add(UInt8(1))
        add(UInt64(tabs.count))
        add(UInt64(selected))
        for tab in tabs {
          add(tab.name)
          add(tab.stack)
        }
      case .split(let primary, let detail, let collapsed):
        add(UInt8(collapsed ? 3 : 2))
        add(primary)
        add(detail)
      }
      add(UInt64(screen.slots.count))
      for slot in screen.slots {
        add(slot.name)
        add(slot.content)
      }
    }
  }
}
