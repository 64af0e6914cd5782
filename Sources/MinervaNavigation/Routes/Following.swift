/// A link whose hops have been resolved: what is to be open, and what becomes of the rest of it (R2, R4).
public struct Following: Hashable, Sendable, Codable {
  /// The steps from the scene's root.
  public var steps: [RouteStep]
  /// The link as it was written, or what everyone may see of it; empty when the steps came from elsewhere.
  public var link: String
  /// Set when `link` is only that, and the rest of the link will be wanted (P4). Given by brokers, never by callers.
  public var linkSeal: Seal?
  /// What was given with the link, UTF-8 JSON; no bytes for nothing. What stands for it, when it is sealed.
  public var context: [UInt8]
  /// Set when `context` only stands for what was given (P4). Given by brokers, never by callers.
  public var seal: Seal?
  /// Whether everything above the scene's root goes first.
  public var resets: Bool
  /// Whether the steps before one that cannot be followed stay.
  public var keepsPrefix: Bool
  /// Whether the last step's screen is awaited: the link is followed again when it ends with a result (R4).
  public var waits: Bool
  /// Why the link leads no further than these steps, when the caller keeps what matched.
  public var shortfall: Refusal?
  /// The waiting plan that goes on with this.
  public var plan: PlanID?

  /// Creates a link to follow.
  public init(
    _ steps: [RouteStep], link: String = "", context: [UInt8] = [], resets: Bool = false, keepsPrefix: Bool = false, waits: Bool = false,
    plan: PlanID? = nil
  ) {
    self.steps = steps
    self.link = link
    self.context = context
    self.resets = resets
    self.keepsPrefix = keepsPrefix
    self.waits = waits
    self.plan = plan
  }
}

extension Following: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: RouteStep...) {
    self.init(elements)
  }
}

/// The name of a waiting plan, `p3`; unique in its scene.
public struct PlanID: Hashable, Sendable {
  /// Its number, from 1.
  public let number: UInt32

  /// Names a plan.
  public init(_ number: UInt32) {
    self.number = number
  }
}

extension PlanID: LosslessStringConvertible {
  /// Reads `p` followed by a number without sign or leading zero; `nil` for anything else.
  public init?(_ description: String) {
    guard description.hasPrefix("p"), let number = UInt32(description.dropFirst()), number > 0, "p\(number)" == description else {
      return nil
    }
    self.init(number)
  }

  public var description: String { "p\(number)" }
}

extension PlanID: Codable, TextCoded {}

/// A link that waits for a screen to end before the rest of it is followed (R4).
public struct PlanReport: Hashable, Sendable, Codable {
  /// Its name.
  public let id: PlanID
  /// The link as it was written, or what everyone may see of it.
  public let link: String
  /// What was given with the link.
  public var context: [UInt8]
  /// Whether it begins at the root.
  public let resets: Bool
  /// Whether it keeps what could be followed.
  public let keepsPrefix: Bool
  /// The screen it waits for.
  public let awaited: ScreenID
  /// The module of that screen.
  public let module: String
  /// Who followed the link.
  public let caller: String
  /// The record of that request.
  public let seq: UInt64
  /// When it gives up.
  public let deadline: SceneTime
}

/// How a waiting plan ends, and what it is while it does not.
public enum PlanStage: Hashable, Sendable, Codable {
  /// It waits for its screen.
  case waiting
  /// The screen has ended with its result: the rest is followed as soon as the scene is at rest.
  case due
  /// The rest was followed.
  case followed
  /// It ended without being followed.
  case ended(Refusal)
}
