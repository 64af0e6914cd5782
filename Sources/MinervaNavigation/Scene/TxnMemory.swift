/// The answers that were given, so that a request submitted again is not done again (N2).
struct TxnMemory: Hashable, Sendable {
  /// An answer with its moment.
  struct Entry: Hashable, Sendable, Codable {
    let answer: Answer
    let at: SceneTime
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
  var remembered: ArraySlice<Entry> { entries[start...] }

  /// The answer to a request, while it is remembered.
  func answer(to txn: String) -> Answer? {
    if places.isEmpty { return remembered.last { $0.answer.txn == txn }?.answer }
    return places[txn].map { entries[$0 - dropped].answer }
  }

  /// Remembers an answer and forgets those that the settings no longer cover.
  mutating func remember(_ answer: Answer, at time: SceneTime, _ settings: SceneSettings) {
    entries.appendTightly(Entry(answer: answer, at: time))
    if !places.isEmpty {
      places[answer.txn] = dropped + entries.count - 1
    } else if count > Self.few {
      index()
    }
    while count > settings.rememberedAlways,
      count > settings.remembered || entries[start].at.advanced(by: UInt64(settings.memory)) < time
    {
      let forgotten = entries[start].answer.txn
      if !places.isEmpty, places[forgotten] == dropped + start { places[forgotten] = nil }
      start += 1
    }
    if start > 64, start * 2 > entries.count {
      entries.removeFirst(start)
      dropped += start
      start = 0
    }
  }

  /// Notes where each answer stands.
  private mutating func index() {
    for place in start..<entries.count { places[entries[place].answer.txn] = dropped + place }
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
  init(from decoder: any Decoder) throws {
    entries = try decoder.singleValueContainer().decode([Entry].self)
    if entries.count > Self.few { index() }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Array(remembered))
  }

  static func == (a: TxnMemory, b: TxnMemory) -> Bool { a.remembered == b.remembered }

  func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for entry in remembered { hasher.combine(entry.answer.txn) }
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
