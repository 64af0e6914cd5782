import Minerva
import MinervaBrokerCore
import MinervaInterfaces
import MinervaJournal
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// A journal of many transitions, for a broker to find when it starts.
///
/// The broker's own machine makes them, and the journal's own calls write them, in groups of thousands: as many requests answered one by
/// one would take minutes. What it answers goes to the models that the restarted broker is compared with.
struct JournalFill {
  private let journal: SQLiteJournal
  private var machine: BrokerStateMachine
  private var now = Moment(milliseconds: 0)
  private var models: [SceneModel]
  private var isOpen: [Bool]
  /// What was asked for and is not answered, by its token.
  private var asked: [CallToken: (scene: Int, kind: SceneModel.Step.Kind)] = [:]
  private var lastToken: CallToken = 0
  private var lastTicket: UInt64 = 0
  private var group: [JournalEntry] = []

  /// How many transitions become one group.
  private static let batch = 8_192

  private init(_ journal: SQLiteJournal, scenes: Int) {
    self.journal = journal
    machine = BrokerStateMachine(epoch: journal.epoch, now: now)
    models = Array(repeating: SceneModel(), count: scenes)
    isOpen = Array(repeating: false, count: scenes)
  }

  /// Writes a new journal with so many records, spread evenly over scenes, and closes it.
  ///
  /// - Returns: what each scene must be.
  /// - Throws: `journal.*`; ``SceneModel/Fault`` when the machine refuses; a cancellation.
  static func write(records: Int, scenes: Int, to path: String, _ progress: (Int) -> Void) async throws -> [SceneModel] {
    let journal = try await SQLiteJournal.open(path)
    do {
      var fill = JournalFill(journal, scenes: scenes)
      try await fill.run(records, progress)
      await journal.close()
      return fill.models
    } catch {
      await journal.close()
      throw error
    }
  }

  private mutating func run(_ records: Int, _ progress: (Int) -> Void) async throws {
    let registration = HostRegistration(app: PageHost.app, node: "filler", endpoint: nil, modules: [])
    perform(machine.register(registration, incarnation: 1, pid: 0, token: 0, now: now))
    var made = 0
    while made < records {
      try Task.checkCancellation()
      let piece = min(Self.batch, records - made)
      for step in made..<made + piece { ask(step) }
      try await write()
      let before = made
      made += piece
      if made / 250_000 > before / 250_000 { progress(made) }
    }
    // Nobody touches them for a while: they come to rest.
    now = now + machine.settings.rest + 1
    while let next = machine.nextRest, next <= now { perform(machine.tidyScenes(now: now)) }
    try await write()
  }

  /// Asks for the next transition: the first push of a scene stays, after it pushes and pops take turns.
  private mutating func ask(_ step: Int) {
    let scene = step % models.count
    let isFirst = step < models.count
    let kind: SceneModel.Step.Kind =
      isFirst ? .push(UInt64(scene)) : isOpen[scene] ? .pop : .push(1 << 60 | UInt64(step))
    if !isFirst { isOpen[scene].toggle() }
    lastToken += 1
    asked[lastToken] = (scene, kind)
    let command = Command(txn: "fill-\(lastToken)", caller: "filler", action: TransitionLoad.action(kind, isHosted: false))
    perform(
      machine.request(
        SceneRequest(scene: TransitionLoad.address(scene), command: command), token: lastToken, node: "filler", now: now))
  }

  /// Makes what was journaled durable, and hears the answers.
  private mutating func write() async throws {
    let last = group
    group = []
    try await journal.append(last, epoch: journal.epoch)
    let answers = machine.committed(upTo: lastTicket, now: now)
    perform(answers)
    for case .answer(let token, let reply) in answers {
      guard let (scene, kind) = asked.removeValue(forKey: token) else { continue }
      guard case .answered(let answer) = reply else { throw SceneModel.Fault(description: "the machine refused \(kind): \(reply)") }
      models[scene].note(try SceneModel.Step(kind, answer))
    }
    // Time passes, so that answers grow old as they do in a broker.
    now = now + 100
  }

  private mutating func perform(_ actions: [BrokerAction]) {
    for action in actions {
      switch action {
      case .append(let entry, let ticket):
        group.append(entry)
        lastTicket = ticket
      case .snapshot(let snapshot):
        flush()
        journal.writeSnapshot(snapshot, epoch: journal.epoch) { _ in }
      case .rest(let rest):
        flush()
        journal.noteRest(rest, epoch: journal.epoch) { _ in }
      default: continue
      }
    }
  }

  /// Hands over what is gathered. A failure shows in the group that is waited for: nothing is taken after it.
  private mutating func flush() {
    guard !group.isEmpty else { return }
    journal.append(group, epoch: journal.epoch) { _ in }
    group = []
  }
}
