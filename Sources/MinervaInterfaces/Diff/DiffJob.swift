/// One question to a diff worker: what turns `old` into `new`?
///
/// A job is pure, so it may be asked again of another worker under the same identifier.
public struct DiffJob: Codable, Sendable {
  /// Chosen by the caller, unique among those under way; the broker counts the attempts of a job by it.
  public var id: String
  public var old: DiffSide
  public var new: DiffSide
  /// The list that this is about; a newer job about it supersedes an older one of the same caller.
  public var list: DiffList?
  public var duplicates: DiffDuplicates
  /// After how many milliseconds the answer is of no use any more; 0 for no end but the call's own.
  public var deadline: Int
  /// Milliseconds of work the worker does at least before it answers; for demonstrations and fault tests.
  public var hold: Int
  /// The life of the worker that the lease names; another life of that name refuses the job. Nil: whichever life is there.
  public var life: UInt64?

  public init(
    id: String, old: DiffSide, new: DiffSide, list: DiffList? = nil, duplicates: DiffDuplicates = .occurrence, deadline: Int = 0,
    hold: Int = 0, life: UInt64? = nil
  ) {
    self.id = id
    self.old = old
    self.new = new
    self.list = list
    self.duplicates = duplicates
    self.deadline = deadline
    self.hold = hold
    self.life = life
  }

  /// A job that carries both lists.
  public init(
    id: String, old: DiffRows, new: DiffRows, list: DiffList? = nil, duplicates: DiffDuplicates = .occurrence, deadline: Int = 0,
    hold: Int = 0, life: UInt64? = nil
  ) {
    self.init(id: id, old: .rows(old), new: .rows(new), list: list, duplicates: duplicates, deadline: deadline, hold: hold, life: life)
  }

  /// Up to how many bytes of lists a job carries them; larger ones come before it in pieces.
  public static let carriedBytes = 3 << 20
  /// How many bytes of lists a piece has, about.
  public static let pieceBytes = 1 << 20
}

/// Where one of the two lists of a job is.
public enum DiffSide: Codable, Sendable, Hashable {
  /// In the job.
  case rows(DiffRows)
  /// On the worker, in so many pieces sent before.
  case sent(pieces: Int)
  /// On the worker, since an earlier job about the list gave it this version.
  case held(version: UInt64)

  private enum Keys: String, CodingKey {
    case rows, pieces, held
  }

  public func encode(to encoder: any Encoder) throws {
    var keyed = encoder.container(keyedBy: Keys.self)
    switch self {
    case .rows(let rows): try keyed.encode(rows, forKey: .rows)
    case .sent(let pieces): try keyed.encode(pieces, forKey: .pieces)
    case .held(let version): try keyed.encode(version, forKey: .held)
    }
  }

  public init(from decoder: any Decoder) throws {
    let keyed = try decoder.container(keyedBy: Keys.self)
    if let version = try keyed.decodeIfPresent(UInt64.self, forKey: .held) {
      self = .held(version: version)
    } else if let pieces = try keyed.decodeIfPresent(Int.self, forKey: .pieces) {
      self = .sent(pieces: pieces)
    } else {
      self = .rows(try keyed.decode(DiffRows.self, forKey: .rows))
    }
  }
}

/// A list that a worker may keep between two jobs.
public struct DiffList: Codable, Sendable, Hashable {
  /// The caller's name for it; callers don't see each other's lists.
  public var name: String
  /// The version that the new rows are, above all before it; the worker keeps them as that. Nil: it keeps nothing.
  public var version: UInt64?

  public init(_ name: String, version: UInt64? = nil) {
    self.name = name
    self.version = version
  }
}

/// What a list with one identifier twice means.
public enum DiffDuplicates: String, Codable, Sendable, Hashable {
  /// The *k*-th row with an identifier is the *k*-th one with it in the other list.
  case occurrence
  /// The first row with an identifier counts, positions are those of the lists without the others.
  case first
  /// The job ends with `diff.duplicate`, naming the identifier and both places.
  case reject
}

/// A part of one list of a job that comes.
public struct DiffPiece: Codable, Sendable {
  /// Which of the two lists.
  public enum Side: String, Codable, Sendable, Hashable {
    case old, new
  }

  public var job: String
  public var side: Side
  /// Counts from 0; pieces come in order.
  public var number: Int
  public var rows: DiffRows
  /// As in ``DiffJob/life``.
  public var life: UInt64?

  public init(job: String, side: Side, number: Int, rows: DiffRows, life: UInt64? = nil) {
    self.job = job
    self.side = side
    self.number = number
    self.rows = rows
    self.life = life
  }
}
