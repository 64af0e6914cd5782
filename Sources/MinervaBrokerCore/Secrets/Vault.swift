import MinervaNavigation

/// The texts of one scene that records name by their seals alone (P4): in memory, until nothing needs them any more.
struct Vault {
  private var texts: [Seal: [UInt8]] = [:]
  private var seals: [[UInt8]: Seal] = [:]

  /// The text under a seal; `nil` when this broker never had it.
  subscript(seal: Seal) -> [UInt8]? { texts[seal] }

  var isEmpty: Bool { texts.isEmpty }
  var count: Int { texts.count }

  /// Beyond so many texts it is worth a look which of them are needed; twice what was needed then.
  private var bound = 256
  var isCrowded: Bool { texts.count > bound }

  /// Keeps a text. The same text gets the same seal while it is kept, so that two identical requests stay identical (N3).
  /// - Parameter next: Makes the next number.
  mutating func put(_ text: [UInt8], next: () -> Seal) -> Seal {
    if let seal = seals[text] { return seal }
    let seal = next()
    texts[seal] = text
    seals[text] = seal
    return seal
  }

  /// Forgets all but these.
  mutating func keep(_ needed: Set<Seal>) {
    defer { bound = max(256, 2 * texts.count) }
    guard texts.keys.contains(where: { !needed.contains($0) }) else { return }
    texts = texts.filter { needed.contains($0.key) }
    seals = seals.filter { needed.contains($0.value) }
  }
}
