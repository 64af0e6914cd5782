import LedgerLoad
import Minerva
import MinervaHosting

/// A host of ledgers, and of who asks them, for tests that kill it.
@main struct LedgerHost: HostApp {
  static let app = "ledgers"
  static let start: String? = nil
  static var modules: [ModuleOffer] { [ModuleOffer(LedgerCoordinator.init), ModuleOffer(AskerCoordinator.init)] }
}
