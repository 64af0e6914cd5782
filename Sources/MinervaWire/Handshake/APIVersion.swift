/// Which interfaces a build offers and calls: a number set by hand and a fingerprint over the names.
public struct APIVersion: Hashable, Sendable, Codable, CustomStringConvertible {
  public var number: Int
  public var fingerprint: UInt64

  public init(number: Int, fingerprint: UInt64) {
    self.number = number
    self.fingerprint = fingerprint
  }

  public var description: String { "\(number)-\(String(fingerprint, radix: 16))" }
}

/// The names of the fixed interfaces' targets, sorted: both ends of a link hold the same table, so a call names its target by index.
package struct ExposedNames: Hashable, Sendable {
  /// The names in ascending order of their bytes, each once.
  package let names: [String]
  /// What the handshake compares.
  package let version: APIVersion
  private let indices: [String: UInt16]

  /// Creates the table; at most 65,535 names take part, any beyond travel as text.
  package init(_ names: some Sequence<String>, number: Int) {
    let sorted = Set(names).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(Int(UInt16.max))
    self.names = Array(sorted)
    var indices: [String: UInt16] = [:]
    indices.reserveCapacity(sorted.count)
    // FNV-1a, 64 bits: a fingerprint against mistakes, not against attackers.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for (index, name) in sorted.enumerated() {
      indices[name] = UInt16(index)
      for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = (hash ^ 0xff) &* 0x100_0000_01b3
    }
    self.indices = indices
    version = APIVersion(number: number, fingerprint: hash)
  }

  /// The index of a name, or nothing when it must travel as text.
  package func index(of name: String) -> UInt16? { indices[name] }

  /// The name at an index, or nothing for an index from a hostile or mistaken peer.
  package subscript(index: UInt16) -> String? { Int(index) < names.count ? names[Int(index)] : nil }
}
