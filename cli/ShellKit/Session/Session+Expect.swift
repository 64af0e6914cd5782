import CommandKit
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

extension Session {
  /// Waits until an expectation holds; returns why it does not when the time is over.
  ///
  /// What is said of the state must hold while the scene is settled and the session has seen every event that the state contains. An
  /// event may still come, and is waited for to the end.
  /// - Parameter decidesWhenQuiet: Whether a settled scene in which nothing moves for a moment decides before the time is over.
  package func failure(
    of expectation: ShellKit.Expectation, within timeout: Duration, decidesWhenQuiet: Bool = false
  ) async -> String? {
    if case .exhaustive = expectation {
      isExhaustive = true
      return nil
    }
    if case .error(let code) = expectation { return wrongError(code) }
    var reason = "nothing was seen"
    var quiet = Quiet(decidesWhenQuiet && expectation.isOnState ? clock : nil)
    let held = await poll(within: timeout) { () -> Bool? in
      do {
        guard let complaint = try await self.complaint(about: expectation) else { return true }
        reason = complaint
      } catch {
        reason = Self.stated(error).description
      }
      guard let look = await refresh(), look.isSettled, await hasHeard(look) else {
        quiet.disturb()
        return nil
      }
      return quiet.decides(events: await log.end, look) ? false : nil
    }
    return held == true ? nil : reason + (await hint(on: expectation))
  }

  /// What a module was perhaps meant to be called, when nobody offers one of the name that an expectation has.
  private func hint(on expectation: ShellKit.Expectation) async -> String {
    let names: [String]
    switch expectation {
    case .stack(_, let elements): names = elements.compactMap { if case .module(let module, _) = $0 { module.name } else { nil } }
    case .modal(let name) where name != "none": names = [name]
    default: return ""
    }
    let offered = await withDeadline(.seconds(1)) { (try? await self.target.modules())?.map(\.module.name) ?? [] } ?? []
    let known = Set(offered).union(lastLook?.tree.screens.map(\.module) ?? [])
    for name in names where !known.contains(name) {
      if let meant = Suggestion.nearest(to: name, among: known.sorted()) { return "; did you mean \(meant)?" }
    }
    return ""
  }

  private func wrongError(_ code: String) -> String? {
    guard let lastError else { return "the command before was done; error \(code) was expected" }
    if EventPattern.matches(code, lastError.code.rawValue) {
      self.lastError = nil
      return nil
    }
    return "the command before ended with \(lastError.description)"
  }

  /// Returns what is wrong now, or nil.
  private func complaint(about expectation: ShellKit.Expectation) async throws -> String? {
    switch expectation {
    case .event(let pattern):
      guard let position = await position(since: mark, where: { $0.matches(pattern) }) else {
        return "no event \(pattern) since the last command"
      }
      asserted.insert(position)
      return nil
    case .output(let reference, let json): return try await missingOutput(reference, json)
    case .result(let reference, let json): return try await missingResult(reference, json)
    default: break
    }
    guard let look = await refresh() else { return "the scene cannot be reached" }
    guard look.isSettled else { return "the scene is not settled" }
    guard await hasHeard(look) else { return "not every event was received yet" }
    switch expectation {
    case .stack(let path, let elements): return try await wrongStack(path, elements, look)
    case .tab(let name):
      let segments = look.tree.activePath.segments
      return segments.contains(.tab(name)) ? nil : "the visible place is \(look.tree.activePath)"
    case .modal(let name):
      let top = look.tree.layers.count > 1 ? look.tree.layers.last?.stack.last?.module : nil
      if name == "none" ? top == nil : top == name { return nil }
      return top.map { "\(look.tree.layers.count - 1) modal layers, \($0) on top" } ?? "no modal layer"
    case .removed(let reference, let reason, let once): return try await wrongRemoval(reference, reason, once, look)
    case .rowCount(let reference, let count):
      let found = try await rendering(of: reference, look).count
      return found == count ? nil : "\(reference) has \(found) rows"
    case .rowsContain(let reference, let text):
      let rows = try await rendering(of: reference, look).sections.flatMap(\.rows)
      return rows.contains { $0.id == text || Self.words(of: $0).contains(text) } ? nil : "no row of \(reference) shows \"\(text)\""
    case .row(let reference, let row, let text):
      let rendering = try await rendering(of: reference, look)
      guard let content = rendering.row(row) else {
        let hint = Suggestion.nearest(to: row, among: rendering.sections.flatMap(\.rows).map(\.id)).map { "; did you mean \($0)?" } ?? ""
        return "\(reference) has no row \(row)\(hint)"
      }
      let words = Self.words(of: content)
      return words.contains(text) ? nil : "row \(row) shows \"\(Escaping.visible(words))\""
    case .changes(let reference, let counts): return try await wrongChanges(reference, counts, look)
    case .screenShows(let reference, let text):
      let lines = try await rendering(of: reference, look).lines(width: 1_000)
      return lines.contains { $0.contains(text) } ? nil : "\(reference) does not show \"\(text)\""
    case .enabled(let reference, let command):
      return try await enabled(command, in: rendering(of: reference, look), reference)
    case .noLeaks:
      let report = try await target.leaks(all: false)
      return report.isEmpty ? nil : LeakText.lines(report, of: look.scene, isJSON: false).joined(separator: "; ")
    case .error, .exhaustive, .event, .output, .result: return nil
    }
  }

  /// Whether the session has received every event that a look contains.
  private func hasHeard(_ look: SceneLook) async -> Bool {
    if look.event == 0 { return true }
    return await log.number(of: look.scene) >= look.event
  }

  /// Everything a row shows, as one text.
  static func words(of row: CellContent) -> String {
    ([row.text, row.detail, row.secret == true ? nil : row.value] + (row.cells ?? []).map { words(of: $0) }).compactMap { $0 }
      .joined(separator: " ")
  }

  private func position(since start: Int, where isMeant: (EventText) -> Bool) async -> Int? {
    for (offset, event) in await log.since(start).enumerated() where isMeant(EventText(event)) { return start + offset }
    return nil
  }

  /// The name of the screen that a reference means, also when it has left.
  private func identity(_ reference: Reference, _ look: SceneLook?) async throws -> ScreenID {
    switch reference {
    case .alias(let name): return try await identity(ofAlias: name, allowsRemoved: true)
    case .ref(.id(let id)): return id
    case .ref(let ref):
      guard let screen = (look ?? lastLook)?.tree.resolve(ref) else { throw MinervaError(.targetNotFound, "nothing stands at \(ref)") }
      return screen.id
    }
  }

  private func rendering(of reference: Reference, _ look: SceneLook) async throws -> ScreenRendering {
    let id = try await identity(reference, look)
    guard let rendering = look.renderings[id] else { throw MinervaError(.screenNotRendered, "\(id) shows nothing") }
    return rendering
  }

  private func enabled(_ command: String, in rendering: ScreenRendering, _ reference: Reference) -> String? {
    var known = (rendering.commands ?? []).map { ($0.name, $0.isEnabled) }
    known += (rendering.buttons ?? []).map { ($0.id, $0.isEnabled) }
    known += rendering.sections.flatMap(\.rows).map { ($0.id, $0.isEnabled) }
    guard let found = known.first(where: { $0.0 == command }) else { return "\(reference) has no command \(command)" }
    return found.1 ? nil : "\(command) is disabled"
  }
}

extension Session {
  private func wrongStack(_ path: NavPath, _ elements: [StackElement], _ look: SceneLook) async throws -> String? {
    guard let stack = look.tree.stack(at: path) else { return "there is no stack at \(path)" }
    let found = TreeText.stack(SceneTree.Place(path: path, stack: stack))
    guard stack.count == elements.count else { return "found \(found)" }
    for (screen, element) in zip(stack, elements) {
      switch element {
      case .screen(let reference):
        guard try await identity(reference, look) == screen.id else { return "found \(found); \(reference) is elsewhere" }
      case .module(let module, let input):
        let isMeant = screen.module == module.name && (module.host.map { $0 == screen.host } ?? true)
        guard isMeant, input.map({ SameJSON.isSame(Array($0.utf8), screen.input) }) ?? true else { return "found \(found)" }
      }
    }
    return nil
  }

  private func wrongRemoval(_ reference: Reference, _ reason: String?, _ once: Bool, _ look: SceneLook) async throws -> String? {
    let id = try await identity(reference, look)
    var reasons: [RemovalReason] = []
    for (position, event) in await log.since(0).enumerated() {
      guard case .navigation(let navigation) = event.kind, case .removed(let summary, let reason, _, _, _) = navigation.kind else {
        continue
      }
      guard summary.screen == id else { continue }
      reasons.append(reason)
      asserted.insert(position)
    }
    guard let first = reasons.first else {
      return look.tree.screen(id) == nil ? "\(id) was never there, or left before the session began" : "\(id) is still there"
    }
    if once, reasons.count > 1 { return "\(id) was removed \(reasons.count) times" }
    if let reason, first.rawValue != reason { return "\(id) was removed with reason=\(first.rawValue)" }
    return nil
  }

  private func wrongChanges(
    _ reference: Reference, _ counts: [ShellKit.Expectation.ChangeCount], _ look: SceneLook
  ) async throws -> String? {
    let id = try await identity(reference, look)
    var sum = ChangeCounts()
    for (offset, event) in await log.since(mark).enumerated() {
      // The first appearance of a list is no change of it.
      guard case .list(let list) = event.kind, list.screen == id, list.from > 0 else { continue }
      sum = sum + list.counts
      asserted.insert(mark + offset)
    }
    let wanted = Dictionary(counts.map { ($0.kind, $0.count) }) { first, _ in first }
    let kinds = ShellKit.Expectation.ChangeCount.kinds
    guard kinds.contains(where: { sum.count(of: $0) != wanted[$0] ?? 0 }) else { return nil }
    let found = kinds.filter { sum.count(of: $0) > 0 }.map { "\($0)=\(sum.count(of: $0))" }
    return found.isEmpty ? "\(id) did not change" : "\(id) changed by \(found.joined(separator: " "))"
  }

  private func missingOutput(_ reference: Reference, _ json: String) async throws -> String? {
    let id = try await identity(reference, nil)
    var found: [String] = []
    for (offset, event) in await log.since(mark).enumerated() {
      guard case .navigation(let navigation) = event.kind, case .output(let summary, _, let bytes, _, _) = navigation.kind else { continue }
      guard summary.screen == id else { continue }
      if SameJSON.isSame(bytes, Array(json.utf8)) {
        asserted.insert(mark + offset)
        return nil
      }
      found.append(String(decoding: bytes, as: UTF8.self))
    }
    return found.isEmpty ? "\(id) gave no output since the last command" : "\(id) gave \(found.joined(separator: ", "))"
  }

  private func missingResult(_ reference: Reference, _ json: String) async throws -> String? {
    let id = try await identity(reference, nil)
    for (position, event) in await log.since(0).enumerated() {
      guard case .navigation(let navigation) = event.kind, case .removed(let summary, let reason, _, let result, _) = navigation.kind else {
        continue
      }
      guard summary.screen == id else { continue }
      guard let result else { return "\(id) left without a result (\(reason.rawValue))" }
      guard SameJSON.isSame(result, Array(json.utf8)) else { return "\(id) ended with \(String(decoding: result, as: UTF8.self))" }
      asserted.insert(position)
      return nil
    }
    return "\(id) has not ended"
  }

  /// With `expect exhaustive`: the first removal, output or list change since the last command that no expectation named.
  package func unasserted() async -> String? {
    guard isExhaustive else { return nil }
    for (offset, event) in await log.since(mark).enumerated() where !asserted.contains(mark + offset) {
      let text = EventText(event)
      switch text.name {
      case "screen.removed", "screen.output": return "not expected: \(text.line)"
      case "list.changed" where text["from"] != "v0": return "not expected: \(text.line)"
      default: continue
      }
    }
    return nil
  }
}
