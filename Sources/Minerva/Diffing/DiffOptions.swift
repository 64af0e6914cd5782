public import MinervaInterfaces

/// How lists are compared by a worker.
public struct DiffOptions: Sendable {
  /// What a list with one identifier twice means.
  public var duplicates: DiffDuplicates
  /// After which the job ends with `bus.deadline`.
  public var deadline: Duration
  /// The list that this is about: a newer job about it supersedes one of this client's that has not ended.
  public var list: String?
  /// Called every 200 ms while a job takes longer than that.
  public var progress: (@Sendable (DiffProgress) -> Void)?

  /// Milliseconds that the worker takes at least, for demonstrations and fault tests.
  package var hold = 0
  /// Called with each lease, before the job is sent.
  package var leased: (@Sendable (DiffLease) -> Void)?

  public init(
    duplicates: DiffDuplicates = .occurrence, deadline: Duration = .seconds(60), list: String? = nil,
    progress: (@Sendable (DiffProgress) -> Void)? = nil
  ) {
    self.duplicates = duplicates
    self.deadline = deadline
    self.list = list
    self.progress = progress
  }
}
