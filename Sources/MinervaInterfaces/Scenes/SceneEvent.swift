public import MinervaNavigation

/// One numbered entry of a broker's event feed.
///
/// Numbers of a scene count up by one; a reader that sees a gap asks for a snapshot and goes on from its number.
/// Events of processes are in a feed of their own, under the scene name `""`.
public struct SceneEvent: Codable, Sendable {
  /// The scene's name, or `""` for events of processes.
  public var scene: String
  /// The owner's epoch: numbers begin anew with each.
  public var epoch: UInt64
  /// Counts from 1 within the scene and the epoch.
  public var number: UInt64
  /// The record that caused it (`#seq`), 0 when none did.
  public var record: UInt64
  /// Scene time in milliseconds.
  public var at: Int64
  public var kind: Kind

  public init(scene: String, epoch: UInt64, number: UInt64, record: UInt64, at: Int64, kind: Kind) {
    self.scene = scene
    self.epoch = epoch
    self.number = number
    self.record = record
    self.at = at
    self.kind = kind
  }

  /// What happened.
  public enum Kind: Codable, Sendable {
    case navigation(Event)
    /// The renderer shows a transition, and acknowledges it by its number.
    indirect case transition(Transition)
    /// A request shares the outcome of another one (N3); whoever asked is answered with it.
    indirect case joined(Admission)
    indirect case list(ListEvent)
    indirect case process(ProcessEvent)
    /// The scene has nothing under way.
    case idle
  }

  /// The feed that carries events of processes.
  public static let processes = ""

  /// The topic of a feed on the event socket.
  public static func topic(of scene: String) -> String { scene.isEmpty ? "processes" : "scene/\(scene)" }

  /// The feed that a topic names; nothing for any other text.
  public static func scene(ofTopic topic: String) -> String? {
    if topic == Self.topic(of: processes) { return processes }
    guard topic.hasPrefix("scene/"), topic.utf8.count > 6 else { return nil }
    return String(topic.dropFirst(6))
  }
}

/// A screen's list or frame changed.
public struct ListEvent: Codable, Sendable {
  public var screen: ScreenID
  /// The version the change set starts from, 0 for the first.
  public var from: UInt64
  public var to: UInt64
  /// How many rows were inserted, deleted, moved and updated, and sections inserted and deleted.
  public var counts: ChangeCounts
  /// Who computed the change set: a worker's node name, or `in process`.
  public var computedBy: String
  /// The change set in the compact binary form, sectioned; empty when the list was replaced as a whole.
  public var changes: [UInt8]
  /// Whether viewers should show the change as a movement; `nil` is yes.
  public var isAnimated: Bool?

  public init(
    screen: ScreenID, from: UInt64, to: UInt64, counts: ChangeCounts, computedBy: String, changes: [UInt8], isAnimated: Bool? = nil
  ) {
    self.screen = screen
    self.from = from
    self.to = to
    self.counts = counts
    self.computedBy = computedBy
    self.changes = changes
    self.isAnimated = isAnimated
  }
}

/// The size of a change set.
public struct ChangeCounts: Codable, Hashable, Sendable {
  public var inserts: Int
  public var deletes: Int
  public var moves: Int
  public var updates: Int
  public var sectionInserts: Int
  public var sectionDeletes: Int

  public init(inserts: Int = 0, deletes: Int = 0, moves: Int = 0, updates: Int = 0, sectionInserts: Int = 0, sectionDeletes: Int = 0) {
    self.inserts = inserts
    self.deletes = deletes
    self.moves = moves
    self.updates = updates
    self.sectionInserts = sectionInserts
    self.sectionDeletes = sectionDeletes
  }

  public static func + (a: Self, b: Self) -> Self {
    Self(
      inserts: a.inserts + b.inserts, deletes: a.deletes + b.deletes, moves: a.moves + b.moves, updates: a.updates + b.updates,
      sectionInserts: a.sectionInserts + b.sectionInserts, sectionDeletes: a.sectionDeletes + b.sectionDeletes)
  }

  public var isEmpty: Bool { self == Self() }
}

/// A process joined, left or came back.
public struct ProcessEvent: Codable, Hashable, Sendable {
  public enum Change: String, Codable, Sendable {
    case joined, lost, suspended, resumed, expired
  }

  public var change: Change
  public var node: String
  public var kind: String
  public var pid: Int32
  public var reason: String

  public init(change: Change, node: String, kind: String, pid: Int32, reason: String = "") {
    self.change = change
    self.node = node
    self.kind = kind
    self.pid = pid
    self.reason = reason
  }
}
