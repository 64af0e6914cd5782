import Glibc
public import MinervaWire

/// The public keys that may connect, and what each may do.
///
/// As text, one key a line: `KEY role [app=a,b] [scene=x,y] [# name]`. In the names of apps and scenes, spaces, commas, per cent signs and
/// control characters are written as in links (`my%20scene`). Empty lines and lines that start with `#` followed by a space are comments.
public struct AuthorizedKeys: Hashable, Sendable {
  /// What is known about one key.
  public struct Entry: Hashable, Sendable {
    public var grant: PeerGrant
    /// A name for people.
    public var name: String

    public init(grant: PeerGrant, name: String = "") {
      self.grant = grant
      self.name = name
    }
  }

  /// The entries by public key in Z85.
  public var entries: [String: Entry]

  public init(_ entries: [String: Entry] = [:]) { self.entries = entries }

  /// What a key may do; nothing when it may not connect.
  public subscript(key: String) -> PeerGrant? { entries[key]?.grant }

  /// Reads the text form.
  ///
  /// - Throws: `bus.unauthorized` with the line that cannot be read: a half-read list would lock out or let in the wrong peers.
  public init(text: String) throws(MinervaError) {
    entries = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" })
      // Z85 has a # of its own: only a word that is nothing but # starts a comment.
      let comment = words.firstIndex { $0 == "#" }
      let fields = words[..<(comment ?? words.endIndex)]
      guard let key = fields.first else { continue }
      let name = comment.map { words[($0 + 1)...].joined(separator: " ") } ?? ""
      guard CurveKeyPair.isKey(String(key)) else { throw Self.bad(index, "the first word is no key of 40 characters of Z85") }
      guard fields.count >= 2, let role = PeerRole(rawValue: String(fields[1])) else {
        throw Self.bad(index, "the second word is one of \(PeerRole.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      var grant = PeerGrant(role: role)
      for field in fields.dropFirst(2) {
        let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
        let written = parts.count == 2 ? parts[1].split(separator: ",") : []
        let values = written.compactMap(Self.unescaped)
        guard values.count == written.count else { throw Self.bad(index, "\(field): a % is followed by two hexadecimal digits") }
        switch parts.first {
        case "app" where !values.isEmpty: grant.apps += values
        case "scene" where !values.isEmpty: grant.scenes += values
        default: throw Self.bad(index, "\(field): write app=NAME or scene=NAME")
        }
      }
      entries[String(key)] = Entry(grant: grant, name: name)
    }
  }

  /// The text form, keys in ascending order.
  public var text: String {
    entries.sorted { $0.key < $1.key }.map { key, entry in
      var line = "\(key) \(entry.grant.role.rawValue)"
      if !entry.grant.apps.isEmpty { line += " app=" + entry.grant.apps.map(Self.escaped).joined(separator: ",") }
      if !entry.grant.scenes.isEmpty { line += " scene=" + entry.grant.scenes.map(Self.escaped).joined(separator: ",") }
      if !entry.name.isEmpty { line += " # \(Self.oneLine(entry.name))" }
      return line + "\n"
    }.joined()
  }

  /// A name as one word of a line.
  private static func escaped(_ name: String) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      if byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "%") {
        let digits = String(byte, radix: 16, uppercase: true)
        bytes += (digits.count == 1 ? "%0\(digits)" : "%\(digits)").utf8
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unescaped(_ word: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = word.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else { return nil }
      rest = rest.dropFirst(2)
      bytes.append(value)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// A line end in a name would begin another key.
  private static func oneLine(_ name: String) -> String {
    String(name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
  }

  private static func bad(_ index: Int, _ text: String) -> MinervaError {
    MinervaError(.unauthorized, "authorized keys, line \(index + 1): \(text)")
  }
}
