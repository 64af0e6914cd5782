package import MinervaNavigation
import MinervaWire

/// One record as the journal holds it: what was fed to the core, and when.
package struct SceneRecord: Codable {
  /// Scene time in milliseconds.
  package var at: UInt64
  package var record: Record

  /// The journal's bytes (CBOR).
  func encoded() throws -> [UInt8] { try CBOR.encode(self) }

  init(at: SceneTime, record: Record) {
    self.at = at.milliseconds
    self.record = record
  }

  package init(decoding bytes: [UInt8]) throws { self = try CBOR.decode(SceneRecord.self, from: bytes) }
}

/// The state of a scene as the journal's snapshots hold it.
package struct SceneImage: Codable {
  package var at: UInt64
  package var state: SceneState
}
