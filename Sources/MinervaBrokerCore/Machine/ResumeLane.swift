import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol

/// The coordinators that one life of a host is to make again, a window of them at a time.
///
/// A host that was away may have thousands to make; more calls at once than its link takes would be refused, and screens would leave that it
/// can make. Those whose turn has not come keep their place, as long as the host goes on with others (K3).
struct ResumeLane {
  /// A coordinator to make again: its link, and the scene of that.
  struct Key: Hashable {
    var link: SceneLinks.Key
    var scene: SceneIdentity
  }

  /// How many are made at once; well below the calls that a link takes, since connects and messages go the same way.
  static let window = 128
  /// How long a host may take to make one, in milliseconds, while it answers for others.
  static let making: Int64 = 10_000

  private var waiting: [(key: Key, order: ResumeOrder)] = []
  private var head = 0
  private var underWay: [(key: Key, since: Moment)] = []
  /// When the host said something of one of them last, or was first asked.
  private var lastWord: Moment

  init(now: Moment) { lastWord = now }

  /// Whether nothing waits and nothing is under way.
  var isEmpty: Bool { underWay.isEmpty && head == waiting.count }

  mutating func append(_ key: Key, _ order: ResumeOrder) { waiting.append((key, order)) }

  /// The next one, if there is room; `ended` must follow.
  mutating func next(_ now: Moment) -> (key: Key, order: ResumeOrder)? {
    guard underWay.count < Self.window, head < waiting.count else { return nil }
    let next = waiting[head]
    head += 1
    if head == waiting.count || head >= 1_024 {
      waiting.removeFirst(head)
      head = 0
    }
    underWay.append((next.key, now))
    return next
  }

  /// One that was under way is so no more.
  mutating func ended(_ key: Key, at now: Moment) {
    guard let index = underWay.firstIndex(where: { $0.key == key }) else { return }
    underWay.remove(at: index)
    lastWord = now
  }

  /// Until when a screen that is to be made again keeps its place: as long after the host's last word as a lost host is waited for. Nil for
  /// one that the host takes too long for.
  func keeps(_ key: Key, for lease: Int64, at now: Moment) -> Moment? {
    if underWay.prefix(while: { now - $0.since >= Self.making }).contains(where: { $0.key == key }) { return nil }
    return lastWord + lease
  }

  /// Forgets those that wait.
  mutating func drop() {
    waiting = []
    head = 0
  }
}
