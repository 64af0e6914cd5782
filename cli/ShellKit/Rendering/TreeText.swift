import CommandKit
package import MinervaNavigation

/// Stacks and trees as lines.
package enum TreeText {
  /// One screen, `s15 Post{id:3}`, with what is unusual about it.
  package static func screen(_ screen: SceneTree.Screen) -> String {
    var text = "\(screen.id) \(Escaping.visible(screen.module))\(PayloadDigest.text(screen.input))"
    if screen.needsInput {
      text += " (needs input)"
    } else if screen.isUnclaimed {
      text += " (no host offers it)"
    } else if screen.isSuspended {
      text += " (suspended)"
    } else if screen.phase != .presented {
      text += " (\(screen.phase.rawValue))"
    }
    return text
  }

  /// One stack, `main/home [s14 Feed, s15 Post{id:3}]`.
  package static func stack(_ place: SceneTree.Place) -> String {
    "\(place.path) [\(place.stack.map(screen).joined(separator: ", "))]"
  }

  /// Every stack on a line of its own, as recordings and their differences show trees.
  package static let stacks: @Sendable (SceneTree) -> [String] = { tree in tree.places.map(stack) }

  /// The whole tree: a line a stack, indented by its depth in containers.
  package static func lines(_ tree: SceneTree) -> [String] {
    guard !tree.layers.isEmpty else { return ["nothing is open"] }
    let active = tree.activePath
    return tree.places.map { place in
      let indent = String(repeating: "  ", count: place.path.segments.count)
      var line = indent + stack(place)
      if place.path.segments.isEmpty, tree.layers.indices.contains(place.path.layer) {
        let layer = tree.layers[place.path.layer]
        if let style = layer.style { line += "  \(style)" }
        if let presenter = layer.presentedBy { line += " by \(presenter)" }
      }
      if case .tab(let name)? = place.path.segments.last, isSelected(name, at: place.path, in: tree) { line += "  selected" }
      if place.path == active { line += "  <-" }
      return line
    }
  }

  private static func isSelected(_ name: String, at path: NavPath, in tree: SceneTree) -> Bool {
    let parent = NavPath(layer: path.layer, segments: Array(path.segments.dropLast()))
    return tree.tabBars.contains { bar in
      bar.path == parent && bar.tabs.indices.contains(bar.selected) && bar.tabs[bar.selected].name == name
    }
  }

  /// The tree as JSON, one object a screen, for `--json`.
  package static func json(_ places: [SceneTree.Place]) -> [String] {
    places.flatMap { place in
      place.stack.enumerated().map { index, screen in
        JSONLine([
          ("path", .text(place.path.description)), ("depth", .number(index + 1)), ("screen", .text(screen.id.description)),
          ("module", .text(screen.module)), ("host", .text(screen.host)), ("phase", .text(screen.phase.rawValue)),
          ("suspended", .flag(screen.isSuspended)), ("needs_input", .flag(screen.needsInput)),
          ("unclaimed", .flag(screen.isUnclaimed)),
          ("input", screen.input.isEmpty ? .null : .json(String(decoding: screen.input, as: UTF8.self))),
        ]).text
      }
    }
  }
}
