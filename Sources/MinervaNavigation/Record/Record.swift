/// One input of the core, with every choice of the outside made: what the journal holds and what replay feeds.
public enum Record: Hashable, Sendable, Codable {
  /// A caller asks for something.
  case command(Command)
  /// A coordinator has handled a message.
  case turn(TurnReport)
  /// A host answers `Effect.connect` or `Effect.resume`.
  case link(LinkReport)
  /// A caller has configured the module it opened under this `txn` (L1), or failed to.
  case configured(txn: String, failure: Refusal?)
  /// The one who shows the scene.
  case renderer(RendererReport)
  /// The moment that `Effect.wake` asked for has come; `at` says which moment it is.
  case timer
  /// A host is gone: its screens are suspended for the lease (K3).
  case hostLost(host: String)
  /// A host has not come back after a restart of the broker, and nobody else offers what it ran: what is left of it stays as placeholders
  /// (P2).
  case unclaimed(host: String)
  /// A host is there again, or another offers to take over.
  case hostBack(HostReturn)
  /// A caller is gone for good: what it asked and was not linked yet is rolled back with `requesterLost`.
  case callerLost(caller: String)
  /// The scene begins as another one was (D2); only ever the first record of a scene.
  indirect case begun(SceneOrigin)
}

/// What a host can take over after a loss.
public struct HostReturn: Hashable, Sendable, Codable {
  /// The host's name.
  public var host: String
  /// Whether it is the same process as before, with all its coordinators: they go on as if nothing had been.
  public var kept: Bool
  /// The suspended screens it can resume; ignored for coordinators that were kept.
  public var resuming: [ScreenID]
  /// Its suspended screens that it still has while others are gone: they go on as if nothing had been; `nil` is none.
  public var keeping: [ScreenID]?
  /// Its screens that were not suspended and that it has no more: they are, from now on; `nil` is none.
  public var lost: [ScreenID]?
  /// Its screens whose turn to be made again has not come yet, or that it is at; `nil` is none.
  public var awaited: Awaited?
  /// What it is not given of the outboxes of those that it resumes; `nil` is nothing.
  public var refusing: [InHand]?

  /// What a coordinator had in hand when its host was lost, time and again: it is refused, as its handler would have (N15).
  public struct InHand: Hashable, Sendable, Codable {
    /// The coordinator.
    public var screen: ScreenID
    /// The number of the message.
    public var message: UInt32
    /// What whoever asked is told.
    public var refusal: Refusal

    /// Creates a refusal.
    public init(screen: ScreenID, message: UInt32, refusal: Refusal) {
      self.screen = screen
      self.message = message
      self.refusal = refusal
    }
  }

  /// Screens that keep their place while their host makes one after another: who has many to make may take longer than the lease.
  public struct Awaited: Hashable, Sendable, Codable {
    /// The screens that the host is asked to resume, or will be.
    public var screens: [ScreenID]
    /// How long they wait.
    public var until: SceneTime

    /// Creates a wait.
    public init(screens: [ScreenID], until: SceneTime) {
      self.screens = screens
      self.until = until
    }
  }

  /// Creates a return.
  public init(
    host: String, kept: Bool, resuming: [ScreenID] = [], keeping: [ScreenID]? = nil, lost: [ScreenID]? = nil, awaited: Awaited? = nil,
    refusing: [InHand]? = nil
  ) {
    self.host = host
    self.kept = kept
    self.resuming = resuming
    self.keeping = keeping
    self.lost = lost
    self.awaited = awaited
    self.refusing = refusing
  }
}

/// What the one who shows the scene reports.
public enum RendererReport: Hashable, Sendable, Codable {
  /// It becomes the primary; a second one is refused unless it takes over.
  case attached(renderer: String, takesOver: Bool)
  /// It is gone: what is in flight settles.
  case lost(renderer: String)
  /// It has shown the transition with this number; ignored from anyone but the primary.
  case acknowledged(renderer: String, transition: UInt64)
}
