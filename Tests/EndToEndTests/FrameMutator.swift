import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaNavigation
import MinervaWire
import RawPeers

/// Frames that no peer of ours would send, made of frames that one would.
struct FrameMutator {
  /// Frames as they should be: calls of every method of a broker, and the words of the link.
  private let sound: [[UInt8]]
  private let targets: [String]
  private var random: Seeded

  init(seed: UInt64, interfaces: FixedInterfaces) throws {
    targets = interfaces.broker.names
    random = Seeded(seed)
    let scene = SceneAddress(name: "hostile", app: "shop")
    let request = SceneRequest(
      scene: scene,
      command: Command(txn: "t", caller: "raw", action: .open(Command.Opening(ModuleAddress(name: "Cart"), input: [0x7B, 0x7D]))))
    let arguments: [[UInt8]] = try [
      [], CBOR.encode(scene), CBOR.encode(request), CBOR.encode(ScreenID(1)), CBOR.encode("name"),
      CBOR.encode([UInt8](repeating: 7, count: 60)),
      CBOR.encode(DiffLeaseRequest(job: "j", rows: 1)), CBOR.encode(DiffOffer(worker: "raw", endpoint: "ipc:///x", credit: 1)),
    ]
    var sound: [[UInt8]] = []
    for (number, target) in targets.enumerated() {
      for body in arguments {
        sound.append(
          RawPeer.call(WellKnown.broker, target, arguments: body, count: body.isEmpty ? 0 : 1, identifier: UInt64(1_000 + number)))
      }
    }
    for kind in 1...20 { sound.append(Envelope(EnvelopeKind(rawValue: UInt8(kind)), call: 7).message(body: try CBOR.encode("a body"))) }
    self.sound = sound
  }

  /// The next message: one frame as a rule, several now and then.
  mutating func next() -> [[UInt8]] {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return [random.bytes(Int.random(in: 0...300, using: &random))]
    case 1: return (0..<Int.random(in: 1...50, using: &random)).map { _ in [] }
    case 2: return [forged()]
    case 3: return [deep()]
    case 4: return [mutated(), mutated()]
    default: return [mutated()]
    }
  }

  /// A sound frame that was cut, lengthened, or changed in some bytes.
  private mutating func mutated() -> [UInt8] {
    guard var frame = sound.randomElement(using: &random) else { return [] }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: frame.removeLast(Int.random(in: 1..<frame.count, using: &random))
    case 1: frame += random.bytes(Int.random(in: 1...200, using: &random))
    case 2:
      // The length fields, which promise more than there is.
      for offset in 20..<24 { frame[offset] = UInt8.random(in: 0...255, using: &random) }
    default:
      for _ in 0...Int.random(in: 0...6, using: &random) {
        frame[Int.random(in: 0..<frame.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
    }
    return frame
  }

  /// Targets that exist in the process but are nobody's to call, generic ones among them.
  private mutating func forged() -> [UInt8] {
    let names = [
      "$sSS", "$s4main9DoNotCallC3nowyyYaKFTE", "$s13MinervaBroker7GatewayC7restore", "$sSa", "exit", "",
      String(repeating: "$sSaySaySay", count: 60), "\u{0}recorder",
    ]
    let actors = [WellKnown.broker, WellKnown.host, "nobody", "", "broker\u{0}"]
    var name = Bool.random(using: &random) ? names.randomElement(using: &random) ?? "" : targets.randomElement(using: &random) ?? ""
    // A generic instance of a name that is on the list.
    if Bool.random(using: &random) { name += "yxSgKlFTE" }
    return RawPeer.call(
      actors.randomElement(using: &random) ?? "", name, arguments: random.bytes(Int.random(in: 0...40, using: &random)),
      count: UInt8.random(in: 0...255, using: &random))
  }

  /// Values that nest without end, or claim lengths that no memory has.
  private mutating func deep() -> [UInt8] {
    let hearts: [[UInt8]] = [
      [UInt8](repeating: 0x9F, count: 10_000), [UInt8](repeating: 0x81, count: 10_000), [UInt8](repeating: 0xC1, count: 10_000),
      Array(repeating: [0xA1, 0x61, 0x61], count: 3_000).flatMap { $0 }, [0x9B] + [UInt8](repeating: 0xFF, count: 8),
      [0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7), [0xBB, 0, 0, 0, 1, 0, 0, 0, 0], [0x7F] + [UInt8](repeating: 0x60, count: 5_000),
    ]
    return RawPeer.call(
      WellKnown.broker, targets.randomElement(using: &random) ?? "", arguments: hearts.randomElement(using: &random) ?? [], count: 1)
  }
}
