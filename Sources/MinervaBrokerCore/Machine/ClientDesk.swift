import MinervaProtocol

/// The desk for those who ask of scenes and show them: which process each is, and which of these are lost.
///
/// A process that is lost has a moment to come back. What its callers asked is taken back after that; a scene that it showed is nobody's at
/// once, unless the broker is the one that was away, which knows renderers by name alone and waits for them.
struct ClientDesk {
  /// A caller of a scene, by the name it gives itself.
  struct Caller: Hashable {
    var scene: String
    var name: String
  }
  /// A renderer of a scene, by the name it gives itself.
  struct Renderer: Hashable {
    var scene: String
    var name: String
  }

  /// The names under which one process asks, by scene.
  private struct Process {
    var callers: [String: Set<String>] = [:]
    var count = 0
  }

  /// How long who is lost may take to come back, in milliseconds.
  private let grace: Int64
  private var processes: [String: Process] = [:]
  /// When each process was lost that is not back.
  private var absent: [String: Moment] = [:]
  /// The primary renderer of each scene, and the process that it is.
  private var showing: [String: (name: String, node: String)] = [:]
  /// The renderers of scenes that are waited for, since when.
  private var awaited: [String: (name: String, since: Moment)] = [:]

  init(grace: Int64) { self.grace = grace }

  // MARK: Callers

  /// How many names a process has.
  func count(at node: String) -> Int { processes[node]?.count ?? 0 }

  /// Whether a process is known to have asked under a name.
  func isKnown(_ caller: Caller, at node: String) -> Bool { processes[node]?.callers[caller.scene]?.contains(caller.name) ?? false }

  /// Whether any process is.
  func isKnown(_ caller: Caller) -> Bool { processes.keys.contains { isKnown(caller, at: $0) } }

  /// Notes who asks, and from where.
  mutating func note(_ caller: Caller, at node: String) {
    guard processes[node, default: Process()].callers[caller.scene, default: []].insert(caller.name).inserted else { return }
    processes[node]?.count += 1
  }

  /// Forgets who asked.
  mutating func forget(_ caller: Caller, at node: String) {
    guard processes[node]?.callers[caller.scene]?.remove(caller.name) != nil else { return }
    if processes[node]?.callers[caller.scene]?.isEmpty == true { processes[node]?.callers[caller.scene] = nil }
    processes[node]?.count -= 1
  }

  /// Forgets the callers of a process that are not needed. Linear in them.
  mutating func forgetCallers(at node: String, unless isNeeded: (Caller) -> Bool) {
    for (scene, names) in processes[node]?.callers ?? [:] {
      for name in names where !isNeeded(Caller(scene: scene, name: name)) { forget(Caller(scene: scene, name: name), at: node) }
    }
  }

  // MARK: Renderers

  /// The process that shows a scene under a name, if that is known.
  func process(of renderer: Renderer) -> String? {
    guard let shown = showing[renderer.scene], shown.name == renderer.name else { return nil }
    return shown.node
  }

  /// Notes which process shows a scene: one at a time.
  mutating func note(_ renderer: Renderer, at node: String) { showing[renderer.scene] = (renderer.name, node) }

  /// A process shows a scene no more.
  mutating func forget(_ renderer: Renderer) {
    if showing[renderer.scene]?.name == renderer.name { showing[renderer.scene] = nil }
  }

  /// Waits for a renderer of which only the name is known.
  mutating func expect(_ renderer: Renderer, since now: Moment) {
    if process(of: renderer) == nil { awaited[renderer.scene] = (renderer.name, now) }
  }

  // MARK: Coming and going

  /// Forgets a scene. Linear in the processes.
  mutating func forget(_ scene: String) {
    showing[scene] = nil
    awaited[scene] = nil
    // Over a copy of the names: one of the table would have all of it copied.
    for node in Array(processes.keys) {
      guard let names = processes[node]?.callers.removeValue(forKey: scene) else { continue }
      processes[node]?.count -= names.count
      if processes[node]?.count == 0 { processes[node] = nil }
    }
  }

  /// A process is gone.
  ///
  /// - Returns: The renderers that are gone with it, sorted.
  mutating func lost(_ node: String, at now: Moment) -> [Renderer] {
    if processes[node] != nil { absent[node] = now }
    let gone = showing.filter { $0.value.node == node }
    for scene in gone.keys { showing[scene] = nil }
    return gone.map { Renderer(scene: $0.key, name: $0.value.name) }.sorted { $0.scene < $1.scene }
  }

  /// A process is there (again).
  mutating func connected(_ node: String) { absent[node] = nil }

  /// When ``tick(_:)`` has to be called next, or never.
  var nextDeadline: Moment? {
    [absent.values.min(), awaited.values.lazy.map(\.since).min()].compactMap { $0 }.min().map { $0 + grace }
  }

  /// Forgets who has not come back in time.
  ///
  /// - Returns: The callers of one process after another, and the renderers that no process turned out to be, each sorted.
  mutating func tick(_ now: Moment) -> (callers: [Caller], renderers: [Renderer]) {
    var callers: [Caller] = []
    for node in absent.filter({ now - $0.value >= grace }).keys.sorted() {
      absent[node] = nil
      let names = processes.removeValue(forKey: node)?.callers ?? [:]
      callers += names.flatMap { scene, names in names.map { Caller(scene: scene, name: $0) } }
        .sorted { ($0.scene, $0.name) < ($1.scene, $1.name) }
    }
    let late = awaited.filter { now - $0.value.since >= grace }
    for scene in late.keys { awaited[scene] = nil }
    let renderers = late.map { Renderer(scene: $0.key, name: $0.value.name) }.sorted { $0.scene < $1.scene }
    return (callers, renderers.filter { process(of: $0) == nil })
  }
}
