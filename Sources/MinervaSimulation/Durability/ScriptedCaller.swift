import MinervaProtocol
import MinervaWire

/// A caller around the product's session: what it has asked, what is under way in both directions, and what became of each call.
struct ScriptedCaller {
  /// What is under way to the broker, oldest first.
  struct Word {
    let call: UInt64
    let question: Question
  }

  enum Question: Hashable {
    /// The request with this name.
    case request(String)
    /// What the scene looks like.
    case look
  }

  let name: String
  private(set) var incarnation: UInt64 = 1
  private(set) var connection: UInt64 = 0
  private(set) var session = ClientSessionStateMachine()
  var outbox: [Word] = []
  /// Calls whose answer is under way to the caller.
  var inbox: [UInt64] = []
  private var questions: [UInt64: (question: Question, deadline: Moment)] = [:]
  private var lastCall: UInt64 = 0

  init(name: String) { self.name = name }

  var isConnected: Bool { connection != 0 }

  /// The link is up: what was not answered is said again.
  mutating func connect(_ connection: UInt64, epoch: UInt64, at now: Moment, _ ledger: Ledger) {
    self.connection = connection
    perform(session.linkUp(at: now) + session.registered(epoch: epoch, at: now), at: now, ledger)
  }

  /// The link is down, and what was under way is lost; a killed caller forgets what it asked.
  mutating func disconnect(killed: Bool, at now: Moment, _ ledger: Ledger) {
    connection = 0
    outbox = []
    inbox = []
    if killed {
      incarnation += 1
      session = ClientSessionStateMachine()
      questions = [:]
    } else {
      perform(session.linkDown(reason: "by chaos"), at: now, ledger)
    }
  }

  mutating func ask(_ question: Question, deadline: Moment, at now: Moment, _ ledger: Ledger) {
    lastCall += 1
    questions[lastCall] = (question, deadline)
    perform(session.call(lastCall, question == .look ? .pure : .keyed, deadline: deadline, at: now), at: now, ledger)
  }

  mutating func tick(_ now: Moment, _ ledger: Ledger) {
    if let due = session.nextDeadline, due <= now { perform(session.tick(now), at: now, ledger) }
  }

  /// The next answer arrives.
  mutating func take(at now: Moment, _ ledger: Ledger) -> Bool {
    guard !inbox.isEmpty else { return false }
    perform(session.answered(inbox.removeFirst()), at: now, ledger)
    return true
  }

  private mutating func perform(_ actions: [ClientSessionStateMachine.Action], at now: Moment, _ ledger: Ledger) {
    for action in actions {
      switch action {
      case .send(let call, let attempt, _):
        guard let entry = questions[call] else { continue }
        if attempt > 1 { ledger.count("broker: sent again") }
        outbox.append(Word(call: call, question: entry.question))
      case .deliver(let call): end(call, "answered", at: now, ledger)
      case .fail(let call, let error): end(call, error.code.rawValue, at: now, ledger)
      case .register, .dropLink, .sendCancel, .announceLost, .announceRegistered: break
      }
    }
  }

  private mutating func end(_ call: UInt64, _ how: String, at now: Moment, _ ledger: Ledger) {
    ledger.count("broker: calls \(how)")
    guard let entry = questions.removeValue(forKey: call) else {
      return ledger.broken("calls end once", "call \(call) of \(name) ended a second time: \(how)")
    }
    // Virtual time moves in leaps: whoever ticks next sees the deadline late.
    ledger.require(how != "bus.deadline" || now >= entry.deadline, "calls end within their deadline", "call \(call) of \(name) ended early")
  }
}
