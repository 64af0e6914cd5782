package import MinervaTransport
package import MinervaWire

/// The doors of a process that listens over tcp: who may come in, which nobody but its broker says.
package struct Doors: Sendable {
  private var listed = AuthorizedKeys()
  /// Oldest first.
  private var guests: [String] = []

  /// How many guests are remembered; the oldest goes first, and comes back when the broker names it again.
  package static let guestLimit = 4_096

  package init() {}

  /// Takes what the broker says, and returns everyone who may come in now.
  ///
  /// - Parameters:
  ///   - text: The list of keys, which replaces the last one; without it that one stays.
  ///   - more: Keys of local processes, which stay as well.
  ///   - caller: Who says it.
  /// - Throws: `bus.unauthorized` when that is not the broker, or the list cannot be read; `bus.bad_message` for what is no key.
  package mutating func take(listed text: String?, guests more: [String], from caller: PeerIdentity?) throws(MinervaError) -> AuthorizedKeys
  {
    // A broker that this process dialled has every right here; whoever came in by a door has what the broker gave it.
    guard let caller, caller.kind == "broker", caller.key == nil || caller.role == .admin else {
      throw MinervaError(.unauthorized, "the broker alone says who may come in")
    }
    for key in more where !CurveKeyPair.isKey(key) { throw .badMessage("a key to let in has not 40 characters of Z85") }
    if let text { listed = try AuthorizedKeys(text: text) }
    for guest in more {
      guests.removeAll { $0 == guest }
      guests.append(guest)
    }
    if guests.count > Self.guestLimit { guests.removeFirst(guests.count - Self.guestLimit) }
    // What the list says of a key counts.
    var entries = listed.entries
    for guest in guests where entries[guest] == nil { entries[guest] = AuthorizedKeys.Entry(grant: .local) }
    return AuthorizedKeys(entries)
  }
}
