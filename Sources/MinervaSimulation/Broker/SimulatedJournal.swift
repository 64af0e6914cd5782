import MinervaJournal

/// The broker's journal over the simulated disk: groups and snapshots as framed records, an epoch for each opening.
///
/// Opening cuts the disk at the last whole frame: what a crash has torn is gone, what a completed sync covers is not.
final class SimulatedJournal {
  struct Refused: Error {}

  private enum Kind: UInt8 {
    case epoch = 1
    case group = 2
    case snapshot = 3
    case rest = 4
  }

  private let disk: SimulatedDisk
  private(set) var epoch: UInt64 = 0
  /// All records of a scene from number 1, and its snapshots.
  private(set) var records: [String: [JournalEntry]] = [:]
  private var snapshots: [String: [JournalSnapshot]] = [:]
  private var rests: [String: JournalRest] = [:]
  /// How far each scene is on the disk for sure.
  private(set) var durable: [String: UInt64] = [:]

  init(disk: SimulatedDisk) {
    self.disk = disk
    open()
  }

  /// Reads what is whole, cuts the rest, and takes the next epoch durably.
  private func open() {
    records = [:]
    snapshots = [:]
    rests = [:]
    let bytes = disk.contents
    var offset = 0
    while let (kind, payload, next) = SimulatedJournal.frame(bytes, at: offset) {
      take(kind, payload)
      offset = next
    }
    disk.truncate(to: offset)
    epoch += 1
    write(.epoch, SimulatedJournal.number(epoch))
    disk.secure()
    durable = records.mapValues { UInt64($0.count) }
  }

  /// Opens anew after a failed sync: what it threw away is given up.
  func reopen() -> UInt64 {
    disk.forgetUnsafe()
    open()
    return epoch
  }

  private func take(_ kind: Kind, _ payload: ArraySlice<UInt8>) {
    var reader = Reader(bytes: payload)
    switch kind {
    case .epoch: epoch = max(epoch, reader.number())
    case .group:
      for _ in 0..<reader.number() {
        let entry = JournalEntry(scene: reader.text(), sequence: reader.number(), record: reader.blob())
        records[entry.scene, default: []].append(entry)
      }
    case .snapshot:
      let snapshot = JournalSnapshot(scene: reader.text(), sequence: reader.number(), bytes: reader.blob())
      snapshots[snapshot.scene, default: []].append(snapshot)
    case .rest:
      let rest = JournalRest(scene: reader.text(), sequence: reader.number(), note: reader.blob())
      rests[rest.scene] = rest
    }
  }

  // MARK: Writing

  /// Writes a group; it is safe when a sync that begins after this has completed.
  ///
  /// - Throws: when a record does not follow the one before it: a defect of whoever writes.
  func append(_ group: [JournalEntry]) throws(Refused) {
    var payload = SimulatedJournal.number(UInt64(group.count))
    for entry in group {
      guard entry.sequence == UInt64(records[entry.scene]?.count ?? 0) + 1 else { throw Refused() }
      records[entry.scene, default: []].append(entry)
      payload += SimulatedJournal.blob(Array(entry.scene.utf8)) + SimulatedJournal.number(entry.sequence)
      payload += SimulatedJournal.blob(entry.record)
    }
    write(.group, payload)
  }

  func append(_ snapshot: JournalSnapshot) {
    snapshots[snapshot.scene, default: []].append(snapshot)
    write(
      .snapshot,
      SimulatedJournal.blob(Array(snapshot.scene.utf8)) + SimulatedJournal.number(snapshot.sequence) + SimulatedJournal.blob(snapshot.bytes)
    )
  }

  func append(_ rest: JournalRest) {
    rests[rest.scene] = rest
    write(
      .rest, SimulatedJournal.blob(Array(rest.scene.utf8)) + SimulatedJournal.number(rest.sequence) + SimulatedJournal.blob(rest.note))
  }

  /// What a sync covers when it completes.
  typealias Extent = (disk: Int, heads: [String: UInt64])

  func beginSync() -> Extent { (disk.beginSync(), records.mapValues { UInt64($0.count) }) }

  func completeSync(_ covered: Extent) throws(SimulatedDisk.SyncFailed) {
    try disk.completeSync(covered.disk)
    durable.merge(covered.heads) { max($0, $1) }
  }

  /// How far each scene is, and what was noted of those at rest.
  func heads() -> [JournaledHead] {
    records.keys.sorted().map { scene in
      let sequence = UInt64(records[scene]?.count ?? 0)
      let snapshot = snapshots[scene]?.last { $0.sequence <= sequence }
      return JournaledHead(
        scene: scene, sequence: sequence, snapshotSequence: snapshot?.sequence ?? 0,
        rest: rests[scene].flatMap { $0.sequence == sequence ? $0.note : nil })
    }
  }

  /// Every scene as its latest snapshot and the records after it.
  func load() -> [JournaledScene] { records.keys.sorted().compactMap(load) }

  /// One scene, if there is anything of it.
  func load(_ scene: String) -> JournaledScene? {
    guard let all = records[scene] else { return nil }
    let snapshot = snapshots[scene]?.last { $0.sequence <= UInt64(all.count) }
    return JournaledScene(scene: scene, snapshot: snapshot, records: Array(all[Int(snapshot?.sequence ?? 0)...]))
  }

  // MARK: Frames

  /// Length, checksum, kind, payload.
  private func write(_ kind: Kind, _ payload: [UInt8]) {
    let body = [kind.rawValue] + payload
    disk.append(SimulatedJournal.number(UInt64(body.count)) + SimulatedJournal.number(SimulatedJournal.sum(body[...])) + body)
  }

  private static func frame(_ bytes: [UInt8], at offset: Int) -> (Kind, ArraySlice<UInt8>, Int)? {
    var header = Reader(bytes: bytes[offset...])
    guard bytes.count - offset >= 17 else { return nil }
    let (length, expected) = (header.number(), header.number())
    guard length >= 1, length <= UInt64(bytes.count - offset - 16) else { return nil }
    let body = bytes[offset + 16..<offset + 16 + Int(length)]
    guard sum(body) == expected, let kind = body.first.flatMap(Kind.init(rawValue:)) else { return nil }
    return (kind, body.dropFirst(), offset + 16 + Int(length))
  }

  private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  private static func number(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) } }
  private static func blob(_ bytes: [UInt8]) -> [UInt8] { number(UInt64(bytes.count)) + bytes }

  /// Reads what `number` and `blob` wrote, within a frame whose checksum holds.
  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func number() -> UInt64 {
      defer { bytes = bytes.dropFirst(8) }
      return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func blob() -> [UInt8] {
      let count = Int(number())
      defer { bytes = bytes.dropFirst(count) }
      return Array(bytes.prefix(count))
    }

    mutating func text() -> String { String(decoding: blob(), as: UTF8.self) }
  }
}
