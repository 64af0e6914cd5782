public import Minerva

extension WorkoutsApp {
  /// The four ends of a filter, each to be set or removed.
  public enum Filter: Module {
    public struct Input: Codable, Sendable {
      public var filter: WorkoutFilter

      public init(filter: WorkoutFilter) {
        self.filter = filter
      }
    }

    /// The filter as it was changed.
    public typealias Output = WorkoutFilter
    public static let summary = "the four ends of a filter"
  }
}

actor FilterCoordinator: Coordinator {
  let context: Context<WorkoutsApp.Filter>
  private let filter: WorkoutFilter

  init(_ input: WorkoutsApp.Filter.Input, _ context: Context<WorkoutsApp.Filter>) {
    self.context = context
    filter = input.filter
  }

  func handle(_ action: Action) throws {
    switch action {
    case .tap("close"): try context.dismiss()
    case .tap(let row):
      guard let end = WorkoutFilter.End(rawValue: row) else { return }
      try context.push(WorkoutsApp.UpdateFilter.self, .init(type: end, filter: filter))
    default: break
    }
  }

  func child(_ event: ChildEvent) throws {
    if let filter = try event.output(of: WorkoutsApp.UpdateFilter.self) { try context.output(filter) }
  }

  func render() -> Screen {
    Screen("Filter", buttons: [BarButton("close", "Close", side: .left)]) {
      ListSection("ends") {
        for end in WorkoutFilter.End.allCases {
          DetailLabel(end.rawValue, end.title, detail: filter[end] ?? "none")
        }
      }
    }
  }
}
