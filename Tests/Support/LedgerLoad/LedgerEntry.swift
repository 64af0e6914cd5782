import Minerva
package import MinervaNavigation

/// What a caller asks of a scene of ledgers.
package enum LedgerAsk: Codable, Hashable, Sendable {
  case open(add: Int)
  /// An opening that its caller has promised to configure (L1).
  case promise(add: Int)
  case send(ScreenID, add: Int)
  case tap(ScreenID, row: String)
  case enter(ScreenID, field: String, value: String)
  case close(ScreenID)
  case back

  /// As the core takes it.
  package var action: Command.Action {
    switch self {
    case .open(let add): .open(Self.opening(add))
    case .promise(let add): .open(Self.opening(add, isPromised: true))
    case .send(let screen, let add): .send(.id(screen), Self.input(add))
    case .tap(let screen, let row): .act(.id(screen), .tap(row: row, action: nil))
    case .enter(let screen, let field, let value): .act(.id(screen), .enter(field: field, value: value))
    case .close(let screen): .close([.id(screen)])
    case .back: .back(count: 1, in: nil)
    }
  }

  private static func opening(_ add: Int, isPromised: Bool = false) -> Command.Opening {
    Command.Opening(ModuleAddress(name: Ledger.name), input: input(add), configures: isPromised)
  }

  private static func input(_ add: Int) -> [UInt8] { Array(#"{"add":\#(add)}"#.utf8) }
}

/// A line of a caller's log: what it is about to ask, or what it was told.
package struct LedgerEntry: Codable, Sendable {
  package struct Told: Codable, Hashable, Sendable {
    package var outcome: Outcome?
    /// The code of the refusal.
    package var refusal: String?
    package var text: String?
    package var seq: UInt64?
  }

  package var txn: String
  package var ask: LedgerAsk
  /// `nil` in the line that is written before anything is sent.
  package var told: Told?
}
