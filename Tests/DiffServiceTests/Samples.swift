@testable import DiffService
import Glibc
import MinervaInterfaces
import MinervaWire

/// Rows, owners and chance for the tests of the worker.
enum Samples {
  /// A seed of this run's own, or the one that `MINERVA_SEED` names.
  static let seed = getenv("MINERVA_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: .min ... .max)
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
