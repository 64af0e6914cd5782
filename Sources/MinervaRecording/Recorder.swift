package import MinervaNavigation
package import MinervaWire

/// Makes the lines of a recording from a scene's durable records: feeds each to the pure core, and writes down what it did (D1).
///
/// The same image and records give the same lines (N17).
package struct Recorder: Sendable {
  /// How a tree's stacks are written for people, a line each.
  package typealias Describe = @Sendable (SceneTree) -> [String]

  package private(set) var state: SceneState
  package private(set) var records = 0
  private let describe: Describe
  private var sum: UInt64 = 0
  private var tree: UInt64

  /// Begins a recording behind the record that an image was taken at.
  ///
  /// - Throws: `recording.damaged` when the image cannot be read.
  /// - Returns: Beside the recorder, the first line.
  package static func begin(
    image bytes: [UInt8], version: String, incarnation: UInt64, describe: @escaping Describe
  ) throws(MinervaError) -> (recorder: Recorder, line: String) {
    let image: SceneImage
    do throws(MinervaError) { image = try CBOR.decode(SceneImage.self, from: bytes) } catch {
      throw MinervaError(.recordingDamaged, "the scene's state cannot be read: \(error.message)")
    }
    var recorder = Recorder(state: image.state, describe: describe)
    let tree = image.state.tree
    let head = RecordingHead(
      version: version, scene: image.state.scene, app: image.state.app, incarnation: incarnation, after: image.state.seq, image: bytes,
      tree: RecordedTree(hash: tree.hash64, stacks: describe(tree)))
    let line = recorder.write(.head(head))
    return (recorder, line)
  }

  private init(state: SceneState, describe: @escaping Describe) {
    self.state = state
    self.describe = describe
    tree = state.treeHash
  }

  /// Adds the next record, in the journal's bytes.
  ///
  /// - Returns: The record's line, and that of what it did.
  /// - Throws: `recording.damaged` when it does not follow or cannot be read.
  package mutating func add(_ body: [UInt8]) throws(MinervaError) -> [String] {
    let entry: SceneRecord
    do { entry = try SceneRecord(decoding: body) } catch {
      throw MinervaError(.recordingDamaged, "the record after #\(state.seq) cannot be read: \(error)")
    }
    let before = state.seq
    let step = state.apply(entry.record, at: SceneTime(milliseconds: entry.at))
    guard let seq = step.seq else {
      throw MinervaError(.recordingDamaged, "the record after #\(before) (\(entry.record.words)) does not follow the state it is fed to")
    }
    records += 1
    var isCommand = false
    if case .command = entry.record { isCommand = true }
    let fed = FedRecord(seq: seq, at: entry.at, isCommand: isCommand, words: entry.record.words, body: body)
    let effects = RecordedEffects(seq: seq, items: step.effects.map(\.recorded), tree: nextTree())
    return [write(.fed(fed)), write(.effects(effects))]
  }

  /// The last line.
  package mutating func end() -> String { write(.end(RecordingEnd(records: records, state: state.fingerprint))) }

  private mutating func nextTree() -> RecordedTree {
    let now = state.tree
    let hash = now.hash64
    defer { tree = hash }
    return RecordedTree(hash: hash, stacks: hash == tree ? nil : describe(now))
  }

  private mutating func write(_ line: RecordingLine) -> String {
    let (text, next) = line.text(after: sum)
    sum = next
    return text
  }
}

extension Effect {
  /// The effect as a recording holds it.
  var recorded: RecordedEffects.Item {
    RecordedEffects.Item(words: words.text, sum: Fingerprint.of(self))
  }
}

extension SceneState {
  /// A sum of all of the state.
  var fingerprint: UInt64 { Fingerprint.of(self) }
}

extension Fingerprint {
  /// The sum of a value's bytes; what has none, which is nothing the core makes, counts as no bytes.
  fileprivate static func of<Value: Encodable>(_ value: Value) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add((try? CBOR.encode(value)) ?? [])
    return fingerprint.value
  }
}
