import MinervaActors
import MinervaBrokerCore
import MinervaJournal
import MinervaProtocol
import MinervaWire

/// A journal that takes no records: opened anew until it does (P1).
extension Gateway {
  /// What is wrong with the journal, and was: the present first.
  var troubles: [String] {
    (machine.failure.map { ["takes no records: \($0.message)"] } ?? []) + journal.troubles + notes
  }

  /// Opens the journal anew, with growing pauses, until it takes records again.
  func reopen() {
    if let failure = machine.failure { log("the journal takes no records: \(failure.message)") }
    Task {
      var backoff = Backoff(first: 100, cap: 5_000)
      var random = SystemRandomNumberGenerator()
      while true {
        do {
          let epoch = try await self.journal.reopen()
          try await Restoration(journal: self.journal, ownership: self.ownership, gateway: self, log: self.log).run(
            epoch: epoch, within: nil)
          log("the journal takes records again, epoch \(machine.epoch)")
          return
        } catch {
          let stated = error as? MinervaError ?? MinervaError(.journalUnavailable, "\(error)", retryable: true)
          // Closed for good: the broker is ending.
          if stated.code == .journalClosed { return }
          machine.reopenFailed(stated)
          try? await ContinuousClock().sleep(for: .milliseconds(backoff.next(using: &random)))
        }
      }
    }
  }
}
