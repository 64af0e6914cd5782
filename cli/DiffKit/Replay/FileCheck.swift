package import ListDiff

/// Checks the forms of a change set against the files: replays them on row numbers, then compares what comes out byte for byte.
package struct FileCheck: Sendable {
  package let diff: FileDiff

  package init(_ diff: FileDiff) { self.diff = diff }

  /// Replays the batch.
  ///
  /// - Throws: What is wrong, in words.
  package func batch(_ changes: FileChanges) throws(Replay.Fault) {
    switch changes {
    case .flat(let changes):
      try compare(try Replay.batch(Replay.Batch(changes), on: oldRows, count: diff.new.rows.count, fresh: Replay.fresh), "the batch")
    case .sectioned(let changes):
      try compare(try Replay.batch(Replay.SectionBatch(changes), on: oldSections, new: newSections), "the batch")
    }
  }

  /// Replays the sequential script one step after the other.
  package func steps(_ steps: FileSteps) throws(Replay.Fault) {
    switch steps {
    case .flat(let steps): try compare(try Replay.steps(steps, on: oldRows), "the script")
    case .sectioned(let steps): try compare(try Replay.steps(steps, on: oldSections, new: newSections), "the script")
    }
  }

  /// Replays each stage on the list before it and compares it with the stage's own data; the last one is the new list.
  package func stages(_ stages: FileStages) throws(Replay.Fault) {
    switch stages {
    case .flat(let stages):
      var list = oldRows
      for (number, stage) in stages.enumerated() {
        let data = stage.data.map(\.number)
        try ViewRules.check(Replay.Batch(stage.changes), old: list.count, new: data.count)
        list = try Replay.batch(Replay.Batch(stage.changes), on: list, count: data.count) { data[$0] }
        try same(list, data, "stage \(number + 1)")
      }
      try compare(list, "the last stage")
    case .sectioned(let stages):
      var list = oldSections
      for (number, stage) in stages.enumerated() {
        let data = Replay.Sections(ids: stage.data.map(\.number), rows: stage.data.map { $0.items.map(\.number) })
        try ViewRules.check(Replay.SectionBatch(stage.changes), old: list.rows.map(\.count), new: data.rows.map(\.count))
        list = try Replay.batch(Replay.SectionBatch(stage.changes), on: list, new: data)
        guard list.ids.count == data.ids.count, list.rows.map(\.count) == data.rows.map(\.count) else {
          throw Replay.Fault("stage \(number + 1) gives sections of other lengths than its data")
        }
        try same(Array(list.rows.joined()), Array(data.rows.joined()), "stage \(number + 1)")
      }
      try compare(list, "the last stage")
    }
  }

  private var oldRows: [Int] { Array(0..<diff.old.rows.count) }

  private var oldSections: Replay.Sections { FileCheck.sections(diff.old) { $0 } }
  private var newSections: Replay.Sections { FileCheck.sections(diff.new, Replay.fresh) }

  private static func sections(_ file: ListFile, _ number: (Int) -> Int) -> Replay.Sections {
    var base = 0
    let counts = file.sections?.counts ?? []
    let rows = counts.map { count in
      defer { base += count }
      return (base..<(base + count)).map(number)
    }
    return Replay.Sections(ids: counts.indices.map(number), rows: rows)
  }

  private func compare(_ sections: Replay.Sections, _ what: String) throws(Replay.Fault) {
    let new = diff.new.sections ?? (ByteList(), [])
    let old = diff.old.sections?.ids ?? ByteList()
    guard sections.ids.count == new.counts.count, sections.rows.map(\.count) == new.counts else {
      throw Replay.Fault("\(what) gives sections of other lengths than the new file has")
    }
    for (position, id) in sections.ids.enumerated() {
      let bytes = id < 0 ? new.ids[-1 - id] : old[id]
      guard bytes == new.ids[position] else { throw Replay.Fault("\(what) gives another section at \(position) than the new file has") }
    }
    try compare(Array(sections.rows.joined()), what)
  }

  private func compare(_ rows: [Int], _ what: String) throws(Replay.Fault) {
    guard rows.count == diff.new.rows.count else {
      throw Replay.Fault("\(what) gives \(rows.count) rows, the new file has \(diff.new.rows.count)")
    }
    try same(rows, rows.indices.map(Replay.fresh), what)
  }

  /// Compares identifiers and contents.
  private func same(_ found: [Int], _ wanted: [Int], _ what: String) throws(Replay.Fault) {
    guard found.count == wanted.count else { throw Replay.Fault("\(what) gives \(found.count) rows instead of \(wanted.count)") }
    let (old, new) = (RowBytes(diff.old.rows), RowBytes(diff.new.rows))
    for (position, (a, b)) in zip(found, wanted).enumerated() where a != b {
      let one = a < 0 ? new.row(-1 - a) : old.row(a)
      let other = b < 0 ? new.row(-1 - b) : old.row(b)
      guard one.id == other.id, one.content == other.content else {
        throw Replay.Fault("\(what) gives another row at \(position) than there should be")
      }
    }
  }
}

/// The bytes of rows, by number.
private struct RowBytes {
  let list: ByteList
  let contents: (bytes: [UInt8], offsets: [UInt32])?

  init(_ list: ByteList) {
    self.list = list
    if case .bytes(let bytes, let offsets) = list.contents { contents = (bytes, offsets) } else { contents = nil }
  }

  func row(_ index: Int) -> (id: ArraySlice<UInt8>, content: ArraySlice<UInt8>) {
    (list[index], contents.map { $0.bytes[Int($0.offsets[index])..<Int($0.offsets[index + 1])] } ?? [])
  }
}

extension Replay.Batch {
  package init(_ changes: ChangeSet) {
    self.init()
    deletes = Array(changes.deletes)
    inserts = Array(changes.inserts)
    moves = changes.moves.map { ($0.from, $0.to) }
    updates = changes.updates.map { ($0.old, $0.new) }
  }
}

extension Replay.SectionBatch {
  package init(_ changes: SectionedChangeSet) {
    self.init()
    func path(_ path: ItemPath) -> Replay.Path { Replay.Path(path.section, path.item) }
    sections = Replay.Batch(changes.sections)
    deletes = changes.items.deletes.map(path)
    inserts = changes.items.inserts.map(path)
    moves = changes.items.moves.map { (path($0.from), path($0.to)) }
    updates = changes.items.updates.map { (path($0.old), path($0.new)) }
  }
}
