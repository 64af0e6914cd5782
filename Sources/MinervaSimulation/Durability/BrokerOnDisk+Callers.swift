import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol

/// The callers around the broker: wishes, repetitions, looks, lost answers, callers that die.
extension BrokerOnDisk {
  /// A wish under its name, and the broker's life that heard it first.
  struct Wished {
    var command: Command
    var life: UInt64
    /// The link that is to be followed, in place of the command's own action.
    var link: String?
  }

  /// A question of a caller that the broker has heard and not answered.
  struct Asked {
    var caller: Int
    var connection: UInt64
    var call: UInt64
    var question: ScriptedCaller.Question
    /// What the scene must contain at least: everything that was answered before the question came (N16).
    var floor: UInt64
  }

  /// One thing that happens to a caller.
  func callerStep() {
    let index = Int.random(in: 0..<callers.count, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case _ where !callers[index].isConnected: if random.happens(0.2) { connectCaller(index) }
    case ..<30: wish(of: index)
    case ..<37: repeatWish(of: index)
    case ..<40: callers[index].ask(.look, deadline: now + 1_000, at: now, ledger)
    case ..<72: _ = hear(caller: index)
    case ..<97: _ = take(caller: index)
    case ..<99: disconnectCaller(index, killed: false)
    default: disconnectCaller(index, killed: true)
    }
  }

  func connectCaller(_ index: Int) {
    note("\(callers[index].name) connects")
    machine.connected(callers[index].name)
    callers[index].connect(connection(), epoch: machine.epoch, at: now, ledger)
  }

  func disconnectCaller(_ index: Int, killed: Bool) {
    guard callers[index].isConnected else { return }
    let (name, incarnation) = (callers[index].name, callers[index].incarnation)
    note("\(name) \(killed ? "is killed" : "is cut off")")
    ledger.count(killed ? "broker: callers killed" : "broker: callers cut off")
    callers[index].disconnect(killed: killed, at: now, ledger)
    // One that stays away loses its gates with its other claims (C1).
    truth.holders[name] = nil
    perform(machine.lost(name, incarnation: incarnation, reason: "by chaos", pid: 1, now: now))
  }

  func callersTick() { for index in callers.indices { callers[index].tick(now, ledger) } }

  func take(caller index: Int) -> Bool { callers[index].take(at: now, ledger) }

  // MARK: Wishes

  private func wish(of index: Int) {
    let txn = "t\(txns.count + 1)"
    txns.append(txn)
    var command = Command(txn: txn, caller: callers[index].name, action: action(), deadline: 3_000)
    // Where gates are at fault every modal is behind one, so that it is met soon.
    if case .open(let opening) = command.action, case .modal(let style) = opening.via, style == .full || fault == .gateFreedEarly {
      command.gate = "login"
    }
    if random.happens(0.2) { command.policy = Policy.allCases.randomElement(using: &random) ?? .queue }
    command.instant = random.happens(0.2)
    var link: String?
    if random.happens(0.12) {
      link = ScriptedApp.urls.randomElement(using: &random)
      command.gate = nil
    }
    wishes[txn] = Wished(command: command, life: life, link: link)
    callers[index].ask(.request(txn), deadline: now + 4_000, at: now, ledger)
  }

  /// A caller that heard nothing, or does not believe what it heard, asks again under the same name.
  private func repeatWish(of index: Int) {
    guard let txn = txns.randomElement(using: &random), wishes[txn]?.command.caller == callers[index].name else { return }
    ledger.count("broker: repeated")
    callers[index].ask(.request(txn), deadline: now + 4_000, at: now, ledger)
  }

  private func action() -> Command.Action {
    switch Int.random(in: 0..<20, using: &random) {
    case 0...4: opening(.push)
    case 5, 6: opening(.modal(.sheet))
    case 7: opening(.modal(.full))
    case 8: .back(count: UInt32.random(in: 1...2, using: &random), in: nil)
    case 9: .dismiss(nil)
    case 10: random.happens(0.5) ? .dismissAll : .backRoot(in: nil)
    case 11: opening(random.happens(0.5) ? .root : .replace)
    case 12...15: .act(.top, .tap(row: "r", action: nil))
    case 16: .send(.top, [3])
    case 17: .finish(.top, [4])
    case 18: secretive ?? .output(.top, [5])
    default: .cancel(.top)
    }
  }

  /// One more secret for a module that takes it, if one is open.
  private var secretive: Command.Action? {
    state?.coordinators.last { $0.module.name == ScriptedApp.card }.map { .send(.id($0.summary.screen), ScriptedApp.input) }
  }

  private func opening(_ via: Presentation) -> Command.Action {
    var opening = Command.Opening(ModuleAddress(name: "Home"), via: via, unhosted: random.happens(0.2))
    switch Int.random(in: 0..<20, using: &random) {
    case ..<2:
      opening.module = ModuleAddress(name: ScriptedApp.card)
      opening.input = ScriptedApp.input
      // What no host of this broker's life has offered may be shown where no host is wanted.
      opening.unhosted = false
    case 2: opening.module = ModuleAddress(app: ScriptedApp.bank.name, name: "Pay")
    case 3: opening.module = ModuleAddress(name: "Order")
    default: break
    }
    return .open(opening)
  }

  // MARK: Questions and answers

  /// The broker hears the next word of a caller.
  func hear(caller index: Int) -> Bool {
    guard callers[index].isConnected, !callers[index].outbox.isEmpty else { return false }
    let word = callers[index].outbox.removeFirst()
    let token = token()
    asked[token] = Asked(
      caller: index, connection: callers[index].connection, call: word.call, question: word.question, floor: truth.lastSaid)
    switch word.question {
    case .look: perform(machine.look(BrokerOnDisk.scene, renderings: false, token: token, now: now))
    case .request(let txn):
      guard let known = wishes[txn] else { return false }
      var command = known.command
      // A screen that only a discarded record knew has given its name to another: nobody could have sent it a secret (P1).
      if case .send(.id(let id), ScriptedApp.input) = command.action, let there = state?.screen(id), there.module.name != ScriptedApp.card {
        return false
      }
      // The planted faults: the name means nothing to a later life; the gate counts as free.
      if fault == .txnForgotten, known.life != life { command.txn += "~\(life)" }
      if fault == .gateFreedEarly, truth.holders[command.caller] != nil { command.gate = nil }
      if let link = known.link {
        note("\(command.caller) asks \(command.txn) \(link)", token)
        let request = DeepLinkRequest(
          scene: BrokerOnDisk.scene, link: link, resets: command.instant, txn: command.txn, caller: command.caller, policy: command.policy,
          instant: command.instant, deadline: command.deadline)
        perform(machine.follow(request, token: token, node: command.caller, now: now))
        return true
      }
      note("\(command.caller) asks \(command.txn) \(command.action.verb)", token)
      perform(machine.request(SceneRequest(scene: BrokerOnDisk.scene, command: command), token: token, node: command.caller, now: now))
    }
    return true
  }

  func answered(_ asked: Asked, _ reply: BrokerAction.Reply) {
    switch (asked.question, reply) {
    case (.request(let txn), _): checkAnswer(to: txn, reply)
    case (.look, .looked(let snapshot)): check(snapshot, floor: asked.floor)
    default: break
    }
    if callers[asked.caller].connection == asked.connection { callers[asked.caller].inbox.append(asked.call) }
  }
}
