import LedgerLoad
import Minerva
import MinervaHosting

/// A host of ledgers, of who asks them, and of what traps, for tests that kill it. It prints a line, as authors do who want to see what their code does.
@main struct LedgerHost: HostApp {
  static let app = "ledgers"
  static let start: String? = nil
  static var modules: [ModuleOffer] {
    print("its ledgers are open")
    return [ModuleOffer(LedgerCoordinator.init), ModuleOffer(AskerCoordinator.init), ModuleOffer(PitCoordinator.init)]
  }
}
