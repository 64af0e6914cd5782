package import MinervaWire

/// Turns typed values into the JSON bytes that cross processes, and back.
package enum Payload {
  /// Encodes a value as compact UTF-8 JSON.
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    try JSONValueEncoder().encode(value).bytes
  }

  /// Decodes JSON bytes.
  /// - Parameter label: What the value is, for errors: `Profile.userID: expected integer, found string "x"` begins with it.
  /// - Parameter redacted: Keeps what was found out of the error: it may be a secret.
  /// - Throws: `MinervaError` with `code`; the message names the path.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], as label: String, code: MinervaError.Code, redacted: Bool = false
  ) throws -> Value {
    let text = bytes.isEmpty ? Array("{}".utf8) : bytes
    do {
      return try JSONValueDecoder().decode(type, from: text)
    } catch {
      throw MinervaError(code, error.described(under: label, redacted: redacted))
    }
  }
}
