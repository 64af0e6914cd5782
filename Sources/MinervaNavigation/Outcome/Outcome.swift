/// What became of a request.
public enum Resolution: Hashable, Sendable, Codable {
  /// It was done, or there was nothing to do.
  case done(Outcome)
  /// It was not done.
  case refused(Refusal)
}

/// The one answer to a request (N15).
public struct Answer: Hashable, Sendable, Codable {
  /// The request's own name.
  public let txn: String
  /// Who asked.
  public let caller: String
  /// The position of the request's record, `#12`; `nil` when it was refused before it started and left none.
  public let seq: UInt64?
  /// What became of it.
  public let resolution: Resolution

  /// Creates an answer.
  public init(txn: String, caller: String, seq: UInt64?, resolution: Resolution) {
    self.txn = txn
    self.caller = caller
    self.seq = seq
    self.resolution = resolution
  }
}

/// What a request did, in the order in which it happened.
public struct Outcome: Hashable, Sendable, Codable {
  /// The verb of the request.
  public var verb: String
  /// The screen the request was about: the one opened, acted on, or removed by name.
  public var screen: ScreenID?
  /// The screens that were presented, in order; the one asked for is last.
  public var presented: [ScreenSummary]
  /// The screens that left, in order (N8).
  public var removed: [Removal]
  /// The screens under a finger: a gesture began and may still be cancelled.
  public var held: [ScreenID]
  /// The output that was spoken: its number, and who hears it.
  public var output: SpokenOutput?
  /// Whether anything is different now (N9).
  public var changed: Bool
  /// Whether it ended by being called off (N10).
  public var cancelled: Bool
  /// Why a link was followed to here and no further (`--keep-prefix`).
  public var shortfall: Refusal?
  /// What the rest of a link waits for (R4).
  public var plan: PlanReport?

  /// Creates an outcome; nothing happened unless said otherwise.
  public init(
    verb: String, screen: ScreenID? = nil, presented: [ScreenSummary] = [], removed: [Removal] = [], held: [ScreenID] = [],
    output: SpokenOutput? = nil, changed: Bool = false, cancelled: Bool = false
  ) {
    self.verb = verb
    self.screen = screen
    self.presented = presented
    self.removed = removed
    self.held = held
    self.output = output
    self.changed = changed
    self.cancelled = cancelled
  }
}

/// A screen as a person wants it named: `s5 Settings in main (depth 2, host shop-1)`.
public struct ScreenSummary: Hashable, Sendable, Codable {
  /// Its name.
  public let screen: ScreenID
  /// Its module.
  public let module: String
  /// Where its coordinator runs; empty if nowhere.
  public let host: String
  /// The stack or slot it stands in; `nil` for a coordinator without a screen, or one that is not on the tree.
  public let path: NavPath?
  /// Its place in that stack from 1; 0 off the tree.
  public let depth: Int
  /// The coordinator that opened it.
  public let parent: ScreenID?

  /// Creates a summary.
  public init(screen: ScreenID, module: String, host: String, path: NavPath?, depth: Int, parent: ScreenID?) {
    self.screen = screen
    self.module = module
    self.host = host
    self.path = path
    self.depth = depth
    self.parent = parent
  }
}

/// One screen that left.
public struct Removal: Hashable, Sendable, Codable {
  /// Its name.
  public let screen: ScreenID
  /// Its module.
  public let module: String
  /// Why it left.
  public let reason: RemovalReason
  /// How many outputs it gave.
  public let outputs: UInt32

  /// Creates a removal.
  public init(screen: ScreenID, module: String, reason: RemovalReason, outputs: UInt32) {
    self.screen = screen
    self.module = module
    self.reason = reason
    self.outputs = outputs
  }
}

/// An output on its way: `s5 -> s1 Home  output 1`.
public struct SpokenOutput: Hashable, Sendable, Codable {
  /// Who spoke.
  public let screen: ScreenID
  /// Who hears it; `nil` is nobody but watchers.
  public let listener: ScreenID?
  /// The listener's module.
  public let listenerModule: String?
  /// The how manieth output of the screen, from 1.
  public let number: UInt32

  /// Creates an output note.
  public init(screen: ScreenID, listener: ScreenID?, listenerModule: String?, number: UInt32) {
    self.screen = screen
    self.listener = listener
    self.listenerModule = listenerModule
    self.number = number
  }
}

/// What a caller may be told of a request that is not answered at once.
public struct Admission: Hashable, Sendable, Codable {
  /// Where the request stands.
  public enum Standing: Hashable, Sendable, Codable {
    /// It runs.
    case running
    /// It waits behind another: `queued #22 behind #21 (dismissing s9)`.
    case queued(behind: UInt64, because: String)
    /// It shares another's screen and outcome.
    case joined(UInt64)
    /// It was submitted before and is not answered yet; its one answer is still to come.
    case repeated(UInt64)
  }

  /// The request's own name.
  public let txn: String
  /// Who asked.
  public let caller: String
  /// The position of the request's record.
  public let seq: UInt64
  /// Where it stands.
  public let standing: Standing

  /// Creates an admission.
  public init(txn: String, caller: String, seq: UInt64, standing: Standing) {
    self.txn = txn
    self.caller = caller
    self.seq = seq
    self.standing = standing
  }
}
