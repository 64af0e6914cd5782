import MinervaInterfaces
import MinervaProtocol

/// The open scenes that are not in memory, and what waits for those that are on their way there.
package struct DormantScenes {
  /// What is done when a scene is in memory.
  typealias Work = (inout BrokerStateMachine, Moment) -> [BrokerAction]

  /// Something that waits for a scene: a call until its deadline, or the word of a host, which has none.
  struct Waiting {
    var token: CallToken?
    var until: Moment?
    var work: Work
  }

  private struct Load {
    /// Which of all loads it is: an answer to an earlier one is none to it.
    var number: UInt64
    var waiting: [Waiting] = []
  }

  private var scenes: [String: DormantScene] = [:]
  private var loads: [String: Load] = [:]
  private var lastLoad: UInt64 = 0
  /// Scenes that are to be in memory for their own sake, in order, and those of them that are on their way.
  private var wanted: ArraySlice<String> = []
  private var unhurried: Set<String> = []

  /// How many are read at once for their own sake: a lost host may have a part in all there are, and callers' are to come soon.
  static let window = 32

  package internal(set) subscript(name: String) -> DormantScene? {
    get { scenes[name] }
    set { scenes[name] = newValue }
  }

  /// Whether this life of a scene is among them.
  func contains(_ identity: SceneIdentity) -> Bool { scenes[identity.name]?.identity == identity }

  var identities: [SceneIdentity] { scenes.values.map(\.identity) }

  /// The names of some of them, sorted. Linear in all, and more only in those.
  func names(where isMeant: (DormantScene) -> Bool) -> [String] { scenes.filter { isMeant($0.value) }.keys.sorted() }

  /// Notes that a host is gone with all that it had.
  ///
  /// - Returns: The scenes that have to be told when they are in memory, sorted.
  mutating func lose(_ node: String) -> [String] {
    let told = names { $0.hosts.contains(node) }
    for name in told { scenes[name]?.lose(node) }
    return told
  }

  /// Puts others in the place of all; what waits for them is dropped.
  mutating func replaceAll(with others: [String: DormantScene]) {
    scenes = others
    _ = dropLoads()
  }

  // MARK: Loading

  /// Whether any scene is on its way into memory.
  var isLoading: Bool { !loads.isEmpty }

  /// Whether this is the load of a scene that is under way.
  func awaits(_ name: String, number: UInt64) -> Bool { loads[name]?.number == number }

  /// Begins to load a scene.
  ///
  /// - Returns: Its key in the journal and the load's number; nil when it is on its way already, or there is none.
  mutating func load(_ name: String) -> (key: String, number: UInt64)? {
    guard let scene = scenes[name], loads[name] == nil else { return nil }
    lastLoad += 1
    loads[name] = Load(number: lastLoad)
    return (scene.identity.description, lastLoad)
  }

  /// Has scenes loaded for their own sake, some at a time.
  mutating func want(_ names: [String]) { wanted += names }

  /// The next scene to be loaded for its own sake, if it may be now.
  mutating func nextWanted() -> String? {
    guard unhurried.count < Self.window else { return nil }
    while let name = wanted.popFirst() {
      guard scenes[name] != nil, loads[name] == nil else { continue }
      unhurried.insert(name)
      return name
    }
    return nil
  }

  /// Has something wait for a scene that is being loaded, in the order of asking.
  mutating func append(_ waiting: Waiting, for name: String) { loads[name]?.waiting.append(waiting) }

  /// A load has come to its end: takes out its scene, and what waited for it.
  ///
  /// - Returns: Nil for a load that is not the last one of the scene.
  mutating func takeLoaded(_ name: String, number: UInt64) -> (scene: DormantScene, waiting: [Waiting])? {
    guard awaits(name, number: number), let scene = scenes.removeValue(forKey: name) else { return nil }
    unhurried.remove(name)
    return (scene, loads.removeValue(forKey: name)?.waiting ?? [])
  }

  /// When a call has waited long enough.
  var nextDeadline: Moment? { loads.values.lazy.flatMap { $0.waiting.lazy.compactMap(\.until) }.min() }

  /// Takes out the calls that have waited long enough, by scenes.
  mutating func takeLate(_ now: Moment) -> [(scene: String, token: CallToken)] {
    guard let next = nextDeadline, next <= now else { return [] }
    var late: [(scene: String, token: CallToken)] = []
    for name in loads.keys.sorted() {
      loads[name]?.waiting.removeAll { waiting in
        guard let until = waiting.until, until <= now, let token = waiting.token else { return false }
        late.append((name, token))
        return true
      }
    }
    return late
  }

  /// Drops the loads of some scenes, or of all, with what waits for them.
  ///
  /// - Returns: The calls that waited, by scenes, and what hosts wanted.
  mutating func dropLoads(of names: Set<String>? = nil) -> (calls: [(scene: String, token: CallToken)], others: [Work]) {
    var calls: [(scene: String, token: CallToken)] = []
    var others: [Work] = []
    if names == nil { wanted = [] }
    for name in loads.keys.sorted() where names?.contains(name) ?? true {
      unhurried.remove(name)
      for waiting in loads.removeValue(forKey: name)?.waiting ?? [] {
        if let token = waiting.token { calls.append((name, token)) } else { others.append(waiting.work) }
      }
    }
    return (calls, others)
  }
}
