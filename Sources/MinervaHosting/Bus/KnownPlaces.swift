import MinervaInterfaces
import MinervaNavigation

/// Where coordinators run, as the broker said last: what lets a host ask another without asking the broker first (K7).
struct KnownPlaces {
  /// A coordinator's place in a scene.
  struct Place: Hashable {
    var scene: SceneIdentity
    var screen: ScreenID
  }

  private struct Entry {
    var node: String
    /// Whether its host went away since: the coordinator may be with another one by now.
    var isDoubtful = false
  }

  /// How many places are kept; past that all are learnt anew.
  static let limit = 4_096

  private var entries: [Place: Entry] = [:]

  /// The host that may be asked straight away.
  func node(of place: Place) -> String? { entries[place].flatMap { $0.isDoubtful ? nil : $0.node } }

  /// The host that it was last with, for when nobody can say whether it still is.
  func lastNode(of place: Place) -> String? { entries[place]?.node }

  mutating func learn(_ place: Place, at node: String) {
    if entries.count >= Self.limit, entries[place] == nil { entries = [:] }
    entries[place] = Entry(node: node)
  }

  /// The host was reached and does not run it.
  mutating func forget(_ place: Place) { entries[place] = nil }

  /// The host of one place could not be reached.
  mutating func doubt(_ place: Place) { entries[place]?.isDoubtful = true }

  /// A host is gone, and everything that it ran may move.
  mutating func lost(_ node: String) {
    for (place, entry) in entries where entry.node == node { entries[place]?.isDoubtful = true }
  }
}
