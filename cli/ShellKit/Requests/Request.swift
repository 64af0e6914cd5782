package import MinervaNavigation

/// What a statement asks for, once its words are bound.
package enum Request: Sendable {
  /// A command for the core; its aliases and payloads are resolved when its turn comes.
  case action(@Sendable (any InvocationContext) async throws -> Command.Action)
  case look(Look)
  case wait(Wait)
  case expect(Expectation)
  case lab(Lab)
  case session(SessionRequest)
  case deeplink(DeepLink)
}

/// Something to show.
package enum Look: Sendable, Hashable {
  case screen(Reference?)
  case stack(NavPath?)
  case tree
  case list(Reference?)
  case show(Reference)
  case tabs
  case modules(String?)
  case routes(String?)
  case commands(Reference?)
  case plans
  case status
  case leaks
  case watch(topics: [String], from: UInt64?)
}

/// Something to wait for.
package enum Wait: Sendable, Hashable {
  case settled
  case event(EventPattern)
  case job(Int)
}

/// What a link asks for.
package struct DeepLink: Sendable, Hashable {
  package var url: String
  package var context: String?
  package var isDryRun: Bool
  /// `merge` keeps what is there, `reset` begins at the root.
  package var mode: String
  package var keepsPrefix: Bool
}

/// Faults, time and what else only a laboratory does.
package enum Lab: Sendable, Hashable {
  case kill(process: String)
  case stall(process: String, Duration?)
  case drop(topic: String, count: Int)
  case render(ShellRenderer.Pace)
  case acknowledge(UInt64?)
  case advance(Duration)
  /// The past after a record, or nil: the present again.
  case goTo(UInt64?)
  /// From a record, or nil: from where the session looks.
  case fork(UInt64?, name: String?)
  case repeated(line: String, rate: Int, Duration)

  /// Whether it is about where the session stands in time, which changes nothing.
  package var isTravel: Bool {
    switch self {
    case .goTo, .fork: true
    default: false
    }
  }
}

/// What the session itself does.
package enum SessionRequest: Sendable, Hashable {
  case scene(name: String?, app: String?)
  case endScene(String)
  case source(String)
  case option(name: String?, value: String?)
  case help([String])
  case quit
  case note(String)
  case record(String, from: UInt64?, to: UInt64?)
  case recordScript(String)
  case recordStop
  case replay(String, verify: Bool)
  case save(String, overwrites: Bool)
  case restore(String, name: String?)
}
