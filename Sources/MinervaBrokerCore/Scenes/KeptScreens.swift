import MinervaInterfaces
import MinervaNavigation

/// What hosts have said of the screens of a scene, kept in memory alone: they say it again only when they register.
final class KeptScreens {
  private let displays: ScreenDisplays
  /// Who has which coordinator.
  private(set) var makers: [SceneLinks.Key: String]

  init(of slot: SceneSlot) {
    displays = slot.displays
    makers = slot.links.makers
  }

  /// Whether there is nothing to keep.
  var isEmpty: Bool { displays.isEmpty && makers.isEmpty }

  /// What a screen shows, as its host reported it last.
  func rendering(of screen: ScreenID) -> StampedRendering? { displays.renderings[screen] }

  /// A host is gone, with all that it had.
  func lose(_ host: String) { makers.lose(host) }

  /// A host says that it has not what it was asked for.
  func drop(_ key: SceneLinks.Key) { makers.removeValue(forKey: key) }

  /// Gives it back to the scene, as far as that still has the screens: not all of them need have been durable.
  func restore(to slot: SceneSlot) {
    slot.displays = displays.filter { slot.state.screen($0) != nil }
    slot.links.take(makers: makers)
  }
}
