public import MinervaNavigation

/// What a host holds of its coordinators: those that run, and what is left of those that are over (K4).
///
/// A host sees the tasks that were started through `Context.task` and `Context.observe` alone; what a coordinator starts past its context
/// is known only when it holds the coordinator itself.
public struct HostInspection: Codable, Sendable {
  /// In the order of their making.
  public var coordinators: [Coordinator]

  public init(coordinators: [Coordinator] = []) {
    self.coordinators = coordinators
  }

  /// One life of a coordinator. Times are milliseconds before the inspection.
  public struct Coordinator: Codable, Hashable, Sendable {
    public var scene: SceneIdentity
    public var screen: ScreenID
    public var module: String
    /// The lease under which it was made.
    public var lease: UInt32
    /// Whose child it was made as.
    public var parent: ScreenID?
    /// Since when it is there.
    public var age: Int
    /// Since when it is over; `nil` for one that runs.
    public var ended: Int?
    /// The handler of its that runs now; one that awaits a child runs not.
    public var handler: Handler?
    /// The tasks in its scope that have not ended.
    public var tasks: [Task]
    /// What else is left of one that is over.
    public var remains: Remains?

    public init(
      scene: SceneIdentity, screen: ScreenID, module: String, lease: UInt32, parent: ScreenID? = nil, age: Int, ended: Int? = nil,
      handler: Handler? = nil, tasks: [Task] = [], remains: Remains? = nil
    ) {
      self.scene = scene
      self.screen = screen
      self.module = module
      self.lease = lease
      self.parent = parent
      self.age = age
      self.ended = ended
      self.handler = handler
      self.tasks = tasks
      self.remains = remains
    }
  }

  /// A handler at work.
  public struct Handler: Codable, Hashable, Sendable {
    /// The message it handles; `nil` for work of the coordinator's own.
    public var message: UInt32?
    public var age: Int

    public init(message: UInt32?, age: Int) {
      self.message = message
      self.age = age
    }
  }

  /// A task in a coordinator's scope.
  public struct Task: Codable, Hashable, Sendable {
    /// Where it was started: file and line.
    public var place: String
    public var age: Int

    public init(place: String, age: Int) {
      self.place = place
      self.age = age
    }
  }

  /// What is left of a coordinator that is over, besides its handler and its tasks.
  public enum Remains: String, Codable, Hashable, Sendable {
    /// Its factory or `load` has not returned.
    case making
    /// Its `unload` has not returned.
    case unloading
    /// Nothing of it runs, but something still holds it.
    case held
  }
}
