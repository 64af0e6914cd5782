package import ListDiff

/// The stages of a diff of files; their data are row numbers.
package enum FileStages: Sendable {
  case flat([Stage<RowNumber>])
  case sectioned([SectionedStage<NumberedSection>])

  package init(_ changes: FileChanges, of diff: FileDiff) throws(DiffError) {
    switch changes {
    case .flat(let changes):
      self = .flat(
        try changes.stages(
          from: (0..<diff.old.rows.count).map(RowNumber.init), to: (0..<diff.new.rows.count).map { RowNumber(Replay.fresh($0)) }))
    case .sectioned(let changes):
      self = .sectioned(
        try changes.stages(from: NumberedSection.all(of: diff.old) { $0 }, to: NumberedSection.all(of: diff.new, Replay.fresh)))
    }
  }

  package var count: Int {
    switch self {
    case .flat(let stages): stages.count
    case .sectioned(let stages): stages.count
    }
  }

  /// The changes of each stage.
  package var changes: [FileChanges] {
    switch self {
    case .flat(let stages): stages.map { .flat($0.changes) }
    case .sectioned(let stages): stages.map { .sectioned($0.changes) }
    }
  }
}

/// A row by its number, as ``Replay`` has it.
package struct RowNumber: Diffable, Hashable, Sendable {
  package typealias DiffID = RowNumber
  package var number: Int

  init(_ number: Int) { self.number = number }
}

/// A section by its number, with its rows.
package struct NumberedSection: DiffableSection, Hashable, Sendable {
  package var number: Int
  package var items: [RowNumber]

  package var diffID: Int { number }
  package func replacingItems(_ items: [RowNumber]) -> NumberedSection { NumberedSection(number: number, items: items) }

  static func all(of file: ListFile, _ number: (Int) -> Int) -> [NumberedSection] {
    var base = 0
    return (file.sections?.counts ?? []).enumerated().map { section, count in
      defer { base += count }
      return NumberedSection(number: number(section), items: (base..<(base + count)).map { RowNumber(number($0)) })
    }
  }
}
