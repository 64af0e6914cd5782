import MinervaNavigation
import MinervaWire

/// One record as the journal holds it: what was fed to the core, and when.
struct SceneRecord: Codable {
  /// Scene time in milliseconds.
  var at: UInt64
  var record: Record

  /// The journal's bytes (CBOR).
  func encoded() throws -> [UInt8] { try CBOR.encode(self) }

  init(at: SceneTime, record: Record) {
    self.at = at.milliseconds
    self.record = record
  }

  init(decoding bytes: [UInt8]) throws { self = try CBOR.decode(SceneRecord.self, from: bytes) }
}

/// The state of a scene as the journal's snapshots hold it.
struct SceneImage: Codable {
  var at: UInt64
  var state: SceneState
}
