public import MinervaNavigation

/// What a caller asks of a scene.
public struct SceneRequest: Codable, Sendable {
  public var scene: SceneAddress
  public var command: Command

  public init(scene: SceneAddress, command: Command) {
    self.scene = scene
    self.command = command
  }
}

/// The one answer to a request that was not refused.
public struct SceneAnswer: Codable, Sendable {
  public var outcome: Outcome
  /// The position of the request's record, `#12`; `nil` when it left none.
  public var seq: UInt64?
  /// The epoch of the broker that owns the scene.
  public var epoch: UInt64

  public init(outcome: Outcome, seq: UInt64?, epoch: UInt64) {
    self.outcome = outcome
    self.seq = seq
    self.epoch = epoch
  }
}

// Of all that crosses processes there is most of these two: they travel as one byte string where they have a compact form.

extension SceneRequest {
  private enum CodingKeys: String, CodingKey {
    case scene, command
  }

  public init(from decoder: any Decoder) throws {
    if let bytes = try? decoder.singleValueContainer().decode([UInt8].self) {
      var reader = CompactReader(bytes)
      let name = try reader.text()
      let app = try reader.optional { (reader) throws(CompactError) in try reader.text() }
      scene = SceneAddress(name: name, app: app)
      command = try Command(from: &reader)
      try reader.finish()
    } else {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      scene = try container.decode(SceneAddress.self, forKey: .scene)
      command = try container.decode(Command.self, forKey: .command)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var writer = CompactWriter(capacity: 224)
    writer.text(scene.name)
    writer.optional(scene.app) { $0.text($1) }
    if command.write(to: &writer) {
      var container = encoder.singleValueContainer()
      try container.encode(writer.bytes)
    } else {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(scene, forKey: .scene)
      try container.encode(command, forKey: .command)
    }
  }
}

extension SceneAnswer {
  public init(from decoder: any Decoder) throws {
    var reader = CompactReader(try decoder.singleValueContainer().decode([UInt8].self))
    epoch = try reader.number()
    seq = try reader.optional { (reader) throws(CompactError) in try reader.number() }
    outcome = try Outcome(from: &reader)
    try reader.finish()
  }

  public func encode(to encoder: any Encoder) throws {
    var writer = CompactWriter(capacity: 160)
    writer.number(epoch)
    writer.optional(seq) { $0.number($1) }
    outcome.write(to: &writer)
    var container = encoder.singleValueContainer()
    try container.encode(writer.bytes)
  }
}
