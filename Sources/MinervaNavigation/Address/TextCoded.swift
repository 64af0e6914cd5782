/// A value that is encoded as the one string it reads back from: compact in the journal, legible in JSON.
protocol TextCoded: LosslessStringConvertible, Codable {}

extension TextCoded {
  /// Decodes the text and reads it; throws `DecodingError.dataCorrupted` when it does not read.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Self(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a \(Self.self): \(text)")
    }
    self = value
  }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
