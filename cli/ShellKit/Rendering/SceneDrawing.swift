import CommandKit
import Minerva
package import MinervaNavigation

/// Draws a scene as a person would see it, in character cells.
package struct SceneDrawing {
  private let look: SceneLook
  private let width: Int
  /// Lines drawn of one screen, from where its list was scrolled to; `list` shows the rest.
  private static let height = 48

  package init(_ look: SceneLook, width: Int) {
    self.look = look
    self.width = max(24, min(width, 120))
  }

  /// The whole scene: covered layers by name, the topmost in its frame.
  package var lines: [String] {
    guard let top = look.tree.layers.last else { return ["nothing is open"] }
    var lines: [String] = []
    for (index, layer) in look.tree.layers.dropLast().enumerated() {
      let titles = layer.stack.map { title(of: $0) }.joined(separator: " › ")
      lines.append("░ " + DisplayWidth.clipped("\(NavPath(layer: index)): \(titles)", to: width - 2))
    }
    let path = NavPath(layer: look.tree.layers.count - 1)
    let caption = path.layer == 0 ? "\(path)" : "\(path)\(top.style.map { " \($0)" } ?? "")"
    return lines + frame(content(top.stack, width - 4), caption, isModal: path.layer > 0)
  }

  /// One screen alone.
  package func lines(of screen: SceneTree.Screen) -> [String] {
    frame(content([screen], width - 4), "\(screen.id) \(Escaping.visible(screen.module))", isModal: false)
  }

  private func title(of screen: SceneTree.Screen) -> String {
    let title = look.renderings[screen.id]?.title ?? ""
    return Escaping.visible(title.isEmpty ? screen.module : title)
  }

  private func content(_ stack: [SceneTree.Screen], _ width: Int) -> [String] {
    guard let top = stack.last else { return ["(empty)"] }
    var lines = own(top, isBack: stack.count > 1, width)
    switch top.container {
    case .none: break
    case .tabs(let tabs, let selected):
      if tabs.indices.contains(selected) { lines += content(tabs[selected].stack, width) }
      lines += [String(repeating: "─", count: width), tabBar(tabs, selected, top, width)]
    case .split(let primary, let detail, let collapsed):
      lines += collapsed ? content(primary, width) : columns(primary, detail, width)
    }
    for slot in top.slots where !slot.content.isEmpty {
      lines += frame(content(slot.content, width - 4), "slot:\(slot.name)", isModal: false, width)
    }
    return lines
  }

  /// The screen's own title, sections and cells.
  private func own(_ screen: SceneTree.Screen, isBack: Bool, _ width: Int) -> [String] {
    let back = isBack ? "‹ " : ""
    guard let rendering = look.renderings[screen.id] else {
      if screen.container != .none { return [] }
      return [
        back + title(of: screen),
        screen.needsInput
          ? "(its host and its secrets are lost)"
          : screen.isUnclaimed
            ? "(no host offers it)"
            : screen.isSuspended ? "(waiting for its host)" : look.isPast ? "(what it showed is not kept)" : "(shows nothing)",
      ]
    }
    let window = rendering.window(width: width, height: Self.height, titleWidth: width - DisplayWidth.of(back))
    var lines = window.lines
    if window.above > 0 { lines.insert("… \(window.above) more lines above; list shows all", at: 1) }
    if window.below > 0 { lines.append("… \(window.below) more lines; list shows all") }
    if rendering.title.isEmpty, rendering.alert == nil, screen.container != .none {
      lines = Array(lines.drop { $0.allSatisfy(\.isWhitespace) })
    }
    guard !lines.isEmpty, !rendering.title.isEmpty else { return lines }
    lines[0] = back + lines[0]
    lines.insert(String(repeating: "─", count: width), at: 1)
    return lines
  }

  private func tabBar(_ tabs: [SceneTree.Tab], _ selected: Int, _ screen: SceneTree.Screen, _ width: Int) -> String {
    let items = look.renderings[screen.id]?.tabs ?? []
    let names = tabs.enumerated().map { index, tab -> String in
      let item = items.first { $0.name == tab.name }
      let name = Escaping.visible((item?.title ?? tab.name) + (item?.badge.map { " (\($0))" } ?? ""))
      return index == selected ? "[\(name)]" : " \(name) "
    }
    return DisplayWidth.clipped(names.joined(separator: " "), to: width)
  }

  private func columns(_ primary: [SceneTree.Screen], _ detail: [SceneTree.Screen], _ width: Int) -> [String] {
    let left = (width - 3) * 2 / 5
    let right = width - 3 - left
    let (a, b) = (content(primary, left), content(detail, right))
    return (0..<max(a.count, b.count)).map { index in
      let leftText = DisplayWidth.clipped(index < a.count ? a[index] : "", to: left)
      let rightText = DisplayWidth.clipped(index < b.count ? b[index] : "", to: right)
      return DisplayWidth.padded(leftText, to: left) + " │ " + rightText
    }
  }

  private func frame(_ lines: [String], _ caption: String, isModal: Bool, _ outer: Int? = nil) -> [String] {
    let width = (outer ?? width) - 4
    let (h, v, corners) = isModal ? ("═", "║", ["╔", "╗", "╚", "╝"]) : ("─", "│", ["┌", "┐", "└", "┘"])
    let title = DisplayWidth.clipped(" \(caption) ", to: width)
    let fill = String(repeating: h, count: max(0, width + 1 - DisplayWidth.of(title)))
    let body = lines.map { line in "\(v) \(DisplayWidth.padded(DisplayWidth.clipped(line, to: width), to: width)) \(v)" }
    return ["\(corners[0])\(h)\(title)\(fill)\(corners[1])"] + body + [
      "\(corners[2])\(String(repeating: h, count: width + 2))\(corners[3])"
    ]
  }
}
