public import MinervaNavigation

/// A link that a caller wants followed (R2).
public struct DeepLinkRequest: Codable, Sendable {
  public var scene: SceneAddress
  /// The link as it was written; it is read by the broker (R6).
  public var link: String
  /// What is given with the link: a JSON object, UTF-8; no bytes for nothing.
  public var context: [UInt8]
  /// Whether only the plan is wanted.
  public var isDryRun: Bool
  /// Whether everything above the scene's root goes first.
  public var resets: Bool
  /// Whether what matched stays when the rest fails.
  public var keepsPrefix: Bool
  /// The request's own name, and its conditions, as of any other.
  public var txn: String
  public var caller: String
  public var policy: Policy
  public var ifTop: ScreenRef?
  public var instant: Bool
  /// Milliseconds until it must be answered.
  public var deadline: UInt32?

  public init(
    scene: SceneAddress, link: String, context: [UInt8] = [], isDryRun: Bool = false, resets: Bool = false, keepsPrefix: Bool = false,
    txn: String, caller: String, policy: Policy = .queue, ifTop: ScreenRef? = nil, instant: Bool = false, deadline: UInt32? = nil
  ) {
    self.scene = scene
    self.link = link
    self.context = context
    self.isDryRun = isDryRun
    self.resets = resets
    self.keepsPrefix = keepsPrefix
    self.txn = txn
    self.caller = caller
    self.policy = policy
    self.ifTop = ifTop
    self.instant = instant
    self.deadline = deadline
  }
}

/// What a link has come to: its answer, or its plan.
public struct DeepLinkReply: Codable, Sendable {
  /// The answer; `nil` for a dry run.
  public var answer: SceneAnswer?
  /// What following the link would do, in order; empty when it was followed.
  public var plan: [PlannedStep]
  /// The hops of the link, each with the values it takes.
  public var hops: [Hop]
  /// The module whose end the link would wait for (R4).
  public var awaits: String?
  /// Why the link leads no further, when the caller keeps what matched.
  public var shortfall: Refusal?

  public init(answer: SceneAnswer?, plan: [PlannedStep] = [], hops: [Hop] = [], awaits: String? = nil, shortfall: Refusal? = nil) {
    self.answer = answer
    self.plan = plan
    self.hops = hops
    self.awaits = awaits
    self.shortfall = shortfall
  }
}

/// The links of an app: what they begin with, and where they lead.
public struct RouteListing: Codable, Sendable {
  public var app: String
  public var scope: DeepLinkScope
  /// By module, the first to be tried first.
  public var routes: [Route]

  public init(app: String, scope: DeepLinkScope, routes: [Route]) {
    self.app = app
    self.scope = scope
    self.routes = routes
  }
}

/// What a broker asks the owner of a route.
public struct RouteInquiry: Codable, Sendable {
  public var scene: SceneIdentity
  public var question: RouteQuestion
  /// What was given with the link, UTF-8 JSON; no bytes for nothing.
  public var context: [UInt8]

  public init(scene: SceneIdentity, question: RouteQuestion, context: [UInt8]) {
    self.scene = scene
    self.question = question
    self.context = context
  }
}
