import ListDiff

/// Heckel's algorithm (1978) as it is most often written: a symbol table on `Dictionary`, an object for each symbol, shared by both
/// lists. The opponent in the bench; used nowhere else.
enum PlainHeckel {
  private final class Symbol {
    var oldCount = 0
    var newCount = 0
    var oldLine = 0
  }

  private enum Link {
    case symbol(Symbol)
    case line(Int)
  }

  enum Change {
    case delete(Int)
    case insert(Int)
    case move(from: Int, to: Int)
    case update(old: Int, new: Int)
  }

  @inline(__always)
  static func changes<Row: Diffable>(_ old: [Row], _ new: [Row]) -> [Change] {
    var table: [Row.DiffID: Symbol] = [:]
    table.reserveCapacity(max(old.count, new.count))
    var newLinks: [Link] = []
    newLinks.reserveCapacity(new.count)
    var oldLinks: [Link] = []
    oldLinks.reserveCapacity(old.count)
    // Passes 1 and 2: both lists into the table.
    for row in new {
      let symbol = entry(row.diffID, &table)
      symbol.newCount += 1
      newLinks.append(.symbol(symbol))
    }
    for (line, row) in old.enumerated() {
      let symbol = entry(row.diffID, &table)
      symbol.oldCount += 1
      symbol.oldLine = line
      oldLinks.append(.symbol(symbol))
    }
    // Pass 3: what occurs once in both is the same.
    for index in newLinks.indices {
      guard case .symbol(let symbol) = newLinks[index], symbol.oldCount == 1, symbol.newCount == 1 else { continue }
      newLinks[index] = .line(symbol.oldLine)
      oldLinks[symbol.oldLine] = .line(index)
    }
    // Passes 4 and 5: the same symbols next to a pair are one too.
    for index in newLinks.indices.dropLast() {
      guard case .line(let line) = newLinks[index], line + 1 < oldLinks.count else { continue }
      pair(index + 1, line + 1, &newLinks, &oldLinks)
    }
    for index in newLinks.indices.dropFirst().reversed() {
      guard case .line(let line) = newLinks[index], line > 0 else { continue }
      pair(index - 1, line - 1, &newLinks, &oldLinks)
    }
    return script(old, new, oldLinks, newLinks)
  }

  @inline(__always)
  private static func entry<ID: Hashable>(_ id: ID, _ table: inout [ID: Symbol]) -> Symbol {
    if let symbol = table[id] { return symbol }
    let symbol = Symbol()
    table[id] = symbol
    return symbol
  }

  @inline(__always)
  private static func pair(_ index: Int, _ line: Int, _ newLinks: inout [Link], _ oldLinks: inout [Link]) {
    guard case .symbol(let a) = newLinks[index], case .symbol(let b) = oldLinks[line], a === b else { return }
    newLinks[index] = .line(line)
    oldLinks[line] = .line(index)
  }

  /// Pass 6: a row moved when the deletes and inserts before it do not explain its place.
  @inline(__always)
  private static func script<Row: Diffable>(_ old: [Row], _ new: [Row], _ oldLinks: [Link], _ newLinks: [Link]) -> [Change] {
    var changes: [Change] = []
    var deletesBefore = [Int](repeating: 0, count: old.count)
    var deletes = 0
    for (line, link) in oldLinks.enumerated() {
      deletesBefore[line] = deletes
      if case .symbol = link {
        changes.append(.delete(line))
        deletes += 1
      }
    }
    var inserts = 0
    for (index, link) in newLinks.enumerated() {
      guard case .line(let line) = link else {
        changes.append(.insert(index))
        inserts += 1
        continue
      }
      if !old[line].hasSameContent(as: new[index]) { changes.append(.update(old: line, new: index)) }
      if line - deletesBefore[line] + inserts != index { changes.append(.move(from: line, to: index)) }
    }
    return changes
  }
}
