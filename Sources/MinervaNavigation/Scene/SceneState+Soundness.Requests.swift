/// What is under way in a state that comes from outside: it must fit the screens it is about.
extension SceneState {
  /// Each screen that is being made, or on its way out, is so for one request, and what a request is about to do leaves a tree.
  var faultyRequests: String? {
    var (making, leaving): (Set<ScreenID>, Set<ScreenID>) = ([], [])
    for request in pending {
      guard request.seq <= seq, request.ticket < nextTicket,
        request.joiners.allSatisfy({ $0.seq <= seq && $0.gate ?? 0 < nextTicket })
      else {
        return "a request has a number that was not given yet"
      }
      guard let work = request.work else { continue }
      guard work.scope.layersFrom ?? 0 >= 0, work.scope.subtrees.allSatisfy({ !$0.isEmpty }) else {
        return "#\(request.seq) is nowhere"
      }
      switch work.stage {
      case .linking(let missing, _):
        for id in work.opened {
          guard let node = nodes[id], node.phase == .connecting, node.ticket == request.ticket,
            making.insert(id).inserted
          else {
            return "#\(request.seq) opens \(id), which it does not make"
          }
        }
        guard missing == work.opened.count(where: { nodes[$0]?.link == .pending }) else {
          return "#\(request.seq) waits for nobody"
        }
        guard leadsToTree(work.moves, opened: work.opened) else {
          return "#\(request.seq) leads to no tree"
        }
      case .held:
        guard work.opened.isEmpty, leadsToTree(work.moves, opened: []) else {
          return "#\(request.seq) leads to no tree"
        }
      case .showing(let number, _):
        guard number < nextTransition else {
          return "a transition has a number that was not given yet"
        }
        for screen in work.leaving.map(\.summary.screen) where nodes.contains(screen) {
          guard nodes[screen]?.phase == .dismissing, leaving.insert(screen).inserted else {
            return "\(screen) leaves, and stays"
          }
        }
      case .acting: break
      }
    }
    for node in nodes.all {
      switch node.phase {
      case .connecting where !making.contains(node.id): return "nobody waits for \(node.id)"
      case .dismissing where !leaving.contains(node.id): return "nobody takes \(node.id) away"
      default: break
      }
    }
    return nil
  }

  /// Whether moves put each of the new screens, and no other, in one place, inside older ones.
  private func leadsToTree(_ moves: [Move], opened: [ScreenID]) -> Bool {
    var new = Set(opened)
    func enters(_ id: ScreenID, _ owner: ScreenID?) -> Bool {
      new.remove(id) != nil && owner ?? ScreenID(0) < id
    }
    return moves.allSatisfy { move in
      switch move {
      case .cut(_, let keep, _): keep >= 0
      case .dropLayers(let from, _, _): from > 0
      case .push(let key, let id): enters(id, owner(of: key))
      case .layer(_, _, let id): enters(id, nil)
      case .fill(let owner, _, let id): enters(id, owner)
      case .arrange(let key, let ids):
        Set(ids).count == ids.count
          && ids.allSatisfy { stack(key).contains($0) || enters($0, owner(of: key)) }
      case .vacate, .retire, .select, .collapse: true
      }
    }
  }
}
