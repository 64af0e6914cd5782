@testable import DiffService
import Glibc
import MinervaInterfaces
import MinervaWire

/// Rows, owners and chance for the tests of the worker.
enum Samples {
  static let anna = DiffShelf.Owner(node: "anna", incarnation: 1)
  static let bert = DiffShelf.Owner(node: "bert", incarnation: 2)

  static func rows(_ ids: some Sequence<Int>, content: Int = 0) -> DiffRows {
    var rows = DiffRows()
    for id in ids { rows.append("row \(id)".utf8, content: content) }
    return rows
  }

  static func withContents(_ ids: some Sequence<Int>, _ content: (Int) -> String = { "content \($0)" }) -> DiffRows {
    var rows = DiffRows()
    for id in ids { rows.append("row \(id)".utf8, content: content(id).utf8) }
    return rows
  }

  static func sectioned(_ sections: [(String, [Int])]) -> DiffRows {
    var rows = DiffRows(sections: DiffSections())
    for (name, ids) in sections {
      for id in ids { rows.append("row \(id)".utf8, content: id) }
      rows.appendSection(name.utf8, content: 1, rows: ids.count)
    }
    return rows
  }
}

/// A generator whose seed a failure prints (SplitMix64; Steele, Lea, Flood 2014).
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A seed of this run's own, or the one that `MINERVA_SEED` names.
  static let seed = getenv("MINERVA_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: .min ... .max)
}

/// The code of the error that a body throws; nil when it throws none.
func code(_ body: () throws -> Void) -> MinervaError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? MinervaError)?.code
  }
}

func code(_ body: () async throws -> Void) async -> MinervaError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? MinervaError)?.code
  }
}
