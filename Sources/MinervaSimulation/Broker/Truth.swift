import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol

/// What was said to anybody, by whichever life of the broker: it cannot be taken back.
final class Truth {
  /// What a caller was told.
  enum Said: Hashable {
    case done(Outcome, seq: UInt64)
    case refused(String, seq: UInt64)

    var seq: UInt64 {
      switch self {
      case .done(_, let seq), .refused(_, let seq): seq
      }
    }
  }

  var said: [String: Said] = [:]
  /// The last record of which a caller was told.
  var lastSaid: UInt64 = 0
  /// The navigation events by their number.
  var events: [UInt64: Event] = [:]
  /// How many events of the scene's feed were published under each epoch.
  var feed: [UInt64: UInt64] = [:]
  var gone: [ScreenID: RemovalReason] = [:]
  /// The links that waited, and whether that is over.
  var plans: [PlanID: Bool] = [:]
  /// What each caller's presentation command has open.
  var holders: [String: (screen: ScreenID, seq: UInt64)] = [:]
  var lastRemoval: (seq: UInt64, path: NavPath?, depth: Int)?
  /// The turns that were taken, and which turn handled which message.
  var taken: [String: TurnReport] = [:]
  var handledBy: [String: UInt32] = [:]

  /// Another life of the broker: every caller is away, and gates go with those that stay so.
  func brokerStarted() {
    holders = [:]
    lastRemoval = nil
  }

  // MARK: What is to be seen

  struct Place: Hashable {
    let epoch: UInt64
    let event: UInt64
  }

  /// The screens that stand after each event, as far as the events since a look say.
  private(set) var sights: [Place: Set<ScreenID>] = [:]
  private var latest: (place: Place, open: Set<ScreenID>)?

  /// Compares what a look shows with what the events before it say; the two, when they differ.
  func looked(_ snapshot: SceneSnapshot) -> (look: [ScreenID], events: [ScreenID])? {
    let place = Place(epoch: snapshot.epoch, event: snapshot.event)
    let open = snapshot.tree.standing
    if let known = sights[place] { return known == open ? nil : (open.sorted(), known.sorted()) }
    sights[place] = open
    latest = (place, open)
    return nil
  }

  func published(_ event: SceneEvent) {
    guard var (place, open) = latest, place == Place(epoch: event.epoch, event: event.number - 1) else { return }
    place = Place(epoch: event.epoch, event: event.number)
    open.apply(event)
    sights[place] = open
    latest = (place, open)
  }
}

extension Set<ScreenID> {
  /// Takes in what an event says of the screens that stand and have not begun to leave.
  mutating func apply(_ event: SceneEvent) {
    guard case .navigation(let event) = event.kind else { return }
    switch event.kind {
    case .presenting(let screen, _), .presented(let screen, _): insert(screen.screen)
    case .dismissing(let screen), .removed(let screen, _, _, _, _): remove(screen.screen)
    default: break
    }
  }
}

extension SceneTree {
  /// All screens that stand, wherever they do.
  var standing: Set<ScreenID> {
    var found: Set<ScreenID> = []
    func visit(_ screen: Screen) {
      found.insert(screen.id)
      switch screen.container {
      case .none: break
      case .tabs(let tabs, _): for tab in tabs { tab.stack.forEach(visit) }
      case .split(let primary, let detail, _): (primary + detail).forEach(visit)
      }
      for slot in screen.slots { slot.content.forEach(visit) }
    }
    for layer in layers { layer.stack.forEach(visit) }
    return found
  }
}
