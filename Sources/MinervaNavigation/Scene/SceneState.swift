/// What one record did.
public struct Step: Hashable, Sendable, Codable {
  /// The record's position in the scene's journal; `nil` when it changed nothing and must not be journaled.
  public var seq: UInt64?
  /// What to do, in order.
  public var effects: [Effect]
}

/// The whole of one scene: the pure core (N17: the same records give the same state, effects and bytes).
///
/// Total over its input: a record that cannot be is ignored, a command that cannot be is answered with a refusal, nothing traps.
package struct SceneState: Hashable, Sendable {
  /// The scene's name.
  package let scene: String
  /// The app whose modules it shows.
  package let app: String
  /// Its times.
  package let settings: SceneSettings
  /// The position of the last record that changed anything; 0 before the first.
  package internal(set) var seq: UInt64 = 0
  /// Whether the scene is over: every command is refused from then on.
  package internal(set) var hasEnded = false

  /// The moment of the last record.
  var now = SceneTime.zero
  var nextScreen: UInt32 = 1
  var nextTicket: UInt64 = 1
  var nextTransition: UInt64 = 1
  var events: UInt64 = 0
  /// The open coordinators.
  var nodes = NodeTable()
  /// How many of them have no screen, and how many want lifecycle messages: most scenes need not look.
  var screenless = 0
  var lifecycleListeners = 0
  /// The layers from the bottom; the root layer is always there.
  var layers = [LayerState()]
  /// The requests that are not over, in the order of their arrival.
  var pending: [Request] = []
  var memory = TxnMemory()
  var departures = Departures()
  /// The primary renderer.
  var renderer: String?
  /// The hosts that are lost and how long their screens wait.
  var lostHosts: [LostHost] = []
  /// The gates that are taken.
  var gates: [GateLease] = []
  /// The links that wait; `nil` in a scene that never had one.
  var waiting: Waiting?
  /// When coordinators want to be woken, in the order of their wishes; `nil` in a scene where none ever did.
  var wakeCalls: [WakeCall]?
  /// The moment that was last asked for.
  var wake: SceneTime?

  /// Whether a request is over, so that those behind it may start. Only during `apply`.
  var isFreed = false
  /// Whether a coordinator is gone, so that what was asked of it or by it must be looked through. Only during `apply`.
  var hasGone = false
  /// The plans from whose awaited screens' ends follows what is being done. Only during `apply`.
  var causes: Set<PlanID> = []
  /// The effects of the current record. Only during `apply`.
  var effects: [Effect] = []

  /// Creates an empty scene.
  package init(scene: String, app: String, settings: SceneSettings = SceneSettings()) {
    self.scene = scene
    self.app = app
    self.settings = settings
  }

  /// The same without the answers it remembers: after the end of a scene nobody can ask for one, since its name begins a new one.
  package var withoutAnswers: SceneState {
    var state = self
    state.memory = TxnMemory()
    return state
  }

  /// Feeds one record at a moment of scene time and returns what to do.
  ///
  /// A moment earlier than the last record's counts as that. Constant time for a push, pop or turn in a quiet scene; linear in the
  /// screens touched and the requests in flight.
  package mutating func apply(_ record: Record, at time: SceneTime) -> Step {
    let before = seq
    let moment = max(now, time)
    switch record {
    case .command(let command): take(command, at: moment)
    case .turn(let report): take(report, at: moment)
    case .link(let report): take(report, at: moment)
    case .configured(let txn, let failure): takeConfiguration(of: txn, failure, at: moment)
    case .renderer(let report): take(report, at: moment)
    case .timer: takeTimer(at: moment)
    case .hostLost(let host): takeLoss(of: host, at: moment)
    case .unclaimed(let host): leaveUnclaimed(by: host, at: moment)
    case .hostBack(let report): take(report, at: moment)
    case .callerLost(let caller): takeLoss(ofCaller: caller, at: moment)
    case .begun(let origin): takeOrigin(origin, at: moment)
    }
    if seq != before {
      while isFreed || hasGone {
        sweep()
        startWaiting()
      }
      if waiting != nil { askForDuePlans() }
      updateWake()
    }
    var step = Step(seq: seq != before ? seq : nil, effects: [])
    swap(&step.effects, &effects)
    return step
  }

  /// Notes that the record changes something: from here on it has a position.
  mutating func record(at time: SceneTime) {
    seq += 1
    now = time
  }

  /// Publishes.
  mutating func emit(_ kind: Event.Kind) {
    events += 1
    effects.append(.event(Event(number: events, seq: seq, kind: kind)))
  }
}

/// One layer of a scene.
struct LayerState: Hashable, Sendable, Codable {
  /// How it is shown; `nil` for the root layer.
  var style: ModalStyle?
  /// The screen that presented it.
  var presentedBy: ScreenID?
  /// Its screens from the bottom.
  var stack: [ScreenID] = []
}

/// A loss of a host: the screens it ran then wait for it, or for another that takes them over.
struct LostHost: Hashable, Sendable, Codable {
  let host: String
  let until: SceneTime

  /// Whether a coordinator waits because of this loss; of one from before there was `lostUntil` any loss of its host.
  func concerns(_ node: Node) -> Bool { node.isSuspended && node.host == host && (node.lostUntil ?? until) == until }
}

extension SceneState: Codable {
  private enum CodingKeys: String, CodingKey {
    case scene, app, settings, seq, hasEnded, now, nextScreen, nextTicket, nextTransition, events, nodes, screenless, lifecycleListeners
    case layers, pending, memory, departures, renderer, lostHosts, gates, waiting, wake, wakeCalls
  }
}
