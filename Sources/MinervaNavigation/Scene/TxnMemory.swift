/// The answers that were given, so that a request submitted again is not done again (N2).
///
/// Kept in their compact form: there are many, few are ever asked for, and a snapshot holds them all.
struct TxnMemory: Hashable, Sendable {
  /// An answer with its moment.
  private struct Entry: Hashable, Sendable {
    let txn: String
    let at: SceneTime
    let answer: [UInt8]
  }

  /// The answers, the oldest first; those before `start` are forgotten.
  private var entries: [Entry] = []
  private var start = 0
  /// Where an answer stands, counted from the first that ever was; empty while there are so few that a search is as fast.
  private var places: [String: Int] = [:]
  private static let few = 16
  private var dropped = 0

  /// How many are remembered.
  var count: Int { entries.count - start }

  /// The remembered ones, the oldest first.
  private var remembered: ArraySlice<Entry> { entries[start...] }

  /// The answer to a request, while it is remembered.
  func answer(to txn: String) -> Answer? {
    let entry: Entry?
    if places.isEmpty { entry = remembered.last { $0.txn == txn } } else { entry = places[txn].map { entries[$0 - dropped] } }
    guard let entry else { return nil }
    if let answer = try? Answer(txn: entry.txn, compact: entry.answer) { return answer }
    // Done it was: what cannot be said any more is no reason to do it once more.
    let refusal = Refusal(code: .journalCorrupt, message: "\(entry.txn) was answered; its answer cannot be read any more")
    return Answer(txn: entry.txn, caller: "", seq: nil, resolution: .refused(refusal))
  }

  /// Remembers an answer and forgets those that the settings no longer cover.
  mutating func remember(_ answer: Answer, at time: SceneTime, _ settings: SceneSettings) {
    append(Entry(txn: answer.txn, at: time, answer: answer.compact))
    while count > settings.rememberedAlways,
      count > settings.remembered || entries[start].at.advanced(by: UInt64(settings.memory)) < time
    {
      if !places.isEmpty {
        let forgotten = entries[start].txn
        if places[forgotten] == dropped + start { places[forgotten] = nil }
      }
      start += 1
    }
    if start > 64, start * 2 > entries.count {
      entries.removeFirst(start)
      dropped += start
      start = 0
    }
  }

  private mutating func append(_ entry: Entry) {
    entries.appendTightly(entry)
    if !places.isEmpty {
      places[entry.txn] = dropped + entries.count - 1
    } else if count > Self.few {
      for place in start..<entries.count { places[entries[place].txn] = dropped + place }
    }
  }
}

extension Array {
  /// Appends with little to spare while the array is small: there are many small scenes.
  mutating func appendTightly(_ element: Element) {
    if count == capacity, count < 16 { reserveCapacity(count + 2) }
    append(element)
  }
}

extension TxnMemory: Codable {
  /// What snapshots of an older format hold.
  private struct Loose: Codable {
    let answer: Answer
    let at: SceneTime
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = try? container.decode([UInt8].self) else {
      for old in try container.decode([Loose].self) { append(Entry(txn: old.answer.txn, at: old.at, answer: old.answer.compact)) }
      return
    }
    var reader = CompactReader(bytes)
    let entries = try reader.list { (reader) throws(CompactError) in
      let txn = try reader.text()
      let at = SceneTime(milliseconds: try reader.number())
      return Entry(txn: txn, at: at, answer: try reader.blob())
    }
    try reader.finish()
    for entry in entries { append(entry) }
  }

  func encode(to encoder: any Encoder) throws {
    var writer = CompactWriter(capacity: count * 160 + 16)
    writer.list(Array(remembered)) { writer, entry in
      writer.text(entry.txn)
      writer.number(entry.at.milliseconds)
      writer.blob(entry.answer)
    }
    var container = encoder.singleValueContainer()
    try container.encode(writer.bytes)
  }

  static func == (a: TxnMemory, b: TxnMemory) -> Bool { a.remembered == b.remembered }

  func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for entry in remembered { hasher.combine(entry.txn) }
  }
}

/// When and why the last screens left (N13): what `nav.stale_ref` tells.
struct Departures: Hashable, Sendable, Codable {
  /// One that left.
  struct Entry: Hashable, Sendable, Codable {
    let screen: ScreenID
    let module: String
    let seq: UInt64
    let reason: RemovalReason
  }

  /// How many are told of; older ones are only known to be gone.
  private static let bound = 512
  private var entries: [Entry] = []

  /// What is known of a screen that left.
  func entry(_ id: ScreenID) -> Entry? {
    entries.last { $0.screen == id }
  }

  /// Notes that a screen left. Constant time on average.
  mutating func note(_ entry: Entry) {
    entries.append(entry)
    if entries.count >= 2 * Self.bound { entries.removeFirst(Self.bound) }
  }
}
