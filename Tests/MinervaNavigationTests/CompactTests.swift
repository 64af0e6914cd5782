@testable import MinervaNavigation
import SceneModels
import Testing

/// The compact forms that journals and processes exchange.
@Suite("Compact forms")
struct CompactTests {
  private func bytes(_ record: Record) -> [UInt8]? {
    var writer = CompactWriter()
    return record.write(to: &writer) ? writer.bytes : nil
  }

  private func record(_ bytes: [UInt8]) throws(CompactError) -> Record {
    var reader = CompactReader(bytes)
    let record = try Record(from: &reader)
    try reader.finish()
    return record
  }

  @Test("N17: every record and answer reads back as it was, and equal ones have equal bytes", arguments: Seeds.few(20))
  func roundTrips(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var scene = RandomScene()
    var compact = 0
    for _ in 0..<300 {
      var throwOfDice = Dice(seed: dice.next())
      if throwOfDice.once(in: 8) { scene.time = scene.time.advanced(by: UInt64(throwOfDice.roll(700))) }
      let record = scene.record(&throwOfDice)
      if let bytes = bytes(record) {
        compact += 1
        let read = try self.record(bytes)
        #expect(read == record, "seed \(seed)")
        #expect(self.bytes(read) == bytes, "seed \(seed)")
      }
      _ = scene.feed(record)
    }
    #expect(compact > 100, "most records have a compact form")
    for case .answer(let answer) in scene.steps.flatMap(\.effects) {
      #expect(try Answer(txn: answer.txn, compact: answer.compact) == answer, "seed \(seed)")
    }
  }

  @Test(
    "A name that does not read back from its text, as snapshots hold it, is refused",
    arguments: [
      ModuleAddress(name: ""), ModuleAddress(name: "a@b@c"), ModuleAddress(name: "x/y"), ModuleAddress(app: "", name: "M"),
      ModuleAddress(name: "M", host: ""), ModuleAddress(app: "a/b", name: "M"),
    ])
  func badAddresses(address: ModuleAddress) {
    let open = Command(txn: "t", caller: "c", action: .open(Command.Opening(address)))
    #expect(throws: CompactError.self) { try record(try #require(bytes(.command(open)))) }
  }

  @Test("A layer that is none does not stop the writer, and no reader takes it", arguments: [-1, 65_536, Int.max])
  func badLayers(layer: Int) {
    let back = Command(txn: "t", caller: "c", action: .back(count: 1, in: NavPath(layer: layer)))
    #expect(throws: CompactError.self) { try record(try #require(bytes(.command(back)))) }
  }

  private static let samples: [Command] = [
    Command(
      txn: "ü", caller: "", origin: ScreenID(4_000_000_000), action: .open(sample()), policy: .supersede, ifTop: .path(.main),
      instant: true,
      deadline: .max, gate: "g"),
    Command(txn: "t", caller: "c", action: .open(Command.Opening(ModuleAddress(app: "a", name: "M", host: "h"), via: .modal(.alert)))),
    Command(txn: "t", caller: "c", action: .back(count: 300, in: NavPath(layer: 2, segments: [.tab("x"), .primary, .slot("s")]))),
    Command(txn: "t", caller: "c", action: .close([.top, .root, .id(1), .path(.main)])),
    Command(txn: "t", caller: "c", action: .act(.top, .enter(field: "f", value: "v"))),
    Command(txn: "t", caller: "c", action: .act(.top, .tap(row: "r", action: nil))),
    Command(txn: "t", caller: "c", action: .finish(.top, nil)), Command(txn: "t", caller: "c", action: .finish(.top, [])),
    Command(txn: "t", caller: "c", action: .selectTab(name: "n", of: .top, reset: true)),
    Command(txn: "t", caller: "c", action: .send(.root, Array(repeating: 7, count: 70_000))),
  ]

  private static func sample() -> Command.Opening {
    var opening = Command.Opening(
      ModuleAddress(name: "M"), input: [0, 255], via: .tab("t"), into: .main, popTo: .top, inclusive: true, configures: true, unhosted: true
    )
    opening.seal = Seal(1 << 40)
    return opening
  }

  @Test("Every part of a command survives")
  func parts() throws {
    for command in Self.samples {
      let bytes = try #require(self.bytes(.command(command)))
      #expect(try record(bytes) == .command(command))
    }
    #expect(bytes(.command(Command(txn: "t", caller: "c", action: .dismissAll))) == nil, "a rare verb has no compact form")
  }

  @Test("Bytes that were cut or changed are refused or are another record: nothing traps")
  func hostile() throws {
    var dice = Dice(seed: 5)
    for command in Self.samples.dropLast() {
      let whole = try #require(self.bytes(.command(command)))
      for length in whole.indices { #expect(throws: CompactError.self) { try record(Array(whole[..<length])) } }
      #expect(throws: CompactError.self) { try record(whole + [0]) }
      for _ in 0..<2_000 {
        var bytes = whole
        for _ in 0...dice.roll(3) { bytes[dice.roll(bytes.count)] = UInt8(dice.roll(256)) }
        guard let read = try? record(bytes), let again = self.bytes(read) else { continue }
        #expect(try record(again) == read)
      }
    }
  }

  @Test("A number has one form: neither bits beyond the 64th nor zeros at the end", arguments: [UInt64(0), 127, 128, 1 << 32, .max])
  func numbers(number: UInt64) throws {
    var writer = CompactWriter()
    writer.number(number)
    var reader = CompactReader(writer.bytes)
    #expect(try reader.number() == number)
    for bad: [UInt8] in [[0x80, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2], Array(repeating: 0x80, count: 11), [0x80]] {
      var reader = CompactReader(bad)
      #expect(throws: CompactError.self) { try reader.number() }
    }
  }
}
