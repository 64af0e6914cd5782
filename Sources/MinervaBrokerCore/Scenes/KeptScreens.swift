import MinervaInterfaces
import MinervaNavigation

/// What hosts have said of the screens of a scene, kept in memory alone: they say it again only when they register.
final class KeptScreens {
  private let renderings: [ScreenID: StampedRendering]
  private let plainFields: [ScreenID: Set<String>?]
  private let shown: [ScreenID: ShownList]
  private let hidden: Set<ScreenID>
  private let behind: Set<ScreenID>
  /// Who has which coordinator.
  private(set) var makers: [SceneLinks.Key: String]

  init(of slot: SceneSlot) {
    renderings = slot.renderings
    plainFields = slot.plainFields
    shown = slot.shown
    hidden = slot.hidden
    behind = slot.behind
    makers = slot.links.makers
  }

  /// Whether there is nothing to keep.
  var isEmpty: Bool {
    renderings.isEmpty && plainFields.isEmpty && shown.isEmpty && hidden.isEmpty && behind.isEmpty && makers.isEmpty
  }

  /// What a screen shows, as its host reported it last.
  func rendering(of screen: ScreenID) -> StampedRendering? { renderings[screen] }

  /// A host is gone, with all that it had.
  func lose(_ host: String) { makers.lose(host) }

  /// A host says that it has not what it was asked for.
  func drop(_ key: SceneLinks.Key) { makers.removeValue(forKey: key) }

  /// Gives it back to the scene, as far as that still has the screens: not all of them need have been durable.
  func restore(to slot: SceneSlot) {
    func isThere(_ screen: ScreenID) -> Bool { slot.state.screen(screen) != nil }
    slot.renderings = renderings.filter { isThere($0.key) }
    slot.plainFields = plainFields.filter { isThere($0.key) }
    slot.shown = shown.filter { isThere($0.key) }
    slot.hidden = hidden.filter(isThere)
    slot.behind = behind.filter(isThere)
    slot.links.take(makers: makers)
  }
}
