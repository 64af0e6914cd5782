import Foundation
@testable import MinervaNavigation
import MinervaRecording
import MinervaWire
import SceneModels
import Testing

@Suite("Recordings and their replay")
struct ReplayTests {
  @Test("D1, N17: a replay equals what was live, from the beginning and from the middle, and two recordings are the same bytes")
  func equalsLive() throws {
    for seed in 1...60 as ClosedRange<UInt64> {
      let start = seed.isMultiple(of: 3) ? 40 : 0
      let recorded = try RecordedScene(seed: seed, records: 160, from: start)
      let (report, divergence) = try RecordedScene.replay(recorded.lines)
      #expect(divergence == nil, "seed \(seed): \(divergence?.lines ?? [])")
      #expect(report?.tree == recorded.scene.state.tree, "seed \(seed)")
      #expect(report?.seq == recorded.scene.state.seq)
      #expect(report?.records == recorded.bodies.count)
      #expect(report?.effects == recorded.scene.steps.filter { $0.seq != nil }.dropFirst(start).reduce(0) { $0 + $1.effects.count })
      #expect(try RecordedScene.lines(recorded.image, recorded.bodies) == recorded.lines)
      #expect(try RecordedScene.written(RecordedScene.parsed(recorded.lines)) == recorded.lines)
    }
  }

  @Test("D1: a record that is another one diverges at the first effect that does, and never without one")
  func tamperedRecords() throws {
    var found = 0
    for seed in 1...40 as ClosedRange<UInt64> {
      let recorded = try RecordedScene(seed: seed, records: 80)
      var dice = Dice(seed: seed ^ 0xbad)
      let values = try RecordedScene.parsed(recorded.lines)
      for _ in 0..<12 {
        let place = dice.roll(recorded.bodies.count)
        var bodies = recorded.bodies
        switch dice.roll(3) {
        case 0: bodies[place] = bodies[dice.roll(bodies.count)]
        case 1: bodies[place] = try SceneRecord(at: recorded.scene.journal[place].at, record: .timer).encoded()
        default:
          var changed = try SceneRecord(decoding: bodies[place])
          changed.at += UInt64(1 + dice.roll(2000))
          bodies[place] = try changed.encoded()
        }
        // By hand: from where does the core do something else?
        var state = recorded.image.state
        var expected: UInt64?
        let live = recorded.scene.steps.filter { $0.seq != nil }
        for (number, body) in bodies.enumerated() where expected == nil {
          let entry = try SceneRecord(decoding: body)
          if state.apply(entry.record, at: SceneTime(milliseconds: entry.at)) != live[number] { expected = UInt64(number + 1) }
        }
        if expected == nil, state != recorded.scene.state { expected = UInt64(bodies.count) }
        let tampered = values.map { value -> RecordingLine in
          guard case .fed(var fed) = value else { return value }
          fed.body = bodies[Int(fed.seq) - 1]
          return .fed(fed)
        }
        let divergence = try RecordedScene.replay(RecordedScene.written(tampered)).divergence
        #expect(divergence?.seq == expected, "seed \(seed), record \(place + 1): \(divergence?.lines ?? [])")
        if divergence != nil { found += 1 }
      }
    }
    #expect(found > 200, "only \(found) of 480 changed anything")
  }

  @Test("an edited, missing, repeated or moved line is named by its number, whatever was changed in it")
  func editedLines() throws {
    for seed in 1...30 as ClosedRange<UInt64> {
      let recorded = try RecordedScene(seed: seed, records: 30)
      var dice = Dice(seed: seed ^ 0xed17)
      for _ in 0..<20 {
        var lines = recorded.lines
        let place = dice.roll(lines.count)
        var bytes = Array(lines[place].utf8)
        let index = dice.roll(bytes.count)
        bytes[index] = bytes[index] == UInt8(ascii: "7") ? UInt8(ascii: "8") : UInt8(ascii: "7")
        lines[place] = String(decoding: bytes, as: UTF8.self)
        let error = RecordedScene.damage(lines)
        // A head may become that of a layout which is not there yet.
        let codes: [MinervaError.Code] = place == 0 ? [.recordingDamaged, .recordingNewerFormat] : [.recordingDamaged]
        #expect(error.map { codes.contains($0.code) } == true, "seed \(seed), line \(place + 1), column \(index + 1)")
        if error?.code == .recordingDamaged { #expect(error?.message.contains("line \(place + 1) ") == true, "\(error?.message ?? "")") }
      }
      var shorter = recorded.lines
      let gone = 1 + dice.roll(shorter.count - 2)
      shorter.remove(at: gone)
      #expect(RecordedScene.damage(shorter)?.message.contains("line \(gone + 1) ") == true)
      var longer = recorded.lines
      longer.insert(longer[gone], at: gone)
      #expect(RecordedScene.damage(longer)?.message.contains("line \(gone + 2) ") == true)
      var moved = recorded.lines
      moved.swapAt(gone, gone - 1)
      #expect(RecordedScene.damage(moved)?.message.contains("line \(gone) ") == true)
    }
  }

  @Test("a recording that is cut off anywhere says at which line, and an empty file that it is empty")
  func tornFiles() throws {
    let recorded = try RecordedScene(seed: 5, records: 25)
    let bytes = Array(recorded.lines.joined(separator: "\n").utf8)
    for cut in stride(from: 0, to: bytes.count - 1, by: 97) {
      let text = String(decoding: bytes[..<cut], as: UTF8.self)
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.last == "" { lines.removeLast() }
      let error = try #require(RecordedScene.damage(lines), "cut at \(cut)")
      #expect(error.code == .recordingDamaged)
      let whole = recorded.lines.prefix(lines.count).elementsEqual(lines)
      #expect(error.message.contains("line \(whole ? lines.count + 1 : lines.count) "), "\(error.message)")
    }
    #expect(RecordedScene.damage([])?.message == "x: line 1 is missing: the file is empty")
    #expect(RecordedScene.damage(recorded.lines + [recorded.lines[1]])?.code == .recordingDamaged)
    // Line ends of another system are no damage.
    #expect(RecordedScene.damage(recorded.lines.map { $0 + "\r" }) == nil)
  }

  @Test("a newer layout is refused as such")
  func newerLayout() throws {
    var lines = try RecordedScene(seed: 2, records: 5).lines
    lines[0] = lines[0].replacingOccurrences(of: #""recording":1"#, with: #""recording":2"#)
    #expect(RecordedScene.damage(lines)?.code == .recordingNewerFormat)
  }

  @Test("P3: a head whose numbers are at their end is damage, not the end of the process")
  func numbersAtTheirEnd() throws {
    let recorded = try RecordedScene(seed: 4, records: 10)
    let values = try RecordedScene.parsed(recorded.lines)
    func damage(_ change: (inout SceneImage) -> Void) throws -> MinervaError.Code? {
      guard case .head(var head) = values[0] else { return nil }
      var image = recorded.image
      change(&image)
      (head.image, head.after) = (try CBOR.encode(image), image.state.seq)
      return RecordedScene.damage(RecordedScene.written([.head(head)] + values.dropFirst()))?.code
    }
    #expect(try damage { $0.state.seq = .max } == .recordingDamaged)
    #expect(try damage { $0.state.nextScreen = .max } == .recordingDamaged)
    #expect(try damage { $0.at = .max } == .recordingDamaged)
    #expect(try damage { _ in } == nil)
  }

  @Test("without verifying, records are fed and nothing is compared")
  func feeding() throws {
    let recorded = try RecordedScene(seed: 9, records: 60)
    var values = try RecordedScene.parsed(recorded.lines)
    for (index, value) in values.enumerated() {
      guard case .effects(var effects) = value else { continue }
      effects.items = []
      values[index] = .effects(effects)
    }
    let lines = RecordedScene.written(values)
    #expect(try RecordedScene.replay(lines, verify: false).report?.tree == recorded.scene.state.tree)
    #expect(try RecordedScene.replay(lines).divergence != nil)
  }

  @Test("P3: a head that holds no scene is damage, before anything walks its tree")
  func madeUpHead() throws {
    let recorded = try RecordedScene(seed: 4, records: 10)
    let values = try RecordedScene.parsed(recorded.lines)
    guard case .head(var head) = values[0] else {
      Issue.record("line 1 is no head")
      return
    }
    var image = recorded.image
    image.state.layers = []
    head.image = try CBOR.encode(image)
    let error = RecordedScene.damage(RecordedScene.written([.head(head)] + values.dropFirst()))
    #expect(error?.code == .recordingDamaged)
    #expect(error?.message.contains("it has no root layer") == true, "\(error?.message ?? "")")
  }

  @Test("a body that no core can read is damage, with its line")
  func unreadableRecord() throws {
    var values = try RecordedScene.parsed(RecordedScene(seed: 3, records: 12).lines)
    guard case .fed(var fed) = values[5] else {
      Issue.record("line 6 is no record")
      return
    }
    fed.body = [0xFF]
    values[5] = .fed(fed)
    let error = RecordedScene.damage(RecordedScene.written(values))
    #expect(error?.code == .recordingDamaged)
    #expect(error?.message.contains("line 6 holds a record this Minerva cannot read") == true, "\(error?.message ?? "")")
  }
}
