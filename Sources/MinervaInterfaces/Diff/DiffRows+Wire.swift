import ListDiff
import MinervaWire

// On the wire columns of numbers are byte strings, little endian: a copy instead of a million small items.

extension DiffRows: Codable {
  private enum Keys: String, CodingKey {
    case ids, offsets, hashes, contents
    case contentOffsets = "content_offsets"
    case sections
  }

  public func encode(to encoder: any Encoder) throws {
    var keyed = encoder.container(keyedBy: Keys.self)
    try keyed.encode(identifiers, forKey: .ids)
    try keyed.encode(ColumnBytes.bytes(of: offsets), forKey: .offsets)
    switch contents {
    case .none: break
    case .hashes(let hashes): try keyed.encode(ColumnBytes.bytes(of: hashes), forKey: .hashes)
    case .bytes(let bytes, let offsets):
      try keyed.encode(bytes, forKey: .contents)
      try keyed.encode(ColumnBytes.bytes(of: offsets), forKey: .contentOffsets)
    }
    if let sections { try keyed.encode(sections, forKey: .sections) }
  }

  /// Takes columns whatever they hold; `bus.bad_message` for one that is no whole number of entries.
  public init(from decoder: any Decoder) throws {
    let keyed = try decoder.container(keyedBy: Keys.self)
    let identifiers = try keyed.decode([UInt8].self, forKey: .ids)
    let offsets: [UInt32] = try ColumnBytes.values(keyed.decode([UInt8].self, forKey: .offsets), "offsets")
    var contents = ByteList.Contents.none
    if let hashes = try keyed.decodeIfPresent([UInt8].self, forKey: .hashes) {
      contents = .hashes(try ColumnBytes.values(hashes, "hashes"))
    } else if let bytes = try keyed.decodeIfPresent([UInt8].self, forKey: .contents) {
      contents = .bytes(bytes, offsets: try ColumnBytes.values(keyed.decode([UInt8].self, forKey: .contentOffsets), "content_offsets"))
    }
    self.init(
      identifiers: identifiers, offsets: offsets, contents: contents,
      sections: try keyed.decodeIfPresent(DiffSections.self, forKey: .sections))
  }
}

extension DiffSections: Codable {
  private enum Keys: String, CodingKey {
    case ids, offsets, contents, rows
  }

  public func encode(to encoder: any Encoder) throws {
    var keyed = encoder.container(keyedBy: Keys.self)
    try keyed.encode(identifiers, forKey: .ids)
    try keyed.encode(ColumnBytes.bytes(of: offsets), forKey: .offsets)
    try keyed.encode(ColumnBytes.bytes(of: contents), forKey: .contents)
    try keyed.encode(ColumnBytes.bytes(of: rows), forKey: .rows)
  }

  public init(from decoder: any Decoder) throws {
    let keyed = try decoder.container(keyedBy: Keys.self)
    self.init(
      identifiers: try keyed.decode([UInt8].self, forKey: .ids),
      offsets: try ColumnBytes.values(keyed.decode([UInt8].self, forKey: .offsets), "offsets"),
      contents: try ColumnBytes.values(keyed.decode([UInt8].self, forKey: .contents), "contents"),
      rows: try ColumnBytes.values(keyed.decode([UInt8].self, forKey: .rows), "rows"))
  }
}

/// Columns of numbers as the bytes that travel.
enum ColumnBytes {
  static func bytes<Number: FixedWidthInteger>(of numbers: [Number]) -> [UInt8] {
    let numbers = Number(1).littleEndian == 1 ? numbers : numbers.map(\.littleEndian)
    return numbers.withUnsafeBytes { [UInt8]($0) }
  }

  static func values<Number: FixedWidthInteger>(_ bytes: [UInt8], _ name: String) throws(MinervaError) -> [Number] {
    let size = MemoryLayout<Number>.size
    guard bytes.count % size == 0 else {
      throw .badMessage("the column \(name) has \(bytes.count) bytes, which is no whole number of entries of \(size)")
    }
    let numbers = [Number](unsafeUninitializedCapacity: bytes.count / size) { buffer, count in
      UnsafeMutableRawBufferPointer(buffer).copyBytes(from: bytes)
      count = bytes.count / size
    }
    return Number(1).littleEndian == 1 ? numbers : numbers.map { Number(littleEndian: $0) }
  }
}
