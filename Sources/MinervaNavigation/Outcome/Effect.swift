/// What the outside must do, in order, once the record is durable (N16).
public enum Effect: Hashable, Sendable, Codable {
  /// Answer a caller; exactly once for each `txn`, and again for each resubmission.
  indirect case answer(Answer)
  /// Tell a caller where its request stands; only for requests that are not answered in the same step.
  indirect case admitted(Admission)
  /// Make a module in a host; answered by `Record.link`.
  indirect case connect(Connection)
  /// Make a module again in a host, after a loss; answered by `Record.link`.
  indirect case resume(Resumption)
  /// Give a coordinator a message; answered by `Record.turn`.
  indirect case deliver(Delivery)
  /// A turn report was taken (or was taken before), or refused: its host acts under an old lease, or the screen is gone.
  case turnTaken(screen: ScreenID, number: UInt32, refusal: Refusal?)
  /// A coordinator is over: stop its tasks, forget it.
  indirect case end(Departure)
  /// Show a transition; answered by `RendererReport.acknowledged`.
  indirect case render(Transition)
  /// The renderer's wish to be the primary was granted, or not.
  case renderer(String, refusal: Refusal?)
  /// Feed `Record.timer` at this moment; replaces the earlier wish, `nil` withdraws it.
  case wake(at: SceneTime?)
  /// Resolve the link of a waiting plan again; answered by a command that follows it, or ends the plan (R4).
  indirect case resolve(PlanReport)
  /// Publish.
  case event(Event)
}

/// What a host needs to make a module.
public struct Connection: Hashable, Sendable, Codable {
  /// The coordinator's name.
  public let screen: ScreenID
  /// The lease under which it acts: 1, or 2 when its first host died before it was presented.
  public let lease: UInt32
  /// The module and, if pinned, its host.
  public let module: ModuleAddress
  /// The input as the caller wrote it; what everyone may see of it while it is sealed.
  public var input: [UInt8]
  /// The number under which the whole input is kept, when fields of it are secret (P4).
  public var seal: Seal?
  /// How it will be presented; `nil` for a coordinator without a screen and for roots of containers.
  public let via: Presentation?
  /// The coordinator it becomes a child of.
  public let parent: ScreenID?
  /// The host of the parent, if it has one.
  public let parentHost: String?
  /// The request that opens it.
  public let seq: UInt64
  /// The name of that request; the caller's configuration goes by it.
  public let txn: String
  /// When the link must be made.
  public let deadline: SceneTime

  /// Creates a connection.
  public init(
    screen: ScreenID, lease: UInt32, module: ModuleAddress, input: [UInt8], seal: Seal? = nil, via: Presentation?, parent: ScreenID?,
    parentHost: String?, seq: UInt64, txn: String, deadline: SceneTime
  ) {
    self.screen = screen
    self.lease = lease
    self.module = module
    self.input = input
    self.seal = seal
    self.via = via
    self.parent = parent
    self.parentHost = parentHost
    self.seq = seq
    self.txn = txn
    self.deadline = deadline
  }
}

/// What a host needs to make a module again.
public struct Resumption: Hashable, Sendable, Codable {
  /// The coordinator's name.
  public let screen: ScreenID
  /// The lease under which it acts from now on.
  public let lease: UInt32
  /// The module.
  public let module: ModuleAddress
  /// The host that was chosen.
  public let host: String
  /// The input it was opened with; what everyone may see of it while it is sealed.
  public var input: [UInt8]
  /// The number under which the whole input is kept, when fields of it are secret (P4).
  public var seal: Seal?
  /// The state it declared last.
  public let state: [UInt8]?
  /// The number its next turn bears.
  public let nextTurn: UInt32
  /// The coordinator it is a child of.
  public let parent: ScreenID?
  /// Its children in order.
  public let children: [ScreenSummary]
  /// When it must be there.
  public let deadline: SceneTime
  /// The presentation commands of its that are under way (C1); `nil` is none.
  public let gates: [HeldGate]?

  /// Creates a resumption.
  public init(
    screen: ScreenID, lease: UInt32, module: ModuleAddress, host: String, input: [UInt8], seal: Seal? = nil, state: [UInt8]?,
    nextTurn: UInt32, parent: ScreenID?, children: [ScreenSummary], deadline: SceneTime, gates: [HeldGate]? = nil
  ) {
    self.gates = gates
    self.screen = screen
    self.lease = lease
    self.module = module
    self.host = host
    self.input = input
    self.seal = seal
    self.state = state
    self.nextTurn = nextTurn
    self.parent = parent
    self.children = children
    self.deadline = deadline
  }
}

/// A presentation command that an earlier life of a coordinator executed: it is disabled until what it presents is gone.
public struct HeldGate: Hashable, Sendable, Codable {
  /// The gate's name.
  public let name: String
  /// The request that presents, while it is not answered.
  public let request: RequestKey?
  /// The screen that was presented.
  public let screen: ScreenID?

  /// Creates a held gate.
  public init(name: String, request: RequestKey? = nil, screen: ScreenID? = nil) {
    self.name = name
    self.request = request
    self.screen = screen
  }
}

/// One message on its way.
public struct Delivery: Hashable, Sendable, Codable {
  /// For whom.
  public let screen: ScreenID
  /// Where that runs.
  public let host: String
  /// The lease under which it acts.
  public let lease: UInt32
  /// The message.
  public var message: Message

  /// Creates a delivery.
  public init(screen: ScreenID, host: String, lease: UInt32, message: Message) {
    self.screen = screen
    self.host = host
    self.lease = lease
    self.message = message
  }
}

/// A coordinator that is over.
public struct Departure: Hashable, Sendable, Codable {
  /// Which.
  public let screen: ScreenID
  /// Its module.
  public let module: String
  /// Where it ran; empty if that is not known: its link was not answered yet.
  public let host: String
  /// The lease under which it acted.
  public let lease: UInt32
  /// Why.
  public let reason: RemovalReason

  /// Creates a departure.
  public init(screen: ScreenID, module: String, host: String, lease: UInt32, reason: RemovalReason) {
    self.screen = screen
    self.module = module
    self.host = host
    self.lease = lease
    self.reason = reason
  }
}

/// What a renderer shows: from what it shows now to the tree as it is after this step.
public struct Transition: Hashable, Sendable, Codable {
  /// The number to acknowledge.
  public let number: UInt64
  /// The request behind it.
  public let seq: UInt64
  /// The verb of that request.
  public let verb: String
  /// How the screen that enters last does so.
  public let via: Presentation?
  /// The screens that enter, in order.
  public let entering: [ScreenSummary]
  /// The screens that leave, in order, as they stood.
  public let leaving: [ScreenSummary]

  /// Creates a transition.
  public init(number: UInt64, seq: UInt64, verb: String, via: Presentation?, entering: [ScreenSummary], leaving: [ScreenSummary]) {
    self.number = number
    self.seq = seq
    self.verb = verb
    self.via = via
    self.entering = entering
    self.leaving = leaving
  }
}
