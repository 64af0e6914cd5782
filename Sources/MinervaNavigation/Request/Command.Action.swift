extension Command.Action {
  /// The modules it names to be opened.
  package var modules: [ModuleAddress] {
    switch self {
    case .launch(let module, _): [module]
    case .open(let opening): [opening.module]
    case .setStack(_, let elements): elements.compactMap { if case .module(let module, _) = $0 { module } else { nil } }
    case .follow(let following): following.steps.map(\.module)
    default: []
    }
  }
}

extension Command {
  /// The verbs.
  public enum Action: Hashable, Sendable, Codable {
    /// Starts a module without a screen, an app's start module; its parent is the origin. It leaves with that, and takes along what it has
    /// opened, wherever that stands, but for the scene's root and what the request that removes it builds on (K2).
    case launch(module: ModuleAddress, input: [UInt8])
    /// Opens a module.
    indirect case open(Opening)
    /// Takes the named transition of a screen; `nil` input is the transition's own, `nil` screen the origin or the top.
    case go(name: String, from: ScreenRef?, input: [UInt8]?)
    /// Follows a link whose hops have been resolved, as one transaction (R2).
    indirect case follow(Following)
    /// Ends a plan that waits (R4): for a caller, or because its link cannot be resolved any more.
    indirect case endPlan(PlanID, Refusal?)
    /// Removes `count` screens from the top of a stack; `nil` is the origin's stack or the visible one.
    case back(count: UInt32, in: NavPath?)
    /// Removes all above the screen.
    case backTo(ScreenRef)
    /// Removes all above a stack's root.
    case backRoot(in: NavPath?)
    /// Removes exactly these screens with all above them, as one transaction.
    case close([ScreenRef])
    /// Removes a layer and all above it: the screen's, or the topmost.
    case dismiss(ScreenRef?)
    /// Removes every modal layer.
    case dismissAll
    /// Removes every layer that a coordinator, or one below it, has presented; `nil` is the origin, or the top (K6).
    case dismissPresented(ScreenRef?)
    /// Makes a stack exactly this, from the bottom; screens named keep identity and state.
    case setStack(NavPath, [Element])
    /// Selects a tab of the innermost tab container around the screen (the origin, or the top); `reset` pops that tab to its root.
    case selectTab(name: String, of: ScreenRef?, reset: Bool)
    /// Joins the detail stack of a split to its primary stack; `nil` is the innermost split around the origin or the top.
    case collapse(ScreenRef?)
    /// Takes the joined detail stack apart again.
    case expand(ScreenRef?)
    /// Gives a module one more input; answered when its coordinator has handled it.
    case send(ScreenRef, [UInt8])
    /// The same of an input with secrets: what everyone may see of it, and the number of the whole.
    case sendSealed(ScreenRef, [UInt8], Seal)
    /// Speaks an output in the module's place; marked `by=shell`.
    case output(ScreenRef, [UInt8])
    /// Ends a module with a result (no bytes: without value) in its place.
    case finish(ScreenRef, [UInt8]?)
    /// Ends a module without a result in its place.
    case cancel(ScreenRef)
    /// What a person does on a visible screen; answered when its coordinator has handled it.
    case act(ScreenRef, Act)
    /// A removal by the person's finger.
    case gesture(Gesture, GestureStep)
    /// Drops a request that still waits; `nav.not_waiting` if it runs or is answered. For a caller that gave up.
    case withdraw(txn: String)
    /// Ends the scene: every screen leaves with `sceneClosed`.
    case end
  }

  /// The operands of `open`.
  public struct Opening: Hashable, Sendable, Codable {
    /// Which module, and on which host if pinned.
    public var module: ModuleAddress
    /// The input, UTF-8 JSON as the caller wrote it, never re-encoded.
    public var input: [UInt8]
    /// Where it goes.
    public var via: Presentation
    /// The stack (or the container) it goes into; `nil` is the origin's, or the visible one.
    public var into: NavPath?
    /// Pops to this screen in the same transaction.
    public var popTo: ScreenRef?
    /// Whether the screen popped to leaves as well.
    public var inclusive: Bool
    /// Whether the caller has promised to configure the module before it is presented (L1): `Record.configured` must come.
    public var configures: Bool
    /// Whether the screen has no host at all: no link, no messages. For benches and placeholders.
    public var unhosted: Bool
    /// More inputs, each for the module itself or for the first on the way from it to its active leaf that has the name (L1, L4). All are
    /// handled before the screen is presented; one that is refused rolls the opening back.
    public var configuration: [ModuleInput]?
    /// Set when `input` is only what everyone may see of it (P4): the number of the whole. Given by brokers, never by callers.
    public var seal: Seal?

    /// Creates an opening; a push of the module into the visible stack unless said otherwise.
    public init(
      _ module: ModuleAddress, input: [UInt8] = [], via: Presentation = .push, into: NavPath? = nil, popTo: ScreenRef? = nil,
      inclusive: Bool = false, configures: Bool = false, unhosted: Bool = false
    ) {
      self.module = module
      self.input = input
      self.via = via
      self.into = into
      self.popTo = popTo
      self.inclusive = inclusive
      self.configures = configures
      self.unhosted = unhosted
    }
  }

  /// One more input of a module that is being opened, or of the active leaf of the container that it is.
  public struct ModuleInput: Hashable, Sendable, Codable {
    /// The name of the module that is meant.
    public var module: String
    /// UTF-8 JSON.
    public var input: [UInt8]
    /// Set when `input` is only what everyone may see of it (P4). Given by brokers, never by callers.
    public var seal: Seal?

    /// Creates an input for a module.
    public init(module: String, input: [UInt8]) {
      self.module = module
      self.input = input
    }
  }

  /// One place of a stack that is set as a whole.
  public enum Element: Hashable, Sendable, Codable {
    /// A screen that stays (or moves) with its identity.
    case screen(ScreenRef)
    /// A module opened there.
    case module(ModuleAddress, input: [UInt8])
  }

  /// What a person does on a screen. Rows, fields and commands are the screen's own; the host answers for them.
  public enum Act: Hashable, Sendable, Codable {
    /// Taps a row, or an action of it.
    case tap(row: String, action: String?)
    /// Enters a value into a field: UTF-8 text.
    case enter(field: String, value: String)
    /// Enters what must not be written down (P4). Made by brokers, never by callers.
    case enterSealed(field: String, Seal)
    /// Moves a row before or after another.
    case move(row: String, before: Bool, other: String)
    /// Swipes a row, or takes the swipe action of that name.
    case swipe(row: String, action: String?)
    /// Executes a presentation command of the screen with an input.
    case execute(command: String, input: [UInt8]?)
    /// The same with an input that must not be written down (P4). Made by brokers, never by callers.
    case executeSealed(command: String, Seal)
  }

  /// What a finger removes.
  public enum Gesture: String, Hashable, Sendable, Codable {
    /// The top screen of the visible stack.
    case back
    /// The topmost layer.
    case dismiss
  }

  /// Where a finger is.
  public enum GestureStep: String, Hashable, Sendable, Codable {
    case begin, commit, cancel
  }
}

extension Command.Action {
  /// The verb as people write it.
  public var verb: String {
    switch self {
    case .launch: "launch"
    case .open: "open"
    case .go: "go"
    case .follow: "deeplink"
    case .back, .backTo, .backRoot: "back"
    case .close: "close"
    case .dismiss, .dismissAll, .dismissPresented: "dismiss"
    case .setStack: "stack set"
    case .selectTab: "tab"
    case .collapse: "collapse"
    case .expand: "expand"
    case .send, .sendSealed: "send"
    case .output: "output"
    case .finish: "finish"
    case .cancel: "cancel"
    case .act(_, let act): act.verb
    case .gesture: "gesture"
    case .endPlan: "cancel"
    case .withdraw: "withdraw"
    case .end: "end"
    }
  }
}

extension Command.Act {
  /// The verb as people write it.
  public var verb: String {
    switch self {
    case .tap: "tap"
    case .enter, .enterSealed: "enter"
    case .move: "move"
    case .swipe: "swipe"
    case .execute, .executeSealed: "execute"
    }
  }
}
