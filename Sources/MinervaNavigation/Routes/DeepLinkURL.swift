/// A deep link, split first and each part decoded once (R6).
///
/// `scheme://host/segment/segment?name=value&name`. A plus is a plus, everywhere. A trailing slash is ignored. The original text is
/// kept. A fragment is refused: nothing in a scene is addressed by one. So is a text of more than 8 KiB or 64 segments: each may lead
/// through a module, and no flow is as deep.
public struct DeepLinkURL: Hashable, Sendable {
  /// A named value behind the question mark; `nil` when the name stands alone.
  public struct Item: Hashable, Sendable {
    /// Its name, decoded.
    public let name: String
    /// Its value, decoded.
    public let value: String?

    /// Creates an item.
    public init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// How many bytes and how many segments a link may have.
  static let (mostBytes, mostSegments) = (8192, 64)

  /// The text as it came.
  public let text: String
  /// The scheme, in lower case.
  public let scheme: String
  /// The host, in lower case.
  public let host: String
  /// The path's segments, decoded.
  public let segments: [String]
  /// The query in order; a name given twice is there twice.
  public let query: [Item]

  /// Splits and decodes a link.
  /// - Throws: `route.invalid_url` with the part that is wrong.
  public init(_ text: String) throws(Refusal) {
    func invalid(_ what: String) -> Refusal { Refusal(code: .routeInvalidURL, message: "\(what) in \(text)") }
    self.text = text
    // Of such a text only the beginning is said: bytes, since a character can be as long as the text.
    guard text.utf8.count <= Self.mostBytes else {
      let beginning = String(decoding: text.utf8.prefix(64), as: UTF8.self)
      throw Refusal(code: .routeInvalidURL, message: "\(text.utf8.count) bytes, \(Self.mostBytes) are allowed, in \(beginning)…")
    }
    if text.utf8.contains(UInt8(ascii: "#")) { throw invalid("a fragment") }
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[colon...].hasPrefix("://") else {
      throw invalid("no scheme://host")
    }
    scheme = text[..<colon].lowercased()
    guard let first = scheme.utf8.first, Self.isLetter(first), scheme.utf8.allSatisfy(Self.isSchemeByte) else {
      throw invalid("no scheme")
    }
    var rest = text[text.utf8.index(colon, offsetBy: 3)...]
    var querySource: Substring?
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      querySource = rest[rest.utf8.index(after: mark)...]
      rest = rest[..<mark]
    }
    var parts = rest.split(separator: "/", omittingEmptySubsequences: false)[...]
    guard let name = parts.popFirst(), !name.isEmpty else { throw invalid("no host") }
    guard let decodedHost = Self.decode(name) else { throw invalid("a malformed host") }
    host = decodedHost.lowercased()
    if parts.last?.isEmpty ?? false { parts.removeLast() }
    guard parts.count <= Self.mostSegments else { throw invalid("\(parts.count) segments, \(Self.mostSegments) are allowed,") }
    var segments: [String] = []
    for part in parts {
      guard !part.isEmpty else { throw invalid("an empty segment") }
      guard let segment = Self.decode(part) else { throw invalid("a malformed segment \"\(part)\"") }
      segments.append(segment)
    }
    self.segments = segments
    var query: [Item] = []
    for part in (querySource ?? "").split(separator: "&") {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = sides.compactMap(Self.decode)
      guard decoded.count == sides.count, let name = decoded.first else { throw invalid("a malformed query \"\(part)\"") }
      guard !name.isEmpty else { throw invalid("a query value without a name") }
      query.append(Item(name: name, value: decoded.count > 1 ? decoded[1] : nil))
    }
    self.query = query
  }

  /// Builds the text of a link that reads back to these parts; empty segments cannot be written and are left out.
  public static func text(scheme: String, host: String, segments: [String], query: [Item] = []) -> String {
    var text = "\(scheme)://\(encode(host))"
    for segment in segments where !segment.isEmpty { text += "/" + encode(segment) }
    for (index, item) in query.enumerated() {
      text += (index == 0 ? "?" : "&") + encode(item.name) + (item.value.map { "=" + encode($0) } ?? "")
    }
    return text
  }

  /// The parts of a text with each percent triplet decoded once; `nil` for malformed triplets and bytes that are not UTF-8.
  static func decode(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var iterator = text.utf8.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The text with every byte but the unreserved ones of RFC 3986 as a percent triplet.
  static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isLetter(byte) || isDigit(byte) || "-._~".utf8.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "+-.".utf8.contains(byte)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
