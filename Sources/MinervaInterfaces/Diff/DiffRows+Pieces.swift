import ListDiff
public import MinervaWire

extension DiffRows {
  /// The same rows in pieces of about so many bytes, in order: appended one to another they are the list again.
  ///
  /// A piece may hold rows, or sections, or the end of the sections and the first rows. A row larger than the size is a piece of its own.
  /// - Complexity: O(bytes). Offsets that descend or leave the blob make no pieces: such a list is sent as one.
  public func pieces(of size: Int) -> [DiffRows] {
    guard byteCount > size, (try? check()) != nil else { return [self] }
    var pieces: [DiffRows] = []
    var (section, row) = (0, 0)
    let sectionCount = sections?.count ?? 0
    while section < sectionCount || row < count {
      var piece = DiffRows(contents: emptyContents, sections: sections == nil ? nil : DiffSections())
      var bytes = 0
      if let sections, section < sectionCount {
        let end = Self.end(from: section, of: sectionCount, size, &bytes) { sections.bytes(of: $0) }
        piece.sections = sections.slice(section..<end)
        section = end
      }
      if section == sectionCount, row < count, bytes == 0 || bytes < size {
        let end = Self.end(from: row, of: count, size, &bytes) { self.bytes(of: $0) }
        piece.takeRows(row..<end, of: self)
        row = end
      }
      pieces.append(piece)
    }
    return pieces
  }

  /// Appends the columns of a piece. More than 2³² bytes are noticed when the list is compared.
  ///
  /// - Throws: `bus.bad_message` for a piece whose rows have another kind of content.
  public mutating func append(_ piece: DiffRows) throws(MinervaError) {
    switch (contents, piece.contents) {
    case (.none, .none), (.hashes, .hashes), (.bytes, .bytes): break
    default: throw .badMessage("a piece of the list has another kind of content than the one before")
    }
    let base = UInt32(clamping: identifiers.count)
    identifiers.append(contentsOf: piece.identifiers)
    offsets.append(contentsOf: piece.offsets.dropFirst().lazy.map { $0 &+ base })
    switch (contents, piece.contents) {
    case (.hashes(var hashes), .hashes(let more)):
      contents = .none
      hashes.append(contentsOf: more)
      contents = .hashes(hashes)
    case (.bytes(var bytes, var ends), .bytes(let more, let moreEnds)):
      contents = .none
      let base = UInt32(clamping: bytes.count)
      bytes.append(contentsOf: more)
      ends.append(contentsOf: moreEnds.dropFirst().lazy.map { $0 &+ base })
      contents = .bytes(bytes, offsets: ends)
    default: break
    }
    guard let more = piece.sections else { return }
    var sections = sections ?? DiffSections()
    self.sections = nil
    sections.append(more)
    self.sections = sections
  }

  private var emptyContents: ByteList.Contents {
    switch contents {
    case .none: .none
    case .hashes: .hashes([])
    case .bytes: .bytes([], offsets: [0])
    }
  }

  private func bytes(of row: Int) -> Int {
    let identifier = Int(offsets[row + 1] - offsets[row]) + 4
    switch contents {
    case .none: return identifier
    case .hashes: return identifier + 8
    case .bytes(_, let ends): return identifier + Int(ends[row + 1] - ends[row]) + 4
    }
  }

  /// The end of as many elements as fit beside what is there, one at least.
  private static func end(from start: Int, of count: Int, _ size: Int, _ bytes: inout Int, _ cost: (Int) -> Int) -> Int {
    var end = start
    while end < count, bytes == 0 || bytes + cost(end) <= size {
      bytes += cost(end)
      end += 1
    }
    return end
  }

  private mutating func takeRows(_ rows: Range<Int>, of list: DiffRows) {
    identifiers = Array(list.identifiers[Int(list.offsets[rows.lowerBound])..<Int(list.offsets[rows.upperBound])])
    offsets = Self.rebased(list.offsets, rows)
    switch list.contents {
    case .none: break
    case .hashes(let hashes): contents = .hashes(Array(hashes[rows]))
    case .bytes(let bytes, let ends):
      contents = .bytes(Array(bytes[Int(ends[rows.lowerBound])..<Int(ends[rows.upperBound])]), offsets: Self.rebased(ends, rows))
    }
  }

  fileprivate static func rebased(_ offsets: [UInt32], _ range: Range<Int>) -> [UInt32] {
    let base = offsets[range.lowerBound]
    return offsets[range.lowerBound...range.upperBound].map { $0 - base }
  }
}

extension DiffSections {
  fileprivate func bytes(of section: Int) -> Int { Int(offsets[section + 1] - offsets[section]) + 16 }

  fileprivate func slice(_ range: Range<Int>) -> DiffSections {
    DiffSections(
      identifiers: Array(identifiers[Int(offsets[range.lowerBound])..<Int(offsets[range.upperBound])]),
      offsets: DiffRows.rebased(offsets, range), contents: Array(contents[range]), rows: Array(rows[range]))
  }

  fileprivate mutating func append(_ more: DiffSections) {
    let base = UInt32(clamping: identifiers.count)
    identifiers.append(contentsOf: more.identifiers)
    offsets.append(contentsOf: more.offsets.dropFirst().lazy.map { $0 &+ base })
    contents.append(contentsOf: more.contents)
    rows.append(contentsOf: more.rows)
  }
}
