/// What a worker takes on.
public struct DiffLimits: Hashable, Sendable {
  /// The lists of the largest job in bytes.
  public var jobBytes: Int
  /// All jobs, held lists and answers at a time, in bytes.
  public var bytes: Int
  /// All lists held between jobs, in bytes; part of `bytes`.
  public var listBytes: Int
  /// How many lists are held between jobs.
  public var lists: Int
  /// How long a job may ask to be held, in milliseconds.
  public var hold: Int
  /// After how many milliseconds pieces of a job that does not come, and answers that are not fetched, are dropped.
  public var patience: Int64
  /// How many jobs one caller may have pieces of on the worker.
  public var incoming: Int
  /// The longest name of a job or a list in bytes: names are kept and not counted.
  public var nameBytes: Int

  public init(
    jobBytes: Int = 256 << 20, bytes: Int = 512 << 20, listBytes: Int? = nil, lists: Int = 4_096, hold: Int = 10_000,
    patience: Int64 = 30_000, incoming: Int = 64, nameBytes: Int = 4_096
  ) {
    self.jobBytes = min(jobBytes, bytes)
    self.bytes = bytes
    self.listBytes = listBytes ?? bytes / 2
    self.lists = lists
    self.hold = hold
    self.patience = patience
    self.incoming = incoming
    self.nameBytes = nameBytes
  }
}
