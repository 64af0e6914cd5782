/// One turn of a coordinator, whole: nothing of it has effect before this record (K3).
public struct TurnReport: Hashable, Sendable, Codable {
  /// Whose turn.
  public var screen: ScreenID
  /// The lease under which its host acts, as `Effect.connect` or `Effect.resume` gave it; an older one is refused.
  public var lease: UInt32
  /// The turn's own number: 1, 2, 3… of this coordinator. One that was already recorded is accepted again without effect.
  public var number: UInt32
  /// The message it handled; `nil` for a turn of the coordinator's own accord.
  public var handled: UInt32?
  /// The coordinator's declared state from now on; `nil` leaves it.
  public var state: [UInt8]?
  /// Which gestures are vetoed from now on; `nil` leaves it.
  public var vetoes: Vetoes?
  /// The outputs of the turn in order.
  public var outputs: [[UInt8]]
  /// The requests of the turn in order; they follow the outputs.
  public var requests: [TurnRequest]
  /// Whether the module ended with the turn; it follows the requests.
  public var ending: ModuleEnding
  /// What whoever asked for the message is answered.
  public var reply: TurnReply
  /// When the coordinator wants to be woken; `nil` is never, in records from before there was this.
  public var wakes: [TurnWake]?

  /// Creates a report of a turn without consequences unless said otherwise.
  public init(
    screen: ScreenID, lease: UInt32, number: UInt32, handled: UInt32?, state: [UInt8]? = nil, vetoes: Vetoes? = nil,
    outputs: [[UInt8]] = [], requests: [TurnRequest] = [], ending: ModuleEnding = .none, reply: TurnReply = .done,
    wakes: [TurnWake]? = nil
  ) {
    self.screen = screen
    self.lease = lease
    self.number = number
    self.handled = handled
    self.state = state
    self.vetoes = vetoes
    self.outputs = outputs
    self.requests = requests
    self.ending = ending
    self.reply = reply
    self.wakes = wakes
  }
}

/// A coordinator's wish to be woken: it gets `Message.Body.timer` then, also when another host has resumed it meanwhile (D3).
public struct TurnWake: Hashable, Sendable, Codable {
  /// The wish's name: a later wish of that name replaces it.
  public var name: String
  /// In how many milliseconds of scene time; `nil` forgets the wish.
  public var after: UInt64?

  /// Creates a wish.
  public init(name: String, after: UInt64?) {
    self.name = name
    self.after = after
  }
}

/// One request of a turn; its `txn` is the text of its `RequestKey`.
public struct TurnRequest: Hashable, Sendable, Codable {
  /// What is wanted.
  public var action: Command.Action
  /// What happens when the place is busy.
  public var policy: Policy
  /// The condition on what the coordinator saw.
  public var ifTop: ScreenRef?
  /// Settles without waiting for the renderer.
  public var instant: Bool
  /// Milliseconds until it must be answered; `nil` is the scene's default.
  public var deadline: UInt32?
  /// Whether the coordinator wants `Message.Body.requestSettled` only for a refusal.
  public var quiet: Bool
  /// The presentation command that is executed with it, as `Command.gate`.
  public var gate: String?

  /// Creates a request of a turn.
  public init(
    _ action: Command.Action, policy: Policy = .queue, ifTop: ScreenRef? = nil, instant: Bool = false, deadline: UInt32? = nil,
    quiet: Bool = false, gate: String? = nil
  ) {
    self.action = action
    self.policy = policy
    self.ifTop = ifTop
    self.instant = instant
    self.deadline = deadline
    self.quiet = quiet
    self.gate = gate
  }
}

/// The name of a coordinator's request: the turn it was made in, and its place there from 0. Printed as `s12.4.0`.
public struct RequestKey: Hashable, Sendable, Codable {
  /// Who asked.
  public let screen: ScreenID
  /// The turn's number.
  public let turn: UInt32
  /// The place among the turn's requests, from 0.
  public let index: UInt32

  /// Creates a key.
  public init(screen: ScreenID, turn: UInt32, index: UInt32) {
    self.screen = screen
    self.turn = turn
    self.index = index
  }

  /// The name of a turn's end: what becomes of that is told only when it is refused.
  public static func ending(of screen: ScreenID, turn: UInt32) -> RequestKey { RequestKey(screen: screen, turn: turn, index: .max) }

  /// Whether it names a turn's end.
  public var isEnding: Bool { index == .max }

  /// The `txn` under which the core submits it.
  public var txn: String { isEnding ? "\(screen).\(turn).end" : "\(screen).\(turn).\(index)" }
}

/// Whether, and how, a module ends by itself.
public enum ModuleEnding: Hashable, Sendable, Codable {
  /// It goes on.
  case none
  /// It ends with a result; no bytes is a result without value.
  case finish([UInt8]?)
  /// It ends without a result.
  case cancel
}

/// What a coordinator says to whoever sent the message.
public enum TurnReply: Hashable, Sendable, Codable {
  /// Done.
  case done
  /// Not done, and nothing changed by it: `screen.no_such_row`, `input.invalid`…
  case refused(Refusal)
}

/// The gestures a screen does not allow. Kept by the core; only gestures ask it.
public struct Vetoes: OptionSet, Hashable, Sendable, Codable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The screen is not swiped back.
  public static let back = Vetoes(rawValue: 1)
  /// The layer in which the screen is on top is not swiped away.
  public static let dismiss = Vetoes(rawValue: 2)
}
