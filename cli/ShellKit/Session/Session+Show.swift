import CommandKit
import Minerva
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

extension Session {
  /// Shows something as lines or, with `--json`, as one object a line.
  func show(_ request: Look, _ call: Invocation, _ emit: @escaping Emit) async throws {
    let isJSON = call.flag("json")
    let moment = try call.record("at") ?? viewed
    switch request {
    case .status, .leaks, .modules, .routes, .watch:
      guard !call.flag("at") else {
        throw MinervaError(.timeNotKept, "\(call.verb) is of now alone; --at goes with screen, stack, tree, show and plans")
      }
    case .list, .commands:
      guard moment == nil else {
        throw MinervaError(.timeNotKept, "what screens showed in the past is not kept; tree, stack and show tell of it")
      }
    default: break
    }
    switch request {
    case .status:
      let report = try await target.status()
      await emit(isJSON ? StatusText.json(report) : StatusText.lines(report))
    case .leaks:
      let report = try await target.leaks(all: call.flag("all"))
      await emit(LeakText.lines(report, of: await target.scene.name, isJSON: isJSON))
    case .modules(let name): await emit(try ModuleText.lines(try await target.modules(), name, isJSON: isJSON))
    case .routes(nil):
      guard let listing = try await target.routes() else { throw MinervaError(.routeNoMatch, "this app has no links; its host names none") }
      await emit(isJSON ? DeepLinkText.json(listing) : DeepLinkText.lines(listing))
    case .routes(let link?):
      let dry = DeepLink(url: link, context: nil, isDryRun: true, mode: "merge", keepsPrefix: false)
      let reply = try await target.follow(dry, RequestConditions()) { _ in }
      await emit(isJSON ? DeepLinkText.json(reply.hops) : DeepLinkText.lines(reply))
    case .plans:
      let plans = if let moment { try await target.past(at: moment, image: false).plans } else { try await target.plans() }
      await emit(DeepLinkText.lines(plans, isJSON: isJSON))
    case .watch(let topics, let from): try await watch(topics, from, isJSON, emit)
    case .screen, .stack, .tree, .list, .show, .tabs, .commands: await emit(try await lines(of: request, at: moment, isJSON))
    }
  }

  private func lines(of request: Look, at moment: UInt64?, _ isJSON: Bool) async throws -> [String] {
    let look = try await target.look(at: moment)
    switch request {
    case .tree: return isJSON ? TreeText.json(look.tree.places) : TreeText.lines(look.tree)
    case .stack(let path):
      let path = path ?? look.tree.activePath
      guard let stack = look.tree.stack(at: path) else { throw MinervaError(.targetNotFound, "there is no stack at \(path)") }
      let place = SceneTree.Place(path: path, stack: stack)
      return isJSON ? TreeText.json([place]) : [TreeText.stack(place)]
    case .tabs:
      guard let bar = look.tree.tabBars.last else { throw MinervaError(.noContainer, "there are no tabs here") }
      return bar.tabs.enumerated().map { index, tab in
        isJSON
          ? JSONLine([("tab", .text(tab.name)), ("selected", .flag(index == bar.selected)), ("depth", .number(tab.stack.count))]).text
          : "\(index == bar.selected ? "*" : " ") \(Escaping.visible(tab.name))"
      }
    case .screen(let reference):
      guard let reference else {
        return isJSON
          ? look.tree.screens.flatMap { ListText.json(look.renderings[$0.id], of: $0, look.lists[$0.id]) }
          : SceneDrawing(look, width: width).lines
      }
      let screen = try await found(reference, look)
      return isJSON
        ? ListText.json(look.renderings[screen.id], of: screen, look.lists[screen.id]) : SceneDrawing(look, width: width).lines(of: screen)
    case .list(let reference):
      let screen = try await found(reference ?? .ref(.top), look)
      let (rendering, stamp) = (look.renderings[screen.id], look.lists[screen.id])
      return isJSON ? ListText.json(rendering, of: screen, stamp) : ListText.lines(rendering, of: screen, stamp, width: width)
    case .show(let reference): return facts(try await found(reference, look), look, isJSON)
    case .commands(let reference):
      let screen = try await found(reference ?? .ref(.top), look)
      return ListText.commands(look.renderings[screen.id], isJSON: isJSON)
    default: return []
    }
  }

  private func found(_ reference: Reference, _ look: SceneLook) async throws -> SceneTree.Screen {
    let ref = try await screen(reference)
    guard let screen = look.tree.resolve(ref) else {
      if case .id(let id) = ref, let last = await log.lastRemoval(where: { $0.screen == id }) {
        throw MinervaError(.staleRef, "\(id) was removed at #\(last.record) (\(last.reason.rawValue))")
      }
      throw MinervaError(.targetNotFound, "nothing stands at \(reference)")
    }
    return screen
  }

  private func facts(_ screen: SceneTree.Screen, _ look: SceneLook, _ isJSON: Bool) -> [String] {
    let place = look.tree.place(of: screen.id)
    var rows = [
      ("screen", screen.id.description), ("module", screen.module), ("host", screen.host.isEmpty ? "none" : screen.host),
      (
        "phase",
        screen.needsInput ? "needs input" : screen.isUnclaimed ? "unclaimed" : screen.isSuspended ? "suspended" : screen.phase.rawValue
      ),
      ("place", place.map { "\($0.path), depth \($0.depth)" } ?? "none"),
      ("input", screen.input.isEmpty ? "none" : String(decoding: screen.input, as: UTF8.self)),
    ]
    if let rendering = look.renderings[screen.id] {
      rows.append(("title", rendering.title))
      rows.append(("rows", "\(rendering.count) in \(rendering.sections.count) sections"))
    }
    if isJSON { return [JSONLine(rows.map { ($0.0, .text($0.1)) }).text] }
    return rows.map { "\(DisplayWidth.padded($0.0, to: 7)) \(Escaping.visible($0.1))" }
  }

  /// Tells events as they come, until the task is cancelled.
  private func watch(_ topics: [String], _ from: UInt64?, _ isJSON: Bool, _ emit: @escaping Emit) async throws {
    var position = from == nil ? await log.end : 0
    let topics = topics.map(EventPattern.topic)
    let isListsAlone = !topics.isEmpty && topics.allSatisfy { $0 == "list" || $0 == "list.changed" }
    func isMeant(_ event: EventText) -> Bool {
      topics.isEmpty || topics.contains { EventPattern.matches($0, event.name) || EventPattern.matches("\($0).*", event.name) }
    }
    while !Task.isCancelled {
      let events = await log.since(position)
      position = await log.end
      for event in events where from.map({ event.record > $0 }) ?? true {
        let text = EventText(event)
        guard isMeant(text) else { continue }
        if isListsAlone, !isJSON, case .list(let change) = event.kind {
          await emit([ChangeText.line(change, of: await listName(change.screen))])
        } else {
          await emit([isJSON ? text.json : text.line])
        }
      }
      await log.changed(behind: position)
    }
    throw CancellationError()
  }

  /// A screen as people call it: `s5 workouts`.
  private func listName(_ id: ScreenID) async -> String {
    var screen = lastLook?.tree.screen(id)
    if screen == nil { screen = await refresh()?.tree.screen(id) }
    return screen.map { "\(id) \(Escaping.visible($0.module.lowercased()))" } ?? id.description
  }
}
