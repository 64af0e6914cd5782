extension Verb {
  /// Every verb, in the order in which help lists them.
  package static let all: [Verb] = [
    open, go, back, close, dismiss, tab, collapse, expand, deeplink,
    tap, enter, move, execute, gesture,
    screen, stack, tree, list, show, modules, routes, commands, plans, status, leaks, watch,
    wait, scene, source, option, note, record, replay, save, restore, help, quit,
    send, output, finish, cancel,
    fault, render, ack, advance, goTo, fork, repeated,
    expect,
  ]

  private static let byName: [String: Verb] = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

  /// Returns the verb of that name.
  package static func named(_ name: String) -> Verb? { byName[name] }
}
