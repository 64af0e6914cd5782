public import Minerva

extension WorkoutsApp {
  /// One end of a filter, bounded by the opposite one.
  public enum UpdateFilter: Module {
    public struct Input: Codable, Sendable {
      public var type: WorkoutFilter.End
      public var filter: WorkoutFilter

      public init(type: WorkoutFilter.End, filter: WorkoutFilter) {
        self.type = type
        self.filter = filter
      }
    }

    /// The filter with this end set or removed.
    public typealias Output = WorkoutFilter
    public static let summary = "one end of a filter"
  }
}

actor UpdateFilterCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var value: String?
  }

  let context: Context<WorkoutsApp.UpdateFilter>
  var state = State()
  private let input: WorkoutsApp.UpdateFilter.Input
  private let store: any WorkoutStore

  init(_ input: WorkoutsApp.UpdateFilter.Input, _ context: Context<WorkoutsApp.UpdateFilter>, store: any WorkoutStore) {
    self.context = context
    self.input = input
    self.store = store
  }

  private var opposite: String? { input.filter[input.type.opposite] }

  func load() async throws {
    guard state.value == nil else { return }
    let today = try await store.start()
    state.value = input.filter[input.type] ?? opposite ?? (input.type.isDate ? today.isoDate : today.isoTime)
  }

  func handle(_ action: Action) throws {
    switch action {
    case .enter("value", let text): state.value = text
    case .tap("update"): try update()
    case .tap("remove"): try tell(nil)
    default: break
    }
  }

  private func update() throws {
    guard let value = state.value, input.type.reads(value) else {
      return try alert(input.type.isDate ? "Write a date as 2026-01-31." : "Write a time as 07:30.")
    }
    if let opposite, input.type.isStart ? value > opposite : value < opposite {
      return try alert("The \(input.type.title.lowercased()) must not be \(input.type.isStart ? "after" : "before") \(opposite).")
    }
    try tell(value)
  }

  private func tell(_ value: String?) throws {
    var filter = input.filter
    filter[input.type] = value
    try context.output(filter)
  }

  func render() -> Screen {
    Screen(input.type.title) {
      ListSection("end") {
        DatePicker(
          "value", input.type.title, value: state.value ?? "", from: input.type.isStart ? nil : opposite,
          to: input.type.isStart ? opposite : nil)
        Button("update", "Update")
        Button("remove", "Remove", isEnabled: input.filter[input.type] != nil)
      }
    }
  }
}
