/// The binary encoding of the wire: CBOR (RFC 8949) on Codable, without Foundation.
///
/// Structs are maps with text keys, arrays arrays, `[UInt8]` a byte string, enums with associated values what the compiler synthesizes. Maps and
/// generic arrays are written with indefinite length (one pass, one buffer), columns of integers and strings with definite length; both are read.
/// Tags and strings in chunks are not used and not read.
package enum CBOR {
  /// The tag in front of the number of a payload frame that stands for a byte string: `MV`, from the range that is free for anyone's use.
  static let frameTag: UInt16 = 0x4D56

  /// The bytes of a value.
  package static func encode<T: Encodable>(_ value: T) throws(MinervaError) -> [UInt8] {
    let encoder = CBOREncoder()
    try encoder.encode(value)
    return encoder.bytes
  }

  /// The value of bytes that hold exactly one.
  package static func decode<T: Decodable>(_ type: T.Type = T.self, from bytes: [UInt8], depth: Int = Limits.standard.depth)
    throws(MinervaError) -> T
  {
    // The closure's typed throw is lost by the array's rethrowing method: the outcome is carried as a value.
    let outcome: Result<T, MinervaError> = unsafe bytes.withUnsafeBytes { raw in
      do throws(MinervaError) { return .success(try unsafe decode(type, from: raw, depth: depth)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }

  /// The value of bytes that hold exactly one. The bytes are read in place and not kept.
  package static func decode<T: Decodable>(_ type: T.Type = T.self, from bytes: UnsafeRawBufferPointer, depth: Int = Limits.standard.depth)
    throws(MinervaError) -> T
  {
    let decoder = unsafe CBORDecoder(bytes, depth: depth)
    let value = try decoder.decode(type)
    try decoder.finish()
    return value
  }
}
