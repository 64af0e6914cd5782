/// The check over a stored row: FNV-1a of 64 bits, eight bytes a step, seeded with what the row belongs to.
///
/// It finds rot and misplaced rows; against an author of false rows it is no defence, the file's mode is.
enum Checksum {
  static func of(_ bytes: UnsafeRawBufferPointer, scene: Int64, sequence: Int64) -> Int64 {
    let prime: UInt64 = 0x0000_0100_0000_01B3
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    hash = (hash ^ UInt64(bitPattern: scene)) &* prime
    hash = (hash ^ UInt64(bitPattern: sequence)) &* prime
    hash = (hash ^ UInt64(bytes.count)) &* prime
    var offset = 0
    while offset + 8 <= bytes.count {
      hash = (hash ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))) &* prime
      // A multiplication carries upwards only: fold the high half back so that every bit reaches every other.
      hash ^= hash >> 32
      offset += 8
    }
    while offset < bytes.count {
      hash = (hash ^ UInt64(bytes[offset])) &* prime
      offset += 1
    }
    return Int64(bitPattern: hash ^ (hash >> 29))
  }

  static func of(_ bytes: [UInt8], scene: Int64, sequence: Int64) -> Int64 {
    bytes.withUnsafeBytes { of($0, scene: scene, sequence: sequence) }
  }

  /// The check over a scene's name.
  static func of(name: String, id: Int64) -> Int64 { of(Array(name.utf8), scene: id, sequence: 0) }

  /// The check over that a scene is over.
  static func of(over number: Int64, sequence: UInt64, scene: Int64) -> Int64 {
    withUnsafeBytes(of: (~number).littleEndian) { of($0, scene: scene, sequence: Int64(bitPattern: sequence)) }
  }

  /// The check over how far a scene got.
  static func of(head sequence: UInt64, row: Int64, scene: Int64) -> Int64 {
    withUnsafeBytes(of: row.littleEndian) { of($0, scene: scene, sequence: Int64(bitPattern: sequence)) }
  }
}
