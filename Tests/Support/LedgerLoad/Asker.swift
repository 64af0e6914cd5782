import Glibc
package import Minerva
import MinervaNavigation

/// A module that asks a ledger for its sum, again and again once its button is tapped, and says on standard error how each question ended.
package enum Asker: Module {
  package struct Input: Codable, Sendable {
    /// The ledger's screen.
    package var of: UInt32
  }
}

package actor AskerCoordinator: Coordinator {
  package nonisolated let context: Context<Asker>
  private let ledger: ScreenID

  package init(_ input: Asker.Input, _ context: Context<Asker>) {
    self.context = context
    ledger = ScreenID(input.of)
  }

  package func handle(_ action: Action) throws {
    guard case .tap("ask") = action else { return }
    context.task { [context, ledger] in
      while !Task.isCancelled {
        let began = ContinuousClock.now
        let end: String
        do {
          end = "sum=\(try await context.ask(Ledger.Sum(), of: ledger))"
        } catch {
          end = "error=\(error)"
        }
        Self.tell("asked \((ContinuousClock.now - began) / .milliseconds(1)) \(end)")
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  private static func tell(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }

  package func render() -> Screen {
    Screen("Asker") { ListSection("buttons") { Button("ask", "Ask from now on") } }
  }
}
