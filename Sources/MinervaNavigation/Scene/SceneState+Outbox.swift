/// What waits for coordinators: numbered, kept until a turn has handled it, bounded (N7).
extension SceneState {
  /// How many messages may wait for one coordinator (N7).
  static let outbox = 1_024

  /// Puts a message into a coordinator's outbox and sends it if its host is there; returns its number, 0 if it can't be told.
  mutating func post(_ body: Message.Body, to id: ScreenID) -> UInt32 {
    guard let index = nodes.index(of: id), nodes.all[index].isHosted, nodes.all[index].phase != .dismissing else { return 0 }
    guard nodes.all[index].messages < Self.endOfNumbers else { return 0 }
    if nodes.all[index].outbox.count >= Self.outbox, let left = condense(outboxOf: index) { put(left, into: index) }
    return put(body, into: index)
  }

  @discardableResult
  private mutating func put(_ body: Message.Body, into index: Int) -> UInt32 {
    let (message, last) = nodes.update(at: index) { node in
      node.messages += 1
      let (message, last) = (Message(number: node.messages, body: body), node.outbox.last?.number)
      node.outbox.append(message)
      return (message, last)
    }
    if nodes.all[index].isLinked { effects.append(.deliver(delivery(message, after: last, nodes.all[index]))) }
    if !causes.isEmpty { noteConsequence(UnhandledInput(screen: nodes.all[index].id, message: message.number)) }
    return message.number
  }

  /// One message on its way to a coordinator.
  ///
  /// - Parameter last: The message that is kept before it.
  private func delivery(_ message: Message, after last: UInt32?, _ node: Node) -> Delivery {
    var message = message
    // Whoever takes a message over waits for the one before it: of one that is not kept it must not (N7).
    if node.isCondensed == true, (last ?? 0) &+ 1 != message.number { message.after = last ?? 0 }
    return Delivery(screen: node.id, host: node.host, lease: node.lease, message: message)
  }

  /// Sends everything a coordinator has not handled, in order.
  mutating func redeliver(_ id: ScreenID) {
    guard let node = nodes[id], node.isLinked else { return }
    effects += deliveries(to: node).map { .deliver($0) }
  }

  /// Everything a coordinator has not handled, in order.
  func deliveries(to node: Node) -> [Delivery] {
    var last: UInt32?
    return node.outbox.map { message in
      defer { last = message.number }
      return delivery(message, after: last, node)
    }
  }

  /// Makes room in an outbox that is full: of what a screen shows and of each timer the last word counts; then the oldest news of
  /// children that left without a result go, and if it must be of any that left, for one message that says which are left.
  ///
  /// What has been delivered is handled all the same; only whoever takes the messages over is spared them. Each call frees a good part or
  /// finds nothing; what it cannot free, requests that were answered and outputs, is bounded by the coordinator's own wishes and by the
  /// refusal of outputs that would crowd it. Linear in the outbox and the scene's coordinators.
  /// - Returns: What has to be said instead of what went.
  private mutating func condense(outboxOf index: Int) -> Message.Body? {
    var through: ScreenID?
    nodes.update(at: index) { node in
      node.isCondensed = true
      var hasLifecycle = false
      var timers: Set<String> = []
      var kept: [Message] = []
      for message in node.outbox.reversed() {
        switch message.body {
        case .lifecycle:
          if hasLifecycle { continue }
          hasLifecycle = true
        case .timer(let name): if !timers.insert(name).inserted { continue }
        default: break
        }
        kept.append(message)
      }
      node.outbox = kept.reversed()
      for sparesResults in [true, false] where node.outbox.count > Self.outbox / 2 {
        var excess = node.outbox.count - Self.outbox / 2
        node.outbox.removeAll { message in
          guard excess > 0 else { return false }
          switch message.body {
          case .childEnded(let child, _, _, let result):
            if sparesResults, result != nil { return false }
            through = max(through ?? child, child)
          case .childrenLeft(let earlier, _): through = max(through ?? earlier, earlier)
          default: return false
          }
          excess -= 1
          return true
        }
      }
    }
    return through.map { .childrenLeft(through: $0, open: children(ofNodeAt: index)) }
  }
}
