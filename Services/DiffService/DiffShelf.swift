import MinervaInterfaces
import MinervaWire

/// What a worker has in memory, and whose it is: pieces that come in, jobs, lists held between jobs, answers that are being fetched.
///
/// Every byte is reserved before it is kept, and the least recently used lists make room for jobs. Time is in milliseconds of a monotonic clock.
struct DiffShelf {
  /// One life of a caller.
  struct Owner: Hashable, Sendable {
    var node: String
    var incarnation: UInt64
  }

  /// A job; callers choose their names apart from each other.
  struct JobKey: Hashable, Sendable {
    var owner: Owner
    var job: String
  }

  /// A list of a caller.
  struct ListKey: Hashable, Sendable {
    var owner: Owner
    var list: String
  }

  /// A job whose lists are there.
  struct Work: Sendable {
    let key: JobKey
    let old: DiffRows
    let new: DiffRows
    /// Jobs about the same list that are of no use any more.
    let superseded: [JobKey]

    var rows: Int { old.count + new.count }
  }

  private struct Held {
    var rows: DiffRows
    var version: UInt64
    var bytes: Int
    /// Counts up with every use.
    var used: UInt64
    /// How many jobs are comparing it.
    var pins = 0
    /// Whether its caller is gone: it goes with the last pin.
    var isOrphan = false
  }

  private struct Incoming {
    var sides: [DiffPiece.Side: (rows: DiffRows, pieces: Int)] = [:]
    var bytes = 0
    let since: Int64
    var last: Int64
  }

  private struct Entry {
    var bytes: Int
    var list: ListKey?
    /// What the new rows become.
    var version: UInt64?
    var pinned: ListKey?
    var new: DiffRows
    /// Whether its caller is gone: nothing of it is kept.
    var isOrphan = false
  }

  let limits: DiffLimits
  private(set) var status: DiffWorkerStatus
  private var lists: [ListKey: Held] = [:]
  private var incoming: [JobKey: Incoming] = [:]
  private var jobs: [JobKey: Entry] = [:]
  private var answers: [JobKey: (bytes: [UInt8], at: Int64)] = [:]
  /// Lists that made room, newest last, so that their callers are told why.
  private var droppedLists: [ListKey] = []
  private var uses: UInt64 = 0

  init(limits: DiffLimits) {
    self.limits = limits
    status = DiffWorkerStatus(limit: limits.bytes)
  }

  /// What a job in so many pieces, or one that lists stand in memory for, is taken to cost beside its bytes: the engine's working memory.
  private static func working(_ rows: Int) -> Int { rows * 16 }

  // MARK: Coming in

  /// Keeps a piece.
  mutating func take(_ piece: DiffPiece, of owner: Owner, at now: Int64) throws(MinervaError) {
    try requireShort(piece.job, "a diff job")
    let key = JobKey(owner: owner, job: piece.job)
    do throws(MinervaError) {
      try keep(piece, key, at: now)
    } catch {
      dropIncoming(key)
      throw error
    }
  }

  private mutating func keep(_ piece: DiffPiece, _ key: JobKey, at now: Int64) throws(MinervaError) {
    guard jobs[key] == nil else { throw .badMessage("job \(piece.job) is being compared already") }
    if incoming[key] == nil {
      guard incoming.keys.count(where: { $0.owner == key.owner }) < limits.incoming else {
        status.turnedAway += 1
        throw .backpressure("the worker's desk of jobs that come in pieces", limit: limits.incoming, retryAfterMilliseconds: 100)
      }
      incoming[key] = Incoming(since: now, last: now)
    }
    let bytes = piece.rows.byteCount
    let total = (incoming[key]?.bytes ?? 0) + bytes
    guard total <= limits.jobBytes else { throw .tooLarge("diff job \(piece.job)", bytes: total, limit: limits.jobBytes) }
    let number = incoming[key]?.sides[piece.side]?.pieces ?? 0
    guard piece.number == number else { throw .badMessage("piece \(piece.number) of job \(piece.job) came where \(number) was due") }
    try reserve(bytes)
    incoming[key]?.bytes += bytes
    incoming[key]?.last = now
    // Taken out, so that the columns grow in place.
    if var (rows, pieces) = incoming[key]?.sides.removeValue(forKey: piece.side) {
      try rows.append(piece.rows)
      pieces += 1
      incoming[key]?.sides[piece.side] = (rows, pieces)
    } else {
      incoming[key]?.sides[piece.side] = (piece.rows, 1)
    }
  }

  private func requireShort(_ name: String, _ whose: String) throws(MinervaError) {
    let bytes = name.utf8.count
    guard bytes <= limits.nameBytes else { throw .tooLarge("the name of \(whose)", bytes: bytes, limit: limits.nameBytes) }
  }

  private mutating func dropIncoming(_ key: JobKey) {
    if let dropped = incoming.removeValue(forKey: key) { release(dropped.bytes) }
  }

  // MARK: Jobs

  /// Takes a job on, with its lists.
  ///
  /// - Throws: `bus.bad_message`, `bus.too_large`, `bus.backpressure`; `list.stale` when the list is not held, or in another version.
  mutating func admit(_ job: DiffJob, of owner: Owner, at now: Int64) throws(MinervaError) -> Work {
    try requireShort(job.id, "a diff job")
    if let list = job.list { try requireShort(list.name, "a list") }
    let key = JobKey(owner: owner, job: job.id)
    guard jobs[key] == nil else { throw .badMessage("job \(job.id) is being compared here already") }
    let sent = incoming.removeValue(forKey: key)
    do throws(MinervaError) {
      return try admit(job, key, sent)
    } catch {
      if let sent { release(sent.bytes) }
      if error.code == .backpressure { status.turnedAway += 1 }
      throw error
    }
  }

  private mutating func admit(_ job: DiffJob, _ key: JobKey, _ sent: Incoming?) throws(MinervaError) -> Work {
    let list = job.list.map { ListKey(owner: key.owner, list: $0.name) }
    var pinned: ListKey?
    let old: DiffRows
    switch job.old {
    case .rows(let rows): old = rows
    case .sent(let pieces): old = try Self.whole(sent, .old, pieces, job.id)
    case .held(let version):
      guard let list else { throw .badMessage("job \(job.id) names a version of no list") }
      old = try held(list, version)
      pinned = list
    }
    let new: DiffRows
    switch job.new {
    case .rows(let rows): new = rows
    case .sent(let pieces): new = try Self.whole(sent, .new, pieces, job.id)
    case .held: throw .badMessage("the new list of a job is sent, not held")
    }
    let bytes = (pinned == nil ? old.byteCount : 0) + new.byteCount
    guard bytes <= limits.jobBytes else { throw .tooLarge("diff job \(job.id)", bytes: bytes, limit: limits.jobBytes) }
    if let pinned { lists[pinned]?.pins += 1 }
    let cost = bytes + Self.working(old.count + new.count)
    do throws(MinervaError) {
      try reserve(cost - (sent?.bytes ?? 0))
    } catch {
      if let pinned { lists[pinned]?.pins -= 1 }
      throw error
    }
    let superseded = list.map { list in jobs.filter { $0.value.list == list }.map(\.key) } ?? []
    jobs[key] = Entry(bytes: cost, list: list, version: job.list?.version, pinned: pinned, new: new)
    status.jobs = jobs.count
    return Work(key: key, old: old, new: new, superseded: superseded)
  }

  private static func whole(_ sent: Incoming?, _ side: DiffPiece.Side, _ pieces: Int, _ job: String) throws(MinervaError) -> DiffRows {
    let came = sent?.sides[side]?.pieces ?? 0
    guard came == pieces, let rows = sent?.sides[side]?.rows else {
      throw .badMessage("job \(job) speaks of \(pieces) pieces of its \(side.rawValue) list, \(came) came")
    }
    return rows
  }

  private mutating func held(_ key: ListKey, _ version: UInt64) throws(MinervaError) -> DiffRows {
    guard let list = lists[key] else {
      let reason = droppedLists.contains(key) ? "was dropped to make room for others" : "is not here"
      throw Self.stale("the list \(key.list) \(reason)", held: nil)
    }
    guard list.version == version else {
      throw Self.stale("the list \(key.list) is held at version \(list.version), not \(version)", held: list.version)
    }
    uses += 1
    lists[key]?.used = uses
    return list.rows
  }

  private static func stale(_ text: String, held: UInt64?) -> MinervaError {
    MinervaError(.listStale, "\(text); send both lists", details: ["held": held.map { "\($0)" } ?? "none"])
  }

  /// A job ended without an answer.
  mutating func ended(_ key: JobKey) {
    guard let entry = jobs.removeValue(forKey: key) else { return }
    if let pinned = entry.pinned {
      lists[pinned]?.pins -= 1
      if let list = lists[pinned], list.isOrphan, list.pins == 0 { remove(pinned) }
    }
    release(entry.bytes)
    status.jobs = jobs.count
  }

  /// A job is answered: its new rows are kept when it asked for it and there is room, and what does not fit into a message waits to be fetched.
  ///
  /// - Returns: The beginning of the change set, and the version that is held now.
  mutating func answered(_ key: JobKey, _ changes: [UInt8], at now: Int64) throws(MinervaError) -> (beginning: [UInt8], held: UInt64?) {
    guard let entry = jobs[key] else { return (changes, nil) }
    ended(key)
    guard !entry.isOrphan else { return ([], nil) }
    var held: UInt64?
    if let list = entry.list, let version = entry.version { held = hold(list, entry.new, version) }
    guard changes.count > DiffAnswer.chunk else { return (changes, held) }
    // A job of this name may have been answered before, and nobody have fetched it.
    dropAnswer(key)
    try reserve(changes.count)
    answers[key] = (changes, now)
    return (Array(changes.prefix(DiffAnswer.chunk)), held)
  }

  /// Keeps a list, unless a newer version of it is here or it is too large.
  private mutating func hold(_ key: ListKey, _ rows: DiffRows, _ version: UInt64) -> UInt64? {
    if let known = lists[key] {
      guard known.version < version, known.pins == 0 else { return known.version }
      remove(key)
    }
    // A name is bytes as well.
    let bytes = rows.byteCount + key.list.utf8.count + 128
    guard bytes <= limits.listBytes, makeRoom(bytes, ofLists: true) else { return nil }
    uses += 1
    lists[key] = Held(rows: rows, version: version, bytes: bytes, used: uses)
    droppedLists.removeAll { $0 == key }
    status.lists = lists.count
    add(bytes)
    heldBytes += bytes
    return version
  }

  private var heldBytes = 0

  /// The bytes of an answer from a position on.
  mutating func rest(of job: String, from position: Int, owner: Owner) throws(MinervaError) -> [UInt8] {
    let key = JobKey(owner: owner, job: job)
    guard let answer = answers[key] else { throw .badMessage("no answer of job \(job) waits here; ask again") }
    guard position >= 0, position < answer.bytes.count else {
      throw .badMessage("position \(position) of an answer of \(answer.bytes.count) bytes")
    }
    let end = min(answer.bytes.count, position + DiffAnswer.chunk)
    if end == answer.bytes.count { dropAnswer(key) }
    return Array(answer.bytes[position..<end])
  }

  private mutating func dropAnswer(_ key: JobKey) {
    if let answer = answers.removeValue(forKey: key) { release(answer.bytes.count) }
  }

  // MARK: Looking

  /// What is there of a job that comes in.
  func coming(_ key: JobKey) -> (rows: Int, since: Int64)? {
    incoming[key].map { ($0.sides.values.reduce(0) { $0 + $1.rows.count }, $0.since) }
  }

  func hasAnswer(_ key: JobKey) -> Bool { answers[key] != nil }

  // MARK: Going

  /// A caller drops a list.
  mutating func forget(_ list: String, of owner: Owner) {
    let key = ListKey(owner: owner, list: list)
    if lists[key]?.pins == 0 { remove(key) }
  }

  /// A caller is gone: nothing of it is kept. Its jobs end by themselves.
  mutating func lost(_ owner: Owner) {
    for key in incoming.keys where key.owner == owner { dropIncoming(key) }
    for key in answers.keys where key.owner == owner { dropAnswer(key) }
    for key in jobs.keys where key.owner == owner { jobs[key]?.isOrphan = true }
    for (key, list) in lists where key.owner == owner {
      if list.pins == 0 { remove(key) } else { lists[key]?.isOrphan = true }
    }
    droppedLists.removeAll { $0.owner == owner }
  }

  /// Time passes: pieces whose job does not come, and answers that nobody fetches, are dropped.
  mutating func sweep(at now: Int64) {
    for (key, job) in incoming where now - job.last >= limits.patience { dropIncoming(key) }
    for (key, answer) in answers where now - answer.at >= limits.patience { dropAnswer(key) }
  }

  private mutating func remove(_ key: ListKey) {
    guard let list = lists.removeValue(forKey: key) else { return }
    status.lists = lists.count
    heldBytes -= list.bytes
    release(list.bytes)
  }

  // MARK: Memory

  private mutating func reserve(_ bytes: Int) throws(MinervaError) {
    guard makeRoom(bytes, ofLists: false) else {
      throw .backpressure("the worker's memory for jobs", limit: limits.bytes, retryAfterMilliseconds: 50)
    }
    add(bytes)
  }

  /// Drops lists that nobody compares, the least recently used first, until there is room.
  private mutating func makeRoom(_ bytes: Int, ofLists: Bool) -> Bool {
    func isEnough() -> Bool {
      status.bytes + bytes <= limits.bytes && (!ofLists || heldBytes + bytes <= limits.listBytes && lists.count < limits.lists)
    }
    if isEnough() { return true }
    // Lists are not dropped for what has no room without them either.
    let idle = lists.values.reduce(0) { $0 + ($1.pins == 0 ? $1.bytes : 0) }
    guard status.bytes - idle + bytes <= limits.bytes else { return false }
    while !isEnough() {
      guard let oldest = lists.filter({ $0.value.pins == 0 }).min(by: { $0.value.used < $1.value.used })?.key else { return false }
      remove(oldest)
      status.dropped += 1
      droppedLists.append(oldest)
      if droppedLists.count > 256 { droppedLists.removeFirst() }
    }
    return true
  }

  private mutating func add(_ bytes: Int) {
    status.bytes += bytes
    status.mostBytes = max(status.mostBytes, status.bytes)
  }

  private mutating func release(_ bytes: Int) { status.bytes -= bytes }
}
