/// What coordinators are told, and what they say.
extension SceneState {
  /// Numbers an output and hands it to whoever hears it.
  mutating func voice(_ bytes: [UInt8], of id: ScreenID, byShell: Bool) -> SpokenOutput? {
    guard
      let number = nodes.update(
        id,
        { node in
          if node.outputs < Self.endOfNumbers { node.outputs += 1 }
          return node.outputs
        }), let node = nodes[id]
    else { return nil }
    let listener = node.isHeard ? node.parent : nil
    emit(.output(summary(node), number: number, bytes, listener: listener, byShell: byShell))
    if let listener { _ = post(.childOutput(child: id, module: node.module.name, number: number, bytes), to: listener) }
    if let other = hearer(of: id), other != listener {
      _ = post(.childOutput(child: id, module: node.module.name, number: number, bytes), to: other)
    }
    return SpokenOutput(
      screen: id, listener: listener, listenerModule: listener.flatMap { nodes[$0]?.module.name }, number: number)
  }

  /// Speaks in a module's place.
  mutating func speak(_ ref: ScreenRef, _ bytes: [UInt8], for command: Command, at time: SceneTime) throws(Refusal) {
    let id = try target(ref)
    if let crowded = crowded(by: 1, of: id) { throw crowded }
    record(at: time)
    var outcome = Outcome(verb: command.action.verb, screen: id, changed: true)
    outcome.output = voice(bytes, of: id, byShell: true)
    answerNow(command, outcome)
  }

  /// Takes the report of a turn (K3).
  mutating func take(_ report: TurnReport, at time: SceneTime) {
    guard let node = nodes[report.screen] else {
      return taken(report, absent(report.screen))
    }
    guard node.lease == report.lease, node.isLinked else {
      return taken(
        report,
        Refusal(
          code: .staleEpoch,
          message: "\(node.id) acts under lease \(node.lease), not \(report.lease); end the coordinator you have"))
    }
    if report.number <= node.turns { return taken(report, nil) }
    guard report.number == node.turns + 1 else {
      return taken(
        report, Refusal(code: .turnGap, message: "\(node.id) had turn \(node.turns); \(report.number) cannot follow"))
    }
    if let refusal = usedUp(by: report, of: node) ?? crowded(by: report, of: node) { return taken(report, refusal) }
    record(at: time)
    if waiting != nil, let handled = report.handled {
      addCauses(handling: UnhandledInput(screen: node.id, message: handled))
    }
    defer { causes = [] }
    _ = nodes.update(node.id) { node in
      node.turns = report.number
      if let state = report.state { node.state = state }
      if let vetoes = report.vetoes { node.vetoes = vetoes }
      if let handled = report.handled { node.outbox.removeAll { $0.number == handled } }
    }
    taken(report, nil)
    emit(.turned(summary(node), number: report.number, handled: report.handled))
    for bytes in report.outputs {
      if node.phase == .connecting {
        _ = nodes.update(node.id) { $0.early.append(bytes) }
      } else {
        _ = voice(bytes, of: node.id, byShell: false)
      }
    }
    for wish in report.wakes ?? [] { note(wish, of: node.id) }
    if let handled = report.handled { reply(report.reply, to: handled, of: node.id) }
    for (index, wish) in report.requests.enumerated() {
      let key = RequestKey(screen: node.id, turn: report.number, index: UInt32(index))
      let command = Command(
        txn: key.txn, caller: node.id.description, origin: node.id, action: wish.action, policy: wish.policy, ifTop: wish.ifTop,
        instant: wish.instant, deadline: wish.deadline, gate: wish.gate)
      submitOfTurn(command, key, quiet: wish.quiet)
    }
    switch report.ending {
    case .none: break
    case .finish(let result): submitEnding(.finish(.id(node.id), result), of: node.id, turn: report.number)
    case .cancel: submitEnding(.cancel(.id(node.id)), of: node.id, turn: report.number)
    }
  }

  /// The refusal for a turn whose outputs would crowd whoever hears them: its host keeps it and submits it again.
  ///
  /// A turn whose outputs alone are more is taken when nothing waits, so it never waits for ever.
  private func crowded(by report: TurnReport, of node: Node) -> Refusal? {
    let spoken = report.requests.reduce(report.outputs.count) { count, wish in
      if case .output = wish.action { count + 1 } else { count }
    }
    return crowded(by: spoken, of: node.id)
  }

  /// The refusal for so many outputs of a coordinator, if they would crowd whoever hears it.
  private func crowded(by spoken: Int, of id: ScreenID) -> Refusal? {
    guard spoken > 0, let node = nodes[id] else { return nil }
    if Int64(node.outputs) + Int64(spoken) > Int64(Self.lastNumber) { return usedUp(node, "outputs") }
    let waiting: Int
    if node.phase == .connecting {
      waiting = node.early.count
    } else {
      let hearers = [node.isHeard ? node.parent : nil, hearer(of: id)].compactMap { $0.flatMap(nodes.index(of:)) }
      if let full = hearers.first(where: { nodes.all[$0].messages > Self.lastNumber }) { return usedUp(nodes.all[full], "messages") }
      waiting = hearers.map { nodes.all[$0].outbox.count }.max() ?? 0
    }
    guard waiting > 0, waiting + spoken > Self.outbox else { return nil }
    return Refusal(
      code: .backpressure, message: "\(waiting) messages wait for who hears \(id) \(node.module.name); try again later")
  }

  private mutating func taken(_ report: TurnReport, _ refusal: Refusal?) {
    effects.append(.turnTaken(screen: report.screen, number: report.number, refusal: refusal))
  }

  /// Refuses what a coordinator had in hand, in the place of a life that is over.
  mutating func refuse(_ inHand: HostReturn.InHand) {
    guard nodes[inHand.screen]?.outbox.contains(where: { $0.number == inHand.message }) == true else { return }
    _ = nodes.update(inHand.screen) { node in node.outbox.removeAll { $0.number == inHand.message } }
    reply(.refused(inHand.refusal), to: inHand.message, of: inHand.screen)
  }

  /// Answers the request whose message was handled.
  private mutating func reply(_ reply: TurnReply, to message: UInt32, of id: ScreenID) {
    guard let index = pending.firstIndex(where: { $0.work?.stage == .acting(id, message) }) else {
      return tookInput(message, by: id, reply)
    }
    let request = pending.remove(at: index)
    guard var work = request.work else { return }
    switch reply {
    case .done: settle(request, &work)
    case .refused(let refusal): refuse(request, refusal)
    }
  }

  /// Submits what a coordinator asks for; verbs that are done within a record are done here.
  private mutating func submitOfTurn(_ command: Command, _ key: RequestKey, quiet: Bool) {
    switch command.action {
    case .output(let ref, let bytes):
      if let id = try? target(ref) { _ = voice(bytes, of: id, byShell: false) }
    case .withdraw, .end, .gesture:
      let refusal = Refusal(code: .notForModules, message: "\(command.action.verb) is for people, not for coordinators")
      _ = post(.requestSettled(key, .refused(refusal)), to: key.screen)
    default: submit(command, source: .turn(key, quiet: quiet))
    }
  }

  private mutating func submitEnding(_ action: Command.Action, of id: ScreenID, turn: UInt32) {
    // Of an end that is refused, as that of the scene's root is, the coordinator hears: it goes on (N15).
    let key = RequestKey.ending(of: id, turn: turn)
    submit(Command(txn: key.txn, caller: id.description, origin: id, action: action), source: .turn(key, quiet: true))
  }
}
