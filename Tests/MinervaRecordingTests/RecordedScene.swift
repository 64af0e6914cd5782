import MinervaNavigation
import MinervaRecording
import MinervaWire
import SceneModels

/// A recording of a scene that chance plays, in memory.
struct RecordedScene {
  var scene: RandomScene
  var lines: [String] = []
  /// The journal's bytes of each record behind the start.
  var bodies: [[UInt8]] = []
  let image: SceneImage

  /// - Parameter start: How many records come before the recording's first.
  init(seed: UInt64, records: Int, from start: Int = 0) throws {
    scene = RandomScene()
    for seed in Dice.throwsOfDice(records, seed: seed) { _ = scene.feed(scene.next(seed)) }
    var state = RandomScene().state
    for entry in scene.journal.prefix(start) { _ = state.apply(entry.record, at: entry.at) }
    image = SceneImage(at: state.time.milliseconds, state: state)
    for entry in scene.journal.dropFirst(start) { bodies.append(try SceneRecord(at: entry.at, record: entry.record).encoded()) }
    lines = try Self.lines(image, bodies)
  }

  static func lines(_ image: SceneImage, _ bodies: [[UInt8]]) throws -> [String] {
    let begun = try Recorder.begin(image: CBOR.encode(image), version: "1", incarnation: 1, describe: describe)
    var (recorder, lines) = (begun.recorder, [begun.line])
    for body in bodies { lines += try recorder.add(body) }
    lines.append(recorder.end())
    return lines
  }

  static let describe: Recorder.Describe = { tree in
    tree.layers.map { layer in layer.stack.map { "\($0.id) \($0.module)" }.joined(separator: ", ") }
  }

  /// Replays lines with comparison; what was wrong, if anything.
  static func replay(_ lines: [String], verify: Bool = true) throws -> (report: Replayer.Report?, divergence: Divergence?) {
    var replayer = Replayer(file: "x", isVerifying: verify, describe: describe)
    for line in lines { try replayer.take(Array(line.utf8)) }
    return (try replayer.finish(), replayer.divergence)
  }

  /// Replays lines; the error's code and text, if there was one.
  static func damage(_ lines: [String]) -> MinervaError? {
    do throws(MinervaError) {
      var replayer = Replayer(file: "x", isVerifying: true, describe: describe)
      for line in lines { try replayer.take(Array(line.utf8)) }
      _ = try replayer.finish()
      return nil
    } catch { return error }
  }

  /// The lines as their values.
  static func parsed(_ lines: [String]) throws -> [RecordingLine] {
    var sum: UInt64 = 0
    return try lines.map { text in
      let line = try RecordingLine(Array(text.utf8), after: sum)
      sum = line.text(after: sum).sum
      return line
    }
  }

  /// Values as lines, with sums that fit: what a program that does something else would have written.
  static func written(_ values: [RecordingLine]) -> [String] {
    var sum: UInt64 = 0
    return values.map { value in
      let (text, next) = value.text(after: sum)
      sum = next
      return text
    }
  }
}
