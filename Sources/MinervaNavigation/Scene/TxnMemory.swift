/// The answers that were given, so that a request submitted again is not done again (N2).
///
/// Kept one after another in the compact form that snapshots have: there are many, few are ever asked for, and what is neither one object
/// each nor looked at again costs next to nothing to keep and to forget.
struct TxnMemory: Hashable, Sendable {
  /// Where an answer stands, and what finds it and lets it go.
  private struct Entry: Sendable {
    /// Counted from the first byte that ever was.
    let offset: Int
    let at: SceneTime
    let hash: UInt32
  }

  /// The answers, the oldest first, each with its txn and moment; those of entries before `start` are forgotten.
  private var text = CompactWriter(capacity: 0)
  private var entries: [Entry] = []
  private var start = 0
  /// How many bytes and entries were cut off so far.
  private var dropped = (bytes: 0, entries: 0)
  private var places = AnswerPlaces()

  /// So few are searched one after another.
  private static let few = 16

  /// How many are remembered.
  var count: Int { entries.count - start }

  /// The remembered ones as snapshots have them.
  private var remembered: ArraySlice<UInt8> {
    text.bytes[(start < entries.count ? entries[start].offset - dropped.bytes : text.bytes.count)...]
  }

  init() {}

  /// The answer to a request, while it is remembered: the last one, should there be several.
  func answer(to txn: String) -> Answer? {
    let hash = AnswerPlaces.hash(txn)
    if !places.isEmpty { return places.last(of: hash, since: dropped.entries + start) { found(txn, at: $0 - dropped.entries) } }
    for index in entries.indices[start...].reversed() where entries[index].hash == hash {
      if let answer = found(txn, at: index) { return answer }
    }
    return nil
  }

  private func found(_ txn: String, at index: Int) -> Answer? {
    var reader = CompactReader(text.bytes, from: entries[index].offset - dropped.bytes)
    do throws(CompactError) {
      guard try reader.text() == txn else { return nil }
      _ = try reader.number()
      return try Answer(txn: txn, compact: try reader.blob())
    } catch {
      // Done it was: what cannot be said any more is no reason to do it once more.
      let refusal = Refusal(code: .journalCorrupt, message: "\(txn) was answered; its answer cannot be read any more")
      return Answer(txn: txn, caller: "", seq: nil, resolution: .refused(refusal))
    }
  }

  /// Remembers an answer and forgets those that the settings no longer cover.
  mutating func remember(_ answer: Answer, at time: SceneTime, _ settings: SceneSettings) {
    append(answer.txn, at: time, answer.compact)
    while count > settings.rememberedAlways,
      count > settings.remembered || entries[start].at.advanced(by: UInt64(settings.memory)) < time
    {
      start += 1
    }
    guard start > 64, start * 2 > entries.count else { return }
    let bytes = text.bytes.count - remembered.count
    text.removeFirst(bytes)
    entries.removeFirst(start)
    dropped.bytes += bytes
    dropped.entries += start
    start = 0
  }

  private mutating func append(_ txn: String, at time: SceneTime, _ answer: [UInt8]) {
    let entry = Entry(offset: dropped.bytes + text.bytes.count, at: time, hash: AnswerPlaces.hash(txn))
    text.reserveTightly(txn.utf8.count + answer.count + 16)
    text.text(txn)
    text.number(time.milliseconds)
    text.blob(answer)
    entries.appendTightly(entry)
    guard count > Self.few else { return }
    if places.isFull { places = AnswerPlaces(of: entries[start...].lazy.map(\.hash), from: dropped.entries + start) }
    // Whoever made the table anew has this one in it.
    if places.count < dropped.entries + entries.count { places.append(entry.hash) }
  }
}

/// Where answers stand, by the hash of their txn: in slots, each in the first free one from where its hash points.
///
/// What was forgotten stays until the table is made anew, and is passed over.
private struct AnswerPlaces: Sendable {
  /// A hash above, below it one more than how far its number is from the first; 0 is a free slot.
  private var slots: [UInt64] = []
  private var used = 0
  /// How many numbers were given, those before the table was made included.
  private(set) var count = 0
  private var first = 0

  init() {}

  /// A table with room for at least half as many again.
  init(of hashes: some Collection<UInt32>, from number: Int) {
    var size = 64
    while size * 2 < hashes.count * 3 { size *= 2 }
    slots = [UInt64](repeating: 0, count: size)
    first = number
    count = number
    for hash in hashes { append(hash) }
  }

  var isEmpty: Bool { slots.isEmpty }
  var isFull: Bool { used * 4 >= slots.count * 3 }

  /// Gives the next number to a hash.
  mutating func append(_ hash: UInt32) {
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt64(hash) << 32 | UInt64(count - first + 1)
    used += 1
    count += 1
  }

  /// What a hash's last number that counts leads to.
  func last<Value>(of hash: UInt32, since number: Int, _ find: (Int) -> Value?) -> Value? {
    var slot = Int(hash) & (slots.count - 1)
    var last: Value?
    // Those of one hash stand in the order of their numbers.
    while slots[slot] != 0 {
      if UInt32(truncatingIfNeeded: slots[slot] >> 32) == hash {
        let candidate = first + Int(slots[slot] & 0xFFFF_FFFF) - 1
        if candidate >= number, let value = find(candidate) { last = value }
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return last
  }

  /// FNV-1a, the same in every process.
  static func hash(_ text: String) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return hash
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
      for old in try container.decode([Loose].self) { append(old.answer.txn, at: old.at, old.answer.compact) }
      return
    }
    var reader = CompactReader(bytes)
    let entries = try reader.list { (reader) throws(CompactError) in
      (txn: try reader.text(), at: try reader.number(), answer: try reader.blob())
    }
    try reader.finish()
    for entry in entries { append(entry.txn, at: SceneTime(milliseconds: entry.at), entry.answer) }
  }

  func encode(to encoder: any Encoder) throws {
    let remembered = remembered
    var writer = CompactWriter(capacity: remembered.count + 16)
    writer.number(UInt64(count))
    writer.raw(remembered)
    var container = encoder.singleValueContainer()
    try container.encode(writer.bytes)
  }

  static func == (a: TxnMemory, b: TxnMemory) -> Bool { a.count == b.count && a.remembered == b.remembered }

  func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for entry in entries[start...] { hasher.combine(entry.hash) }
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
