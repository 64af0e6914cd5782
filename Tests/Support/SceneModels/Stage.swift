public import MinervaNavigation

/// A scene on stage: feeds records, plays hosts that answer at once, and keeps everything that was said.
package struct Stage {
  package var state: SceneState
  package var time = SceneTime.zero
  /// What was fed, with its moment.
  package var journal: [(record: Record, at: SceneTime)] = []
  /// Every effect so far.
  package var said: [Effect] = []
  /// What each module is made with; a module that is not here is made plain on `shop-1`.
  package var catalog: [String: LinkVerdict] = [:]
  /// Whether hosts answer links and handle messages by themselves.
  package var plays = true
  private var commands = 0

  package init(settings: SceneSettings = SceneSettings()) {
    state = SceneState(scene: "main", app: "shop", settings: settings)
  }

  /// The events so far.
  package var events: [Event] {
    said.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  /// The answers so far.
  package var answers: [Answer] {
    said.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
  }

  /// What was removed so far, in order.
  package var removals: [String] {
    events.compactMap {
      if case .removed(let summary, let reason, _, _, _) = $0.kind { "\(summary.screen) \(reason.rawValue)" } else { nil }
    }
  }

  /// The names of the events since a place in `said`.
  package func names(since place: Int) -> [String] {
    said[place...].compactMap { if case .event(let event) = $0 { event.kind.name } else { nil } }
  }

  /// The messages a coordinator was given so far.
  package func messages(to id: ScreenID) -> [Message] {
    said.compactMap {
      if case .deliver(let delivery) = $0, delivery.screen == id { delivery.message } else { nil }
    }
  }

  /// Feeds a record, and what hosts say to it.
  @discardableResult
  package mutating func feed(_ record: Record) -> [Effect] {
    let place = said.count
    var waiting = [record]
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      let step = state.apply(next, at: time)
      if step.seq != nil { journal.append((next, time)) }
      said += step.effects
      if !plays { continue }
      for effect in step.effects {
        switch effect {
        case .connect(let connection):
          let verdict = catalog[connection.module.name] ?? .accepted(Acceptance(host: "shop-1"))
          waiting.append(.link(LinkReport(screen: connection.screen, lease: connection.lease, verdict: verdict)))
        case .deliver(let delivery):
          let turns = state.screen(delivery.screen)?.turns ?? 0
          let planned = waiting.count { if case .turn(let turn) = $0 { turn.screen == delivery.screen } else { false } }
          waiting.append(
            .turn(
              TurnReport(
                screen: delivery.screen, lease: delivery.lease, number: turns + UInt32(planned) + 1,
                handled: delivery.message.number)))
        default: break
        }
      }
    }
    return Array(said[place...])
  }

  /// Submits a command and returns its answer, if it has one yet.
  @discardableResult
  package mutating func ask(
    _ action: Command.Action, txn: String? = nil, caller: String = "me", origin: ScreenID? = nil, policy: Policy = .queue,
    ifTop: ScreenRef? = nil, instant: Bool = false, deadline: UInt32? = nil
  ) -> Resolution? {
    commands += 1
    let txn = txn ?? "t\(commands)"
    let effects = feed(
      .command(
        Command(
          txn: txn, caller: caller, origin: origin, action: action, policy: policy, ifTop: ifTop, instant: instant,
          deadline: deadline)))
    return effects.lazy.compactMap {
      if case .answer(let answer) = $0, answer.txn == txn { answer.resolution } else { nil }
    }.first
  }

  /// Opens a module and returns its screen, once it is presented.
  @discardableResult
  package mutating func open(_ module: String, via: Presentation = .push, into: NavPath? = nil, origin: ScreenID? = nil) -> ScreenID {
    let resolution = ask(.open(Command.Opening(address(module), via: via, into: into)), origin: origin)
    return resolution?.outcome?.screen ?? ScreenID(0)
  }

  /// Lets time pass, with a timer record at each moment that was asked for.
  package mutating func advance(_ milliseconds: UInt64) {
    let end = time.advanced(by: milliseconds)
    while let wake = state.wakeTime, wake <= end {
      time = max(time, wake)
      feed(.timer)
      // What is due and stays undone fails whoever waits for it, not the clock.
      if state.wakeTime == wake { break }
    }
    time = end
  }

  /// The stack at a path as `s1 s2`.
  package func stack(_ path: String = "main") -> String? {
    NavPath(path).flatMap(state.stack)?.map(\.description).joined(separator: " ")
  }
}

/// The address of a module.
package func address(_ text: String) -> ModuleAddress {
  ModuleAddress(text) ?? ModuleAddress(name: text)
}

/// `push(M)` and so on, as an action.
package func opening(_ module: String, _ via: Presentation = .push, into: String? = nil, popTo: ScreenRef? = nil, inclusive: Bool = false)
  -> Command.Action
{
  .open(Command.Opening(address(module), via: via, into: into.flatMap(NavPath.init), popTo: popTo, inclusive: inclusive))
}

extension ScreenID: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt32) {
    self.init(value)
  }
}

extension Resolution {
  /// What was done.
  package var outcome: Outcome? {
    if case .done(let outcome) = self { outcome } else { nil }
  }

  /// Why it was not done.
  package var refusal: Refusal? {
    if case .refused(let refusal) = self { refusal } else { nil }
  }
}

extension LinkVerdict {
  /// A module with tabs, each with a module of the same name, capitalised.
  package static func tabs(_ names: String..., selected: Int = 0, host: String = "shop-1") -> LinkVerdict {
    .accepted(
      Acceptance(
        host: host,
        container: .tabs(names.map { TabSpec(name: $0, start: ModuleStart(address($0.capitalizedFirst))) }, selected: selected)))
  }

  /// A module with a split.
  package static func split(_ primary: String, _ detail: String?, collapsed: Bool = false) -> LinkVerdict {
    .accepted(
      Acceptance(
        host: "shop-1",
        container: .split(
          primary: ModuleStart(address(primary)), detail: detail.map { ModuleStart(address($0)) }, collapsed: collapsed)))
  }
}

extension String {
  /// With an upper-case first letter.
  package var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
