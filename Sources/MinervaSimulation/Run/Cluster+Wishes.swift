import MinervaInterfaces
import MinervaNavigation
import MinervaWire

/// What callers want of the scene.
extension Cluster {
  /// A request under its name.
  struct Wish {
    var command: Command
    /// The link that is to be followed, in place of the command's own action.
    var link: String?
    /// The broker's life that heard it first, and over which connection.
    var heardBy: (life: UInt64, connection: UInt64)?
  }

  /// Makes up a request of a caller; its name.
  func wish(of caller: String) -> String {
    let txn = "t\(txns.count + 1)"
    txns.append(txn)
    var command = Command(txn: txn, caller: caller, action: action(), deadline: 1_500)
    // Where gates are at fault every modal is behind one, so that it is met soon.
    if case .open(let opening) = command.action, case .modal(let style) = opening.via, style == .full || world.fault == .gateFreedEarly {
      command.gate = "login"
    }
    if world.random.happens(0.2) { command.policy = Policy.allCases.randomElement(using: &world.random) ?? .queue }
    command.instant = world.random.happens(0.2)
    var link: String?
    if world.random.happens(0.12) {
      link = ScriptedApp.urls.randomElement(using: &world.random)
      command.gate = nil
    }
    wishes[txn] = Wish(command: command, link: link)
    return txn
  }

  private func action() -> Command.Action {
    switch Int.random(in: 0..<20, using: &world.random) {
    case 0...4: opening(.push)
    case 5, 6: opening(.modal(.sheet))
    case 7: opening(.modal(.full))
    case 8: .back(count: UInt32.random(in: 1...2, using: &world.random), in: nil)
    case 9: .dismiss(nil)
    case 10: world.random.happens(0.5) ? .dismissAll : .backRoot(in: nil)
    case 11: opening(world.random.happens(0.5) ? .root : .replace)
    case 12...15: .act(.top, .tap(row: "r", action: nil))
    case 16: .send(.top, [3])
    case 17: .finish(.top, [4])
    case 18: secretive ?? .output(.top, [5])
    default: .cancel(.top)
    }
  }

  /// One more secret for a module that takes it, if one is open.
  private var secretive: Command.Action? {
    brokerParty?.state?.coordinators.last { $0.module.name == ScriptedApp.card }
      .map { .send(.id($0.summary.screen), ScriptedApp.input) }
  }

  private func opening(_ via: Presentation) -> Command.Action {
    var opening = Command.Opening(ModuleAddress(name: "Home"), via: via, unhosted: world.random.happens(0.2))
    switch Int.random(in: 0..<20, using: &world.random) {
    case ..<2:
      opening.module = ModuleAddress(name: ScriptedApp.card)
      opening.input = ScriptedApp.input
      // What no host of this broker's life has offered may be shown where no host is wanted.
      opening.unhosted = false
    case 2, 3, 4: opening.module = ModuleAddress(app: ScriptedApp.bank.name, name: "Pay")
    case 5: opening.module = ModuleAddress(name: "Order")
    default: break
    }
    return .open(opening)
  }
}
