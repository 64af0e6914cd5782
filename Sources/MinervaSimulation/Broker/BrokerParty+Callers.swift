import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// What callers ask the broker, and what it answers.
extension BrokerParty {
  /// A question of a caller that was heard and not answered.
  struct Asked {
    var call: UInt64
    var connection: SimulatedNetwork.Connection
    var question: Question
    /// What the scene must contain at least: everything that was answered before the question came (N16).
    var floor: UInt64
  }

  func hear(_ question: Question, _ call: UInt64, over connection: SimulatedNetwork.Connection) {
    let node = connection.dialler.name
    // The planted fault: whoever asks again is taken for the one who waits already.
    if fault == .oldLinkAnswered, case .request(let txn) = question, asked.values.contains(where: { $0.isRequest(txn) }) { return }
    let token = token()
    asked[token] = Asked(call: call, connection: connection, question: question, floor: truth.lastSaid)
    switch question {
    case .look: perform(machine.look(BrokerParty.scene, renderings: false, token: token, now: now))
    case .request(let txn): request(txn, token, over: connection)
    case .once(let id):
      ledger.executed(id)
      answer(asked.removeValue(forKey: token), .done)
    case .lease(_, var request):
      if fault == .attemptsForgotten { request.costs = [] }
      perform(machine.lease(request, token: token, node: node, incarnation: connection.diallerIncarnation, now: now))
    case .endLease(let job):
      perform(machine.endLease(job, node: node, incarnation: connection.diallerIncarnation, now: now))
      answer(asked.removeValue(forKey: token), .done)
    }
  }

  private func request(_ txn: String, _ token: CallToken, over connection: SimulatedNetwork.Connection) {
    guard var known = cluster.wishes[txn] else { return }
    let node = connection.dialler.name
    var command = known.command
    // A screen that only a discarded record knew has given its name to another: nobody could have sent it a secret (P1).
    if case .send(.id(let id), ScriptedApp.input) = command.action, let there = state?.screen(id), there.module.name != ScriptedApp.card {
      return answer(asked.removeValue(forKey: token), .refused(MinervaError(.staleRef, "\(id) is another screen now")))
    }
    // The planted faults: the name means nothing to a later life, or over another connection; the gate counts as free.
    if known.heardBy == nil { known.heardBy = (process.life, connection.id) }
    cluster.wishes[txn] = known
    if let (life, link) = known.heardBy {
      if fault == .txnForgotten, life != process.life { command.txn += "~\(process.life)" }
      if fault == .retryTakenForNew, link != connection.id { command.txn += "~\(connection.id)" }
    }
    if fault == .gateFreedEarly, truth.holders[command.caller] != nil { command.gate = nil }
    if let link = known.link {
      note("\(node) asks \(txn) \(link)", token)
      let request = DeepLinkRequest(
        scene: BrokerParty.scene, link: link, resets: command.instant, txn: command.txn, caller: command.caller, policy: command.policy,
        instant: command.instant, deadline: command.deadline)
      return perform(machine.follow(request, token: token, node: node, now: now))
    }
    note("\(node) asks \(txn) \(command.action.verb)", token)
    perform(machine.request(SceneRequest(scene: BrokerParty.scene, command: command), token: token, node: node, now: now))
  }

  func answered(_ asked: Asked, _ reply: BrokerAction.Reply) {
    switch (asked.question, reply) {
    case (.request(let txn), _): checkAnswer(to: txn, reply)
    case (.look, .looked(let snapshot)): check(snapshot, floor: asked.floor)
    case (.lease(let serial, _), .leased(let lease)): ledger.granted(lease, job: serial)
    default: break
    }
    answer(asked, reply)
  }

  /// Over the connection the question came by: one that has ended takes the answer with it.
  private func answer(_ asked: Asked?, _ reply: BrokerAction.Reply) {
    if let asked { process.send(.answer(call: asked.call, reply), over: asked.connection) }
  }

  /// The planted fault: the jobs of a dead worker are taken for new ones.
  func forgetLeases(of worker: String) {
    for (caller, incarnation, job) in ledger.jobs(leasedTo: worker) {
      _ = machine.endLease(job, node: caller, incarnation: incarnation, now: now)
    }
  }
}

extension BrokerParty.Asked {
  fileprivate func isRequest(_ txn: String) -> Bool { if case .request(txn) = question { true } else { false } }
}
