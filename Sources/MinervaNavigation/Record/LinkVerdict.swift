/// A host's answer to `Effect.connect` or `Effect.resume`.
public struct LinkReport: Hashable, Sendable, Codable {
  /// Which coordinator.
  public var screen: ScreenID
  /// The lease the effect named; another one is ignored.
  public var lease: UInt32
  /// The answer.
  public var verdict: LinkVerdict

  /// Creates a report.
  public init(screen: ScreenID, lease: UInt32, verdict: LinkVerdict) {
    self.screen = screen
    self.lease = lease
    self.verdict = verdict
  }
}

/// Whether a module could be made.
public enum LinkVerdict: Hashable, Sendable, Codable {
  /// It runs.
  case accepted(Acceptance)
  /// Its input is invalid, its factory threw, nobody offers it…: the whole request is rolled back with this refusal.
  case refused(Refusal)
  /// The host that was making it died (L3): it is asked for once more; the second time it is rolled back with `hostLost`.
  case lost(host: String)
}

/// What a host says of a coordinator that runs.
public struct Acceptance: Hashable, Sendable, Codable {
  /// Where it runs.
  public var host: String
  /// The container it brings.
  public var container: ContainerSpec
  /// Its embed slots by name.
  public var slots: [String]
  /// The input as everyone may see it, when fields of it are secret (P4).
  public var redactedInput: [UInt8]?
  /// The whole input, when it was sealed although nothing of it is secret. Said by the broker, not by hosts.
  public var plainInput: [UInt8]?
  /// The gestures it does not allow.
  public var vetoes: Vetoes
  /// Its named transitions.
  public var transitions: [NamedTransition]
  /// Whether it wants lifecycle messages (K5).
  public var wantsLifecycle: Bool

  /// Creates an acceptance; without container, slots, vetoes, transitions and lifecycle unless said otherwise.
  public init(
    host: String, container: ContainerSpec = .none, slots: [String] = [], redactedInput: [UInt8]? = nil, vetoes: Vetoes = [],
    transitions: [NamedTransition] = [], wantsLifecycle: Bool = false
  ) {
    self.host = host
    self.container = container
    self.slots = slots
    self.redactedInput = redactedInput
    self.vetoes = vetoes
    self.transitions = transitions
    self.wantsLifecycle = wantsLifecycle
  }
}

/// The container a module brings, with the modules that start in it.
public enum ContainerSpec: Hashable, Sendable, Codable {
  /// No container.
  case none
  /// Tabs in order, the selected one's root started with the container, the others' when first selected.
  case tabs([TabSpec], selected: Int)
  /// A split; the primary's root (and the detail's, if there is one) started with the container.
  case split(primary: ModuleStart, detail: ModuleStart?, collapsed: Bool)
}

/// A tab: its name in navpaths, and the module at its root.
public struct TabSpec: Hashable, Sendable, Codable {
  /// The name; unique, without slash, not `primary`, `detail` or `slot:…`.
  public var name: String
  /// What starts at its root.
  public var start: ModuleStart

  /// Creates a tab.
  public init(name: String, start: ModuleStart) {
    self.name = name
    self.start = start
  }
}

/// A module with its input.
public struct ModuleStart: Hashable, Sendable, Codable {
  /// Which module.
  public var module: ModuleAddress
  /// Its input, UTF-8 JSON.
  public var input: [UInt8]

  /// Creates a start.
  public init(_ module: ModuleAddress, input: [UInt8] = []) {
    self.module = module
    self.input = input
  }
}

/// A transition a module declares under a name: a storyboard's segue.
public struct NamedTransition: Hashable, Sendable, Codable {
  /// The name after `go`.
  public var name: String
  /// What it opens, and how; its input is used when `go` gives none.
  public var opening: Command.Opening

  /// Creates a named transition.
  public init(name: String, opening: Command.Opening) {
    self.name = name
    self.opening = opening
  }
}
