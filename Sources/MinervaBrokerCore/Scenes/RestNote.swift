import MinervaNavigation

/// What a broker notes in the journal of a scene that comes to rest, for the next one to know without reading the scene.
struct RestNote: Equatable {
  /// The scene's time in milliseconds.
  var at: UInt64
  /// Whether the scene is over.
  var hasEnded = false
  /// The hosts that run coordinators of it, sorted.
  var hosts: [String] = []

  private static let mark: UInt8 = 1

  var bytes: [UInt8] {
    var writer = CompactWriter(capacity: 16)
    writer.byte(Self.mark)
    writer.number(at)
    writer.flag(hasEnded)
    writer.list(hosts) { $0.text($1) }
    return writer.bytes
  }

  init(at: UInt64, hasEnded: Bool = false, hosts: [String] = []) {
    self.at = at
    self.hasEnded = hasEnded
    self.hosts = hosts
  }

  /// Reads a note; nil for one that this broker does not understand.
  init?(_ bytes: [UInt8]) {
    guard bytes.first == Self.mark else { return nil }
    var reader = CompactReader(bytes, from: 1)
    do throws(CompactError) {
      at = try reader.number()
      hasEnded = try reader.flag()
      hosts = try reader.list { (reader) throws(CompactError) in try reader.text() }
      try reader.finish()
    } catch {
      return nil
    }
  }
}
