public import Minerva

extension WorkoutsApp {
  /// A very long list, to see how a change of it is computed by a worker.
  public enum History: Module {
    public struct Input: Codable, Sendable {
      /// How many rows the list gets.
      public var rows: Int?

      public init(rows: Int? = nil) {
        self.rows = rows
      }
    }

    public static let summary = "a very long list"
  }
}

actor HistoryCoordinator: Coordinator {
  struct State: Codable, Sendable {
    var rows = 0
    /// How often the rows were stirred.
    var stirred = 0
  }

  let context: Context<WorkoutsApp.History>
  var state = State()
  private let rows: Int

  init(_ input: WorkoutsApp.History.Input, _ context: Context<WorkoutsApp.History>) {
    self.context = context
    rows = min(max(0, input.rows ?? 200_000), 1_000_000)
  }

  func handle(_ action: Action) {
    switch action {
    case .tap("load"): state = State(rows: rows)
    case .tap("stir"): state.stirred += 1
    case .tap("clear"): state = State()
    default: break
    }
  }

  /// The rows in order: each stirring takes every hundredth to the front and changes every fiftieth.
  private var cells: [any ListCellModel] {
    let turn = state.stirred
    let front = turn == 0 ? 0 : 100
    func row(_ n: Int) -> any ListCellModel {
      Label("h\(n)", front > 0 && n % 50 == turn % 50 ? "Entry \(n), changed \(turn)" : "Entry \(n)")
    }
    guard front > 0 else { return (0..<state.rows).map(row) }
    let moved = (0..<state.rows).filter { $0 % front == turn % front }
    return moved.map(row) + (0..<state.rows).filter { $0 % front != turn % front }.map(row)
  }

  func render() -> Screen {
    Screen("History", buttons: [BarButton("load", "Load"), BarButton("stir", "Stir"), BarButton("clear", "Clear")]) {
      ListSection("entries", cells: cells)
    }
  }
}
