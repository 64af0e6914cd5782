/// The ends of a scene's numbers. None is used twice, so a scene that has used them up opens nothing more.
extension SceneState {
  /// The last screen that is opened because somebody asks. Those behind it are for what comes along: roots of containers, placeholders.
  static let lastScreen = UInt32.max - (1 << 20)

  /// The last turn, message, output and lease of a coordinator, and the last plan, that somebody gets by asking. Those behind it are for what
  /// comes along, and for the coordinator's end.
  static let lastNumber = UInt32.max - (1 << 20)

  /// Where nothing is numbered any more, so that what was kept can be read.
  static let endOfNumbers = UInt32.max - (1 << 16)

  /// Whether every number has room to count on. A state that was read, and not made here, may hold any.
  package var hasRoom: Bool {
    let far = UInt64.max / 2, near = Self.endOfNumbers
    guard now <= .last, nextScreen < near, nextTicket < far, nextTransition < far, events < far, seq < far else { return false }
    guard waiting?.next ?? 1 <= near else { return false }
    return nodes.all.allSatisfy { max($0.messages, $0.outputs, $0.turns, $0.lease) <= near }
  }

  /// Requires that an action that opens something finds numbers for it.
  func requireRoom(for action: Command.Action) throws(Refusal) {
    if case .follow(let following) = action, following.waits, waiting?.next ?? 1 > Self.lastNumber {
      throw Refusal(code: .sceneClosed, message: "as many links of \(scene) have waited as it has names for; end it and start a new one")
    }
    guard nextScreen > Self.lastScreen else { return }
    switch action {
    case .launch, .open, .go, .follow, .setStack, .selectTab:
      throw Refusal(
        code: .sceneClosed, message: "\(scene) has opened as many screens as it has names for; end it and start a new one")
    default: return
    }
  }

  /// The refusal of what a coordinator has no number for any more.
  func usedUp(_ node: Node, _ what: String) -> Refusal {
    Refusal(code: .screenUsedUp, message: "\(node.id) \(node.module.name) has had as many \(what) as there are numbers; open it anew")
  }

  /// The refusal of a turn that has no number, or whose outputs have none. The end of the module always has one.
  func usedUp(by report: TurnReport, of node: Node) -> Refusal? {
    if report.number > (report.ending == .none ? Self.lastNumber : Self.endOfNumbers) { return usedUp(node, "turns") }
    return nil
  }
}
