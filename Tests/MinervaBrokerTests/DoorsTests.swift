import MinervaActors
import MinervaTransport
import MinervaWire
import Testing

@Suite("Doors of processes on tcp") struct DoorsTests {
  private let broker = PeerIdentity(node: "broker", incarnation: 1, kind: "broker", grant: .local)

  private func list(_ keys: [String: PeerRole]) -> String {
    AuthorizedKeys(keys.mapValues { AuthorizedKeys.Entry(grant: PeerGrant(role: $0)) }).text
  }

  @Test("the list replaces what was listed, guests stay, and the list's word on a key counts")
  func listsAndGuests() throws {
    let keys = try (0..<4).map { _ in try CurveKeyPair().publicKey }
    var doors = Doors()
    #expect(try doors.take(listed: nil, guests: [keys[0], keys[3]], from: broker).entries.count == 2)
    let first = try doors.take(listed: list([keys[1]: .admin, keys[3]: .navigate]), guests: [], from: broker)
    #expect(Set(first.entries.keys) == [keys[0], keys[1], keys[3]])
    #expect(first[keys[0]] == .local && first[keys[3]]?.role == .navigate)
    let second = try doors.take(listed: list([keys[2]: .admin]), guests: [], from: broker)
    #expect(Set(second.entries.keys) == [keys[0], keys[2], keys[3]], "who is not listed any more is out")
  }

  @Test("nobody but the broker says who may come in, and nothing but keys")
  func strangers() throws {
    let key = try CurveKeyPair().publicKey
    var doors = Doors()
    // A navigator with a key may call itself what it likes.
    let pretender = PeerIdentity(node: "b", incarnation: 1, kind: "broker", grant: PeerGrant(role: .navigate), key: key)
    let host = PeerIdentity(node: "shop-1", incarnation: 1, kind: "host", grant: .local)
    for caller in [nil, pretender, host] {
      #expect(throws: MinervaError.self) { try doors.take(listed: list([key: .admin]), guests: [key], from: caller) }
    }
    #expect(throws: MinervaError.self) { try doors.take(listed: nil, guests: ["x"], from: broker) }
    #expect(throws: MinervaError.self) { try doors.take(listed: "x admin\n", guests: [key], from: broker) }
    #expect(try doors.take(listed: nil, guests: [], from: broker).entries.isEmpty, "nothing was kept of what was refused")
  }

  @Test("guests are bounded; the oldest goes first")
  func bounded() throws {
    var doors = Doors()
    func key(_ number: Int) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: 40 - digits.count) + digits
    }
    for start in stride(from: 0, to: Doors.guestLimit + 512, by: 512) {
      _ = try doors.take(listed: nil, guests: (start..<start + 512).map(key), from: broker)
    }
    let known = try doors.take(listed: nil, guests: [], from: broker)
    #expect(known.entries.count == Doors.guestLimit && known[key(511)] == nil && known[key(512)] != nil)
  }
}
