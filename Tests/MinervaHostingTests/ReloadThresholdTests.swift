import Foundation
import ListDiff
import Minerva
import MinervaInterfaces
import Testing

/// What stands behind `ListOptions.reloadsAboveByDefault`.
@Suite("When a list is replaced as a whole")
struct ReloadThresholdTests {
  /// A list of `count` rows with `edits` changes: deletes, inserts, updates and moves in equal parts, at places drawn evenly.
  private func changes(_ edits: Int, of count: Int) throws -> SectionedChangeSet {
    var random = SystemRandomNumberGenerator()
    func rows(_ numbers: [(id: Int, version: Int)]) throws -> SectionedByteList {
      try SectionedByteList(
        sections: ByteList(["rows"]), items: ByteList(numbers.map { "row \($0.id)" }, hashes: numbers.map { UInt64($0.version) }),
        counts: [numbers.count])
    }
    let old = (0..<count).map { (id: $0, version: 0) }
    let quarter = edits / 4
    let chosen = Set((0..<count).shuffled(using: &random).prefix(3 * quarter))
    var kept: [(id: Int, version: Int)] = []
    var coming = (0..<quarter).map { (id: count + $0, version: 0) }
    for (turn, row) in old.enumerated() {
      switch chosen.contains(turn) ? turn % 3 : 3 {
      case 0: continue
      case 1: kept.append((row.id, 1))
      case 2: coming.append(row)
      default: kept.append(row)
      }
    }
    let places = coming.map { _ in Int.random(in: 0...kept.count, using: &random) }.sorted()
    var new: [(id: Int, version: Int)] = []
    var next = 0
    for (place, row) in kept.enumerated() {
      while next < places.count, places[next] <= place {
        new.append(coming[next])
        next += 1
      }
      new.append(row)
    }
    new += coming[next...]
    return try Differ().changes(from: rows(old), to: rows(new))
  }

  /// Microseconds, the middle of eleven.
  private func middle(_ body: () throws -> Void) rethrows -> Int {
    var times: [Int] = []
    for _ in 0..<11 {
      let begin = ContinuousClock.now
      try body()
      times.append(Int((ContinuousClock.now - begin) / .microseconds(1)))
    }
    return times.sorted()[5]
  }

  /// Prints bytes and times, which the documentation of the threshold gives.
  @Test(
    "A change set of that many changes costs a viewer about what the window does that comes with it",
    .enabled(if: ProcessInfo.processInfo.environment["MINERVA_MEASURE"] != nil, "prints times; MINERVA_MEASURE=1"))
  func crossover() throws {
    let screen = Screen("List") {
      ListSection("rows", cells: (0..<ScreenRendering.carriedRows).map { DetailLabel("row \($0)", "Row number \($0)", detail: "detail") })
    }
    let window = try ScreenRendering(screen).encoded()
    let reading = try middle { _ = try ScreenRendering(encoded: window) }
    print("window of \(ScreenRendering.carriedRows) rows: \(window.count) bytes, read in \(reading) us")
    for edits in [100, 1_000, 3_000, 10_000, 20_000, 40_000, 80_000] {
      let changes = try changes(edits, of: 200_000)
      let bytes = changes.encoded()
      let reading = try middle { _ = try SectionedChangeSet(decoding: bytes) }
      print("\(changes.operationCount) changes: \(bytes.count) bytes, read in \(reading) us")
    }
  }
}
