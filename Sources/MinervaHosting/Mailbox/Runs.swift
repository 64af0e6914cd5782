/// The runs of one coordinator, each a handler of the author's: which of them holds the mailbox, and the task of each, also of those that
/// stepped aside.
struct Runs {
  private var last = Runs.first
  /// The run that holds the mailbox.
  private var active: UInt64?
  private var tasks: [UInt64: Task<Void, Never>] = [:]

  /// The run of the first turn, in which the coordinator is loaded: it holds the mailbox from the beginning.
  static let first: UInt64 = 0

  init() { active = Self.first }

  /// Whether no run holds the mailbox.
  var isFree: Bool { active == nil }

  func holds(_ run: UInt64) -> Bool { active == run }

  /// A new run, which holds the mailbox.
  mutating func begin() -> UInt64 {
    last += 1
    active = last
    return last
  }

  /// The run that holds the mailbox lets go of it, at its end or to wait for a child.
  mutating func stepsAside() { active = nil }

  /// A run that stepped aside holds the mailbox again.
  mutating func goesOn(_ run: UInt64) { active = run }

  /// Keeps the task of a run until it has ended.
  mutating func keep(_ task: Task<Void, Never>, of run: UInt64) { tasks[run] = task }

  mutating func ended(_ run: UInt64) { tasks[run] = nil }

  /// Cancels all of them, also those that stepped aside (K2).
  func cancel() { for task in tasks.values { task.cancel() } }
}
