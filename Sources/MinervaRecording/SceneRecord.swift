package import MinervaNavigation
import MinervaWire

/// One record as the journal holds it: what was fed to the core, and when.
package struct SceneRecord: Codable, Hashable, Sendable {
  /// Scene time in milliseconds.
  package var at: UInt64
  package var record: Record

  /// With what a compact record begins; CBOR never does.
  private static let compactMark: UInt8 = 1

  /// The journal's bytes: the compact form of the records that there are many of, CBOR for the others.
  package func encoded() throws -> [UInt8] {
    var writer = CompactWriter(capacity: 192)
    writer.byte(Self.compactMark)
    writer.number(at)
    return record.write(to: &writer) ? writer.bytes : try CBOR.encode(self)
  }

  package init(at: SceneTime, record: Record) {
    self.at = at.milliseconds
    self.record = record
  }

  package init(decoding bytes: [UInt8]) throws {
    guard bytes.first == Self.compactMark else {
      self = try CBOR.decode(SceneRecord.self, from: bytes)
      return
    }
    var reader = CompactReader(bytes, from: 1)
    at = try reader.number()
    record = try Record(from: &reader)
    try reader.finish()
  }
}

/// The state of a scene as the journal's snapshots hold it.
package struct SceneImage: Codable, Hashable, Sendable {
  /// Scene time in milliseconds.
  package var at: UInt64
  package var state: SceneState

  package init(at: UInt64, state: SceneState) {
    self.at = at
    self.state = state
  }

  /// Why no scene can begin from it; `nil` when one can.
  package var unsoundness: String? {
    SceneTime(milliseconds: at) < .last ? state.unsoundness : "its moment is near the end of time"
  }
}
