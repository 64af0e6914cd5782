import ListDiff
public import MinervaInterfaces
import MinervaWire

/// A list whose changes a worker computes: the worker keeps the last rows, so that only the new ones are sent.
///
/// The worker may drop the list, die, or lose its caller: then both lists are sent again. Nothing but time depends on what it keeps.
public actor DiffedList {
  public nonisolated let name: String
  private let runner: DiffRunner
  private var rows: DiffRows?
  private var version: UInt64 = 0
  private var holder: DiffWorkerLife?
  private var running: Task<DiffResult, any Error>?
  private var turn = 0

  init(_ name: String, _ runner: DiffRunner) {
    self.name = name
    self.runner = runner
  }

  /// The version of the last rows; 0 before the first.
  public var current: UInt64 { version }

  /// What turns the last rows into these; the first time, an empty list.
  ///
  /// A newer update takes the place of one under way, which ends with `diff.superseded`: its rows never were.
  public func update(to new: DiffRows, _ options: DiffOptions = DiffOptions()) async throws -> DiffResult {
    try await change(from: nil, to: new, options)
  }

  /// What turns some rows into others; only the others are sent when the worker holds the first.
  package func changes(from old: DiffRows, to new: DiffRows, _ options: DiffOptions = DiffOptions()) async throws -> DiffResult {
    try await change(from: old, to: new, options)
  }

  private func change(from old: DiffRows?, to new: DiffRows, _ options: DiffOptions) async throws -> DiffResult {
    turn += 1
    let mine = turn
    while let running {
      running.cancel()
      _ = await running.result
      guard turn == mine else { throw Self.superseded }
    }
    let old = old ?? rows ?? DiffRows(contents: new.noContents, sections: new.sections == nil ? nil : DiffSections())
    var order = DiffOrder(old: old, new: new, list: DiffList(name, version: version + 1), options: options)
    // Columns that share their memory are the same without a look at them.
    if let holder, old == rows { order.holder = (holder, version) }
    let task = Task { [runner, order] in try await runner.run(order) }
    running = task
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    running = nil
    do {
      let result = try result.get()
      rows = new
      version += 1
      holder = result.holder
      return result
    } catch let error as MinervaError where error.code == .cancelled && turn != mine {
      throw Self.superseded
    }
  }

  private static var superseded: MinervaError { MinervaError(.diffSuperseded, "a newer update of the list took its place") }
}

extension DiffRows {
  /// An empty column of the same kind of content.
  fileprivate var noContents: ByteList.Contents {
    switch contents {
    case .none: .none
    case .hashes: .hashes([])
    case .bytes: .bytes([], offsets: [0])
    }
  }
}
