@testable import DiffService
import Foundation
import ListDiff
import MinervaInterfaces
import MinervaWire
import Testing

/// Jobs and pieces of bytes that were cut, flipped, lengthened or made up.
@Suite("The diff worker's decoder")
struct HostileJobTests {
  private static let sound: [[UInt8]] = {
    let flat = Samples.rows(0..<40), sections = Samples.sectioned([("A", [1, 2, 3]), ("B", [4])])
    let jobs = [
      DiffJob(id: "flat", old: flat, new: Samples.rows(5..<60)), DiffJob(id: "bytes", old: Samples.withContents(0..<9), new: flat),
      DiffJob(id: "parts", old: sections, new: Samples.sectioned([("B", [4, 1])]), duplicates: .reject, deadline: 50),
      DiffJob(id: "held", old: .held(version: 1), new: .rows(flat), list: DiffList("l", version: 2)),
      DiffJob(id: "sent", old: .sent(pieces: 1), new: .rows(flat), list: DiffList("l", version: 1)),
    ]
    return jobs.compactMap { try? CBOR.encode($0) }
  }()

  private static let pieces: [[UInt8]] = [Samples.rows(0..<40), Samples.withContents(0..<9), Samples.sectioned([("A", [1, 2])])].compactMap
  {
    try? CBOR.encode(DiffPiece(job: "sent", side: .old, number: 0, rows: $0))
  }

  /// Lengths and offsets that promise more than is there.
  private static let tails: [[UInt8]] = [
    [0xff, 0xff, 0xff, 0xff], [0x00, 0x00, 0x00, 0x80], [0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    [0x9b, 0, 0, 0, 1, 0, 0, 0, 0], [0xd9, 0xff, 0xff, 0x00], [0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  ]

  private func mutated(_ frames: [[UInt8]], _ chance: inout SplitMix64) -> [UInt8] {
    guard var bytes = frames.randomElement(using: &chance) else { return [] }
    for _ in 0..<Int.random(in: 1...4, using: &chance) {
      guard !bytes.isEmpty else { break }
      let at = Int.random(in: 0..<bytes.count, using: &chance)
      switch Int.random(in: 0..<7, using: &chance) {
      case 0: bytes[at] = UInt8.random(in: .min ... .max, using: &chance)
      case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
      case 2: bytes.remove(at: at)
      case 3: bytes.removeLast(Int.random(in: 1...min(40, bytes.count), using: &chance))
      case 4:
        let tail = Self.tails.randomElement(using: &chance) ?? []
        bytes.replaceSubrange(at..<min(bytes.count, at + tail.count), with: tail)
      case 5: bytes.insert(contentsOf: bytes[at...].prefix(8), at: at)
      default:
        let other = frames.randomElement(using: &chance) ?? []
        bytes.replaceSubrange(at..., with: other.dropFirst(min(at, other.count)))
      }
    }
    return bytes
  }

  @Test("Mutated jobs and pieces end in a valid answer or a typed error, and leave nothing behind")
  func mutations() async throws {
    let isDeep = ProcessInfo.processInfo.environment["MINERVA_DEEP"] != nil
    let seed = Samples.seed
    var chance = SplitMix64(seed: seed)
    let bench = DiffBench(limits: DiffLimits(jobBytes: 1 << 20, bytes: 4 << 20, hold: 0))
    var answered = 0, refused: [MinervaError.Code: Int] = [:]
    for round in 0..<(isDeep ? 300_000 : 8_000) {
      let owner = DiffShelf.Owner(node: "raw", incarnation: UInt64(round / 50))
      do {
        if round.isMultiple(of: 4) {
          try bench.take(try CBOR.decode(DiffPiece.self, from: mutated(Self.pieces, &chance)), of: owner)
        } else {
          let job = try CBOR.decode(DiffJob.self, from: mutated(Self.sound, &chance))
          let answer = try await bench.diff(job, of: owner)
          // Whatever lists came in: the answer is a change set, and about lists of this size.
          _ = try ChangeCounts(decoding: answer.changes)
          answered += 1
        }
      } catch let error as MinervaError {
        refused[error.code, default: 0] += 1
      }
      if round % 50 == 49 { bench.lost(owner) }
      #expect(bench.status.jobs == 0 && bench.status.bytes <= 4 << 20, "seed \(seed), round \(round)")
    }
    #expect(answered > 100 && (refused[.badMessage] ?? 0) > 1_000, "seed \(seed): \(answered) answered, \(refused)")
    let known: Set<MinervaError.Code> = [
      .badMessage, .tooLarge, .listStale, .diffDuplicate, .deadline, .diffSuperseded, .backpressure, .cancelled, .unsupported,
    ]
    #expect(Set(refused.keys).subtracting(known) == [], "seed \(seed)")
    #expect(bench.status.bytes == 0 || bench.status.lists > 0)
  }

  @Test("Columns cross the wire as they are, of every kind and size")
  func roundTrip() throws {
    for rows in [
      DiffRows(), DiffRows(sections: DiffSections()), Samples.rows(0..<300, content: -1), Samples.withContents(0..<30),
      Samples.sectioned([("A", []), ("", [1, 2])]), DiffRows(ByteList(["a", "b"])),
    ] {
      #expect(try CBOR.decode(DiffRows.self, from: CBOR.encode(rows)) == rows)
      let job = DiffJob(id: "j", old: .rows(rows), new: .sent(pieces: 3), list: DiffList("l", version: 7), life: .max)
      let back = try CBOR.decode(DiffJob.self, from: CBOR.encode(job))
      #expect(back.old == job.old && back.new == job.new && back.list == job.list && back.life == .max)
    }
    let ragged: [UInt8] = try CBOR.encode(["ids": [UInt8](), "offsets": [0, 0, 0]])
    #expect(code { _ = try CBOR.decode(DiffRows.self, from: ragged) } == .badMessage)
  }
}
