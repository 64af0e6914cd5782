package import MinervaInterfaces
package import MinervaNavigation
package import MinervaProtocol

/// One open scene as the broker holds it: the core's state, and what is kept beside it in memory alone.
/// A reference: one record changes its scene in place, however many look at it.
package final class SceneSlot {
  package let identity: SceneIdentity
  /// The scene's name in the journal.
  package let key: String
  package internal(set) var state: SceneState
  /// The monotonic moment at which scene time was `base`.
  let opened: Moment
  let base: UInt64

  /// The number of the last event that was published.
  package internal(set) var events: UInt64 = 0
  /// The last of them, for watchers that missed some.
  var recent = RecentEvents.OfScene()
  /// When it was used last, and the last record that something held back for it waits for.
  var touchedAt: Moment
  var lastTicket: UInt64 = 0
  /// The record after which the journal knows it at rest; 0 for none.
  var restedAt: UInt64 = 0
  /// Which of all slots it is.
  var serial: UInt64 = 0
  /// Whether its effects happen in the step under way.
  var isTouched = false
  /// What its screens show.
  var displays = ScreenDisplays()
  /// Screens whose turn announced a rendering that has not come.
  var announced: Set<ScreenID> = []
  /// Who waits for what in it.
  var waiters = Waiters()
  /// What hosts make of its screens, and have made.
  var links = SceneLinks()
  /// Hosts that run, or ran, coordinators of it.
  var hosts: Set<String> = []
  /// The message that each screen had in hand when its host was lost, and how often it was.
  var deaths: [ScreenID: Deaths] = [:]
  /// How often a host was asked again for a placeholder that it had been too slow for.
  var askedAgain: [ScreenID: Int] = [:]
  /// Whether the last event said that nothing is under way.
  var saidIdle = false
  /// Whether the broker still has it: what is held back for a scene that is over, or was taken away, does not happen.
  var isOpen = true
  /// Who asked last, from which node: known to be among the node's callers.
  var lastCaller: (node: String, caller: String)?
  /// Records and bytes since the last snapshot.
  var unsaved = (records: 0, bytes: 0)

  init(identity: SceneIdentity, state: SceneState, now: Moment, at time: SceneTime = .zero) {
    self.identity = identity
    self.key = identity.description
    self.state = state
    self.opened = now
    touchedAt = now
    self.base = time.milliseconds
  }

  /// The scene's time; it stands still while no broker runs.
  package func time(_ now: Moment) -> SceneTime {
    min(.last, SceneTime(milliseconds: base).advanced(by: UInt64(max(0, now - opened))))
  }

  /// The monotonic moment of a moment of scene time.
  func moment(of time: SceneTime) -> Moment {
    let ahead = time.milliseconds > base ? time.milliseconds - base : 0
    return opened + Int64(min(ahead, SceneTime.last.milliseconds))
  }

  /// Whether no request, message or announced rendering is under way.
  package var isSettled: Bool { announced.isEmpty && state.isSettled }
}

extension SceneIdentity {
  /// Reads the form that `description` writes: `app/name#incarnation`.
  package init?(_ description: String) {
    // Over bytes: a broker's start reads as many as there are scenes.
    guard let hash = description.utf8.lastIndex(of: UInt8(ascii: "#")),
      let incarnation = UInt64(description[description.utf8.index(after: hash)...]),
      let slash = description.utf8.firstIndex(of: UInt8(ascii: "/")), slash < hash
    else { return nil }
    self.init(
      name: String(description[description.index(after: slash)..<hash]), app: String(description[..<slash]), incarnation: incarnation)
  }
}
