import MinervaInterfaces
import MinervaNavigation

/// What the screens of one scene show, as their hosts say, and what hosts have been told of who sees it.
struct ScreenDisplays {
  /// What each screen shows, as its host reported it last.
  private(set) var renderings: [ScreenID: StampedRendering] = [:]
  /// Of each screen that has shown something: the fields whose values may be written down, all where there is no list (P4).
  private(set) var plainFields: [ScreenID: Set<String>?] = [:]
  /// From what each screen's next change set must start when another host resumes it.
  private(set) var lists: [ScreenID: ShownList] = [:]
  /// Screens whose hosts have been told that nobody sees them.
  private(set) var hidden: Set<ScreenID> = []
  /// Screens whose lists keep something newer until they are seen.
  private var behind: Set<ScreenID> = []

  var isEmpty: Bool { renderings.isEmpty && plainFields.isEmpty && lists.isEmpty && hidden.isEmpty && behind.isEmpty }

  /// Takes what a host says that a screen shows.
  ///
  /// - Returns: Whether it is new. What is said again, after an answer was lost or beside a repetition of the whole, must neither take a
  ///   list back nor change it twice.
  mutating func take(_ report: RenderingReport) -> Bool {
    let screen = report.rendering.screen
    if report.isBehind == true {
      behind.insert(screen)
    } else if !report.rendering.body.isEmpty {
      behind.remove(screen)
    }
    let known = renderings[screen]?.version ?? 0
    let isNew = report.change.from == 0 ? report.rendering.version >= known : report.rendering.version > known
    guard isNew, !report.rendering.body.isEmpty else { return false }
    renderings[screen] = report.rendering
    lists[screen] = report.shown
    plainFields.updateValue(report.plainFields.map(Set.init), forKey: screen)
    return true
  }

  /// Notes that a host is told whether one of its screens is seen.
  ///
  /// - Returns: Whether it now shows something newer, which it kept because nobody saw it.
  mutating func tell(_ screen: ScreenID, isSeen: Bool) -> Bool {
    guard isSeen else {
      hidden.insert(screen)
      return false
    }
    hidden.remove(screen)
    return behind.remove(screen) != nil
  }

  /// A screen gets another life: what the one before was told, or kept, is nothing to it.
  mutating func restart(_ screen: ScreenID) {
    hidden.remove(screen)
    behind.remove(screen)
  }

  /// A screen is gone.
  mutating func remove(_ screen: ScreenID) {
    renderings.removeValue(forKey: screen)
    plainFields.removeValue(forKey: screen)
    lists.removeValue(forKey: screen)
    restart(screen)
  }

  /// The same of some screens alone.
  func filter(_ isThere: (ScreenID) -> Bool) -> ScreenDisplays {
    var some = ScreenDisplays()
    some.renderings = renderings.filter { isThere($0.key) }
    some.plainFields = plainFields.filter { isThere($0.key) }
    some.lists = lists.filter { isThere($0.key) }
    some.hidden = hidden.filter(isThere)
    some.behind = behind.filter(isThere)
    return some
  }
}
