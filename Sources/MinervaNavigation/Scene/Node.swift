/// The name of a stack inside a scene: whose it is, not where it stands.
enum StackKey: Hashable, Sendable, Codable {
  /// The stack of the layer at this height; only the topmost layers ever go, so a height stays a layer's own.
  case layer(Int)
  /// The stack of a screen's tab.
  case tab(ScreenID, Int)
  /// The primary stack of a screen's split.
  case primary(ScreenID)
  /// The detail stack of a screen's split; empty while the split is collapsed.
  case detail(ScreenID)

  /// The place of a tab that is known by its name alone, until its screen has been made.
  static let unknownTab = -1
}

/// Where a coordinator's screen stands.
enum Place: Hashable, Sendable, Codable {
  /// Nowhere: it has no screen, or is not on the tree yet.
  case none
  /// In a stack.
  case stack(StackKey)
  /// In the slot (by place from 0) of a screen.
  case slot(ScreenID, Int)
}

/// How a coordinator is bound to its host.
enum LinkState: Hashable, Sendable, Codable {
  /// A host was asked to make it.
  case pending
  /// It runs.
  case linked
  /// There is none and never was: a screen without a host, or a placeholder.
  case unhosted
  /// Its host is lost.
  case suspended
  /// This host was asked to make it again.
  case resuming(String)
  /// Nobody has offered its module since a restart: a placeholder, until somebody does (P2).
  case unclaimed
  /// Its host is lost, and so are the secrets of its input: a placeholder (P4).
  case needsInput
}

/// The stacks of a tab container.
struct TabsState: Hashable, Sendable, Codable {
  /// One tab.
  struct Tab: Hashable, Sendable, Codable {
    /// Its name.
    let name: String
    /// What starts at its root.
    let start: ModuleStart
    /// Its screens; empty until it is selected for the first time.
    var stack: [ScreenID]
  }

  /// The tabs in order.
  var tabs: [Tab]
  /// The selected one, by place.
  var selected: Int
}

/// The stacks of a split.
struct SplitState: Hashable, Sendable, Codable {
  /// The primary stack; while collapsed, the detail's screens stand on top of it.
  var primary: [ScreenID]
  /// The detail stack; empty while collapsed.
  var detail: [ScreenID]
  /// While collapsed: where in `primary` the detail's screens begin.
  var joined: Int?
}

/// The container of a screen.
enum ContainerState: Hashable, Sendable, Codable {
  case none
  case tabs(TabsState)
  case split(SplitState)
}

/// An embed slot.
struct SlotState: Hashable, Sendable, Codable {
  /// Its name.
  let name: String
  /// The child in it.
  var content: ScreenID?
}

/// One open coordinator with its screen, if it has one.
struct Node: Hashable, Sendable, Codable {
  let id: ScreenID
  let module: ModuleAddress
  var input: [UInt8]
  /// The number of the whole input, when fields of it are secret.
  var seal: Seal?
  /// Who asked for it.
  let caller: String
  /// The request that opened it: its own number, and its record's.
  let ticket: UInt64
  let openedAt: UInt64
  /// How it was opened; `nil` for roots of containers and coordinators without a screen.
  let via: Presentation?
  /// Whether it has no screen by nature.
  let isScreenless: Bool
  var parent: ScreenID?
  /// Whether the parent hears its outputs and its end: it does unless it only adopted it.
  var isHeard: Bool
  /// How many coordinators name it as their parent.
  var childCount = 0
  var place = Place.none
  var phase = ScreenPhase.connecting
  var link: LinkState
  var host = ""
  var lease: UInt32 = 1
  /// Until when it waits for its lost host; a host may be lost again while others of its screens still wait.
  var lostUntil: SceneTime?
  /// Whether nobody had claimed it when it was last asked to be made again.
  var wasUnclaimed: Bool?
  var container = ContainerState.none
  /// The tab that a link wants selected when it turns out to have tabs, and what that tab is to start with.
  var wantedTab: String?
  var wantedStart: ModuleStart?
  var wantedSeal: Seal?
  var slots: [SlotState] = []
  var vetoes: Vetoes = []
  var transitions: [NamedTransition] = []
  var wantsLifecycle = false
  var state: [UInt8]?
  var outputs: UInt32 = 0
  var turns: UInt32 = 0
  /// The number of the last message.
  var messages: UInt32 = 0
  /// The messages without a turn, in order.
  var outbox: [Message] = []
  /// Whether messages went from its outbox that no turn has handled, because it was full.
  var isCondensed: Bool?
  /// Outputs given before it was presented (L2).
  var early: [[UInt8]] = []

  /// Whether messages can ever reach it.
  var isHosted: Bool { link != .unhosted && link != .needsInput }
  /// Whether it runs in a host that is there.
  var isLinked: Bool { link == .linked }
  /// Whether its host is lost, and awaited.
  var isSuspended: Bool {
    switch link {
    case .suspended, .resuming: true
    case .pending, .linked, .unhosted, .unclaimed, .needsInput: false
    }
  }
  /// Whether it has messages to handle; a placeholder keeps what it is told for whoever makes it again.
  var isBusy: Bool { !outbox.isEmpty && link != .unclaimed }
}

/// The open coordinators of a scene, in the order of their names.
///
/// Names only grow, so opening appends and the table stays sorted; a look-up is a binary search.
struct NodeTable: Hashable, Sendable, Codable {
  private(set) var all: [Node] = []
  /// How many of them have messages to handle.
  private var busy = 0

  /// Whether no coordinator has a message to handle.
  var isQuiet: Bool { busy == 0 }

  /// The place of a coordinator in `all`.
  func index(of id: ScreenID) -> Int? {
    if let last = all.last, last.id == id { return all.count - 1 }
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < all.count && all[low].id == id ? low : nil
  }

  /// The coordinator with this name, if it is open.
  subscript(id: ScreenID) -> Node? {
    index(of: id).map { all[$0] }
  }

  /// Whether the coordinator is open.
  func contains(_ id: ScreenID) -> Bool { index(of: id) != nil }

  /// Adds a coordinator whose name is greater than all others'.
  mutating func append(_ node: Node) {
    all.appendTightly(node)
    if node.isBusy { busy += 1 }
  }

  /// Removes a coordinator and returns it.
  mutating func remove(_ id: ScreenID) -> Node? {
    guard let index = index(of: id) else { return nil }
    let node = all.remove(at: index)
    if node.isBusy { busy -= 1 }
    return node
  }

  /// Changes a coordinator in place; `nil` if it is not open.
  mutating func update<R>(_ id: ScreenID, _ change: (inout Node) -> R) -> R? {
    guard let index = index(of: id) else { return nil }
    return update(at: index, change)
  }

  /// Changes the coordinator at a place in `all`.
  mutating func update<R>(at index: Int, _ change: (inout Node) -> R) -> R {
    let wasBusy = all[index].isBusy
    let result = change(&all[index])
    if all[index].isBusy != wasBusy { busy += wasBusy ? -1 : 1 }
    return result
  }

  /// Removes all.
  mutating func removeAll() {
    all = []
    busy = 0
  }
}

extension NodeTable {
  private enum CodingKeys: String, CodingKey {
    case all
  }

  init(from decoder: any Decoder) throws {
    all = try decoder.container(keyedBy: CodingKeys.self).decode([Node].self, forKey: .all)
    busy = all.reduce(0) { $0 + ($1.isBusy ? 1 : 0) }
  }
}
