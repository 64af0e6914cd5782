/// What a request needs for itself alone while it runs (N5).
struct Scope: Hashable, Sendable, Codable {
  /// Subtrees, each by the way to it from its layer: one overlaps another if it is a prefix of it.
  var subtrees: [[UInt64]] = []
  /// All layers from this height up.
  var layersFrom: Int?

  /// The whole scene.
  static let scene = Scope(layersFrom: 0)

  /// The step to a layer.
  static func step(layer: Int) -> UInt64 { UInt64(clamping: layer) }

  /// The step into a part of a screen.
  static func step(_ owner: ScreenID, kind: UInt64, index: Int = 0) -> UInt64 {
    1 << 63 | UInt64(owner.number) << 24 | kind << 20 | UInt64(index & 0xF_FFFF)
  }

  /// Adds all layers from this height up.
  mutating func add(layersFrom height: Int) {
    layersFrom = min(layersFrom ?? height, height)
  }

  /// Whether two requests must not run at the same time.
  func overlaps(_ other: Scope) -> Bool {
    if let mine = layersFrom, other.layersFrom != nil || other.subtrees.contains(where: { $0[0] >= UInt64(mine) }) { return true }
    if let theirs = other.layersFrom, subtrees.contains(where: { $0[0] >= UInt64(theirs) }) { return true }
    return subtrees.contains { mine in
      other.subtrees.contains { theirs in zip(mine, theirs).allSatisfy { $0 == $1 } }
    }
  }
}

/// One change of the tree; those of a request are made together (N14).
enum Move: Hashable, Sendable, Codable {
  /// Removes all but the lowest `keep` screens of a stack.
  case cut(StackKey, keep: Int, RemovalReason)
  /// Makes a stack exactly this; who is not named is replaced.
  case arrange(StackKey, [ScreenID])
  /// Removes a layer, and the layers over it for another reason.
  case dropLayers(from: Int, RemovalReason, over: RemovalReason)
  /// Empties a slot.
  case vacate(ScreenID, slot: Int, RemovalReason)
  /// Removes a coordinator that has no screen.
  case retire(ScreenID, RemovalReason)
  /// Puts a new screen on top of a stack.
  case push(StackKey, ScreenID)
  /// Puts a new screen into a new layer.
  case layer(ModalStyle, by: ScreenID?, ScreenID)
  /// Puts a new screen into a slot.
  case fill(ScreenID, slot: Int, ScreenID)
  /// Selects a tab.
  case select(ScreenID, Int)
  /// Joins the stacks of a split, or takes them apart.
  case collapse(ScreenID, Bool)

  /// Whether it puts up a new layer.
  var addsLayer: Bool { if case .layer = self { true } else { false } }
}

/// A screen that is named to leave, with the reason that is its own.
struct NamedReason: Hashable, Sendable, Codable {
  let screen: ScreenID
  let reason: RemovalReason
}

/// A screen that leaves, as it stood.
struct Leaving: Hashable, Sendable, Codable {
  let summary: ScreenSummary
  let reason: RemovalReason
  /// Who hears what it ends with beside its parent: whoever opened the container whose leaf it was (L4).
  var hearer: ScreenID?
}

/// What a request is about to do, before anything is changed.
struct Plan {
  /// A coordinator to be made. Its name is the next free one, in the order of the plan.
  struct Opening {
    var id: ScreenID
    var module: ModuleAddress
    var input: [UInt8]
    var seal: Seal?
    var via: Presentation?
    var parent: ScreenID?
    /// The stack at whose root it is started, for a tab that is selected for the first time.
    var root: StackKey?
    var isScreenless = false
    var unhosted = false
    /// The tab that is selected when it turns out to have tabs; what is pushed on the tab follows its root.
    var tab: String?
    /// What a link wants at the root of that tab: its input counts when the tab starts with that module.
    var tabStart: ModuleStart?
    var tabSeal: Seal?
  }

  /// What it does beside, or in place of, changing the tree.
  enum Deed {
    case nothing
    /// Gives a coordinator a message.
    case tell(ScreenID, Message.Body)
    /// Puts the screens that the moves remove under a finger.
    case hold(Command.Gesture)
  }

  /// The screen it is about.
  var subject: ScreenID?
  var openings: [Opening] = []
  var moves: [Move] = []
  var named: [NamedReason] = []
  var result: [UInt8]?
  var configures = false
  /// What is given to the module, or to its active leaf, before it is presented.
  var inputs: [Command.ModuleInput]?
  var deed = Deed.nothing
  /// Whether the place was not named but is what a person sees: nothing that changes that may run beside it (N12).
  var isImplicit = false
  /// Why a link ends before its last step.
  var shortfall: Refusal?
}

/// An input that must be handled before what it is for is presented.
struct UnhandledInput: Hashable, Sendable, Codable {
  let screen: ScreenID
  let message: UInt32
}

/// What a running request does.
struct Work: Hashable, Sendable, Codable {
  /// How far it is.
  enum Stage: Hashable, Sendable, Codable {
    /// Modules are being made; so many answers are missing, until then.
    case linking(missing: Int, until: SceneTime)
    /// The renderer shows the transition with this number, until then.
    case showing(UInt64, until: SceneTime)
    /// A finger holds the screens.
    case held(Command.Gesture)
    /// The coordinator has been given the message with this number.
    case acting(ScreenID, UInt32)
  }

  var stage: Stage
  var scope: Scope
  var moves: [Move]
  let named: [NamedReason]
  let result: [UInt8]?
  /// Whether the caller's configuration is missing (L1).
  var isUnconfigured = false
  /// What is given to the module, or to its active leaf, once all are made (L4).
  var inputs: [Command.ModuleInput]?
  /// Which of it has not been handled yet.
  var unhandled: [UnhandledInput]?
  /// Every coordinator it makes, in the order of their names.
  var opened: [ScreenID]
  /// After the commit: who leaves, in order (N8).
  var leaving: [Leaving] = []
  /// After the commit: who comes into view, and who goes out of it, of those who want to know.
  var appearing: [ScreenID] = []
  var disappearing: [ScreenID] = []
  var outcome: Outcome

  /// Until when its modules must be made, while they are being made.
  var linkDeadline: SceneTime? {
    if case .linking(_, let until) = stage { until } else { nil }
  }

  /// Whether a screen is part of what it does: its requests wait for the end of it.
  func involves(_ id: ScreenID) -> Bool {
    opened.contains(id) || leaving.contains { $0.summary.screen == id }
  }
}

/// A request that is not over.
struct Request: Hashable, Sendable, Codable {
  /// Who is told.
  enum Source: Hashable, Sendable, Codable {
    /// A caller: answered, and remembered.
    case caller
    /// A coordinator's turn: told by a message; `quiet` only of a refusal.
    case turn(RequestKey, quiet: Bool)
    /// The core: screens whose host is lost; in records from before ends were answered also a module's own end, without reason.
    case core(RemovalReason?)

    /// Whether it is a module's own end: it follows the other wishes of its last turn, and waits as long as it must.
    var isEnding: Bool {
      switch self {
      case .core(nil): true
      case .turn(let key, _): key.isEnding
      case .caller, .core: false
      }
    }
  }

  /// Whether it runs.
  enum Status: Hashable, Sendable, Codable {
    case waiting
    case running(Work)
  }

  /// One who shares its outcome.
  struct Joiner: Hashable, Sendable, Codable {
    let txn: String
    let caller: String
    let seq: UInt64
    let deadline: SceneTime
    /// The number under which it holds a gate of its own, if it does.
    var gate: UInt64?
    /// The request of a coordinator's turn that it is, told by a message as that is; `nil` of a caller's.
    var key: RequestKey?
    /// Whether the coordinator is told of a refusal alone.
    var isQuiet: Bool?
  }

  /// Its own number in the scene.
  let ticket: UInt64
  /// The position of its record.
  let seq: UInt64
  let command: Command
  let source: Source
  let deadline: SceneTime
  var status = Status.waiting
  /// Whether it was answered already, by its deadline or because a gesture began.
  var isAnswered = false
  /// Whether its module was configured before its turn had come (L3); `nil` otherwise.
  var isConfigured: Bool?
  var joiners: [Joiner] = []

  /// What it does, if it runs.
  var work: Work? {
    if case .running(let work) = status { work } else { nil }
  }

  /// Whether its caller still has to configure the module it opens (L1).
  var isUnconfigured: Bool {
    guard source == .caller, !isAnswered, case .open(let opening) = command.action, opening.configures else { return false }
    return work.map(\.isUnconfigured) ?? (isConfigured != true)
  }

  /// Its names for watchers.
  var summary: RequestSummary {
    RequestSummary(seq: seq, txn: command.txn, caller: command.caller, origin: command.origin, verb: command.action.verb)
  }
}
