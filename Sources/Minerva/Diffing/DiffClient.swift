package import MinervaActors
public import MinervaInterfaces
import Synchronization

/// Has lists compared by the diff workers of a broker.
///
/// ```swift
/// let differ = DiffClient(try await Client.connect(to: endpoint))
/// let result = try await differ.changes(from: old, to: new)
/// let changes = try result.changeSet()
/// ```
///
/// A job whose worker dies goes to another, at most twice. One that finds no room is asked again until its deadline. Large lists travel in pieces.
public struct DiffClient: Sendable {
  private let runner: DiffRunner

  public init(_ client: Client) { self.init(client.bus, leasing: client) }

  package init(_ bus: BusSystem, leasing: any DiffLeasing) { runner = DiffRunner(bus: bus, leasing: leasing) }

  /// What turns `old` into `new`.
  ///
  /// - Throws: `bus.deadline`, `bus.too_large` for lists above a worker's limit, `diff.no_worker`, `diff.poison` when three workers died of it,
  ///   `diff.superseded`, `diff.duplicate`, `bus.bad_message` for columns that do not fit together, `bus.cancelled`.
  public func changes(from old: DiffRows, to new: DiffRows, _ options: DiffOptions = DiffOptions()) async throws -> DiffResult {
    try await runner.run(DiffOrder(old: old, new: new, list: options.list.map { DiffList($0) }, options: options))
  }

  /// A list that a worker keeps between two changes, so that only the new rows are sent.
  ///
  /// - Parameter name: Unique among the lists of this client.
  public func list(_ name: String) -> DiffedList { DiffedList(name, runner) }
}

/// A job as its caller has it.
struct DiffOrder: Sendable {
  var old: DiffRows
  var new: DiffRows
  var list: DiffList?
  var options: DiffOptions
  /// Who holds the old list, and as which version.
  var holder: (worker: DiffWorkerLife, version: UInt64)?
}
