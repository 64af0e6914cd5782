extension RangeReplaceableCollection where Self: BidirectionalCollection {
  /// Does what ``Action/move(_:_:of:)`` asks: takes the element with one identifier to a place before or after the element with another.
  ///
  /// ```swift
  /// case .move(let row, let place, let other): state.tasks.move(row, place, of: other) { $0.id }
  /// ```
  /// - Returns: Whether both are there; without both nothing changes.
  /// - Complexity: O(*n*).
  @discardableResult
  public mutating func move(_ row: String, _ place: Action.Placement, of other: String, id: (Element) -> String) -> Bool {
    func isMeant(_ element: Element, _ name: String) -> Bool { id(element).utf8.elementsEqual(name.utf8) }
    guard let from = firstIndex(where: { isMeant($0, row) }), contains(where: { isMeant($0, other) }) else { return false }
    guard !row.utf8.elementsEqual(other.utf8) else { return true }
    let element = remove(at: from)
    guard let target = firstIndex(where: { isMeant($0, other) }) else { return false }
    insert(element, at: place == .before ? target : index(after: target))
    return true
  }
}

extension Array where Element == ListSection {
  /// Does what ``Action/move(_:_:of:)`` asks, inside a section or from one to another.
  ///
  /// - Returns: Whether both rows are there; without both nothing changes.
  @discardableResult
  public mutating func move(_ row: String, _ place: Action.Placement, of other: String) -> Bool {
    func find(_ name: String) -> (section: Int, item: Int)? {
      for (section, candidate) in enumerated() {
        if let item = candidate.cells.firstIndex(where: { $0.identifier.utf8.elementsEqual(name.utf8) }) { return (section, item) }
      }
      return nil
    }
    guard let from = find(row), find(other) != nil else { return false }
    guard !row.utf8.elementsEqual(other.utf8) else { return true }
    let cell = self[from.section].cells.remove(at: from.item)
    guard let target = find(other) else { return false }
    self[target.section].cells.insert(cell, at: place == .before ? target.item : target.item + 1)
    return true
  }
}
