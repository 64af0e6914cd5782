import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// A link on its way from its text to a command: what owners have answered, and who waits for it.
struct DeepLinkJourney {
  /// For whom it is followed.
  enum Reason {
    /// A caller.
    case request(DeepLinkRequest, CallToken, node: String)
    /// A plan that is due (R4).
    case plan(PlanReport)
  }

  let scene: String
  let reason: Reason
  let link: DeepLinkURL
  let context: JSONValue?
  /// When its caller asked for it.
  let began: Moment
  /// When it must have become a command; what is left then is the command's.
  let deadline: Moment
  var decisions: [RouteQuestion: RouteDecision] = [:]
  /// What was asked and is not answered.
  var asked: RouteQuestion?

  /// How many questions one link may ask.
  static let questions = 16
  /// How long an owner may take, in milliseconds.
  static let patience: Int64 = 2_000

  var contextBytes: [UInt8] {
    switch reason {
    case .request(let request, _, _): request.context
    case .plan(let plan): plan.context
    }
  }
}
