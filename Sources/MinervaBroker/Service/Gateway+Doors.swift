import Distributed
import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaProtocol
import MinervaTransport
import MinervaWire

/// A process that listens over tcp, as the broker knows it: whom to tell of it, and whom it lets in.
struct Door: Sendable {
  enum Kind: Sendable { case host(app: String), worker }

  let kind: Kind
  let endpoint: String
  /// The key that proves it to whoever dials; nothing where tcp goes without keys.
  let key: String?
  /// Local processes whose keys it has been given.
  var guests: Set<String> = []
  /// Why it may not know the newest list of whom to let in; nothing when it does.
  var trouble: String?
}

/// Doors over tcp: a host or worker lets in whom its broker vouches for, and callers are told its key with its address.
extension Gateway {
  /// Notes where a process listens, and tells it whom to let in; returns when it does.
  ///
  /// - Throws: `bus.*` when it cannot be told.
  func opens(_ kind: Door.Kind, at endpoint: String?, key: String?, node: String) async throws {
    guard let endpoint, endpoint.hasPrefix("tcp://") else { return doors[node] = nil }
    guard key.map(CurveKeyPair.isKey) ?? true else { throw MinervaError(.badMessage, "\(node) has a key that is none") }
    doors[node] = Door(kind: kind, endpoint: endpoint, key: key)
    guard key != nil else { return }
    do {
      try await admit(AdmittedKeys(listed: vouched(for: kind)), at: node, kind)
    } catch {
      let untold = Self.untold(node, error)
      log("doors: \(untold.message)")
      doors[node]?.trouble = untold.message
      throw untold
    }
  }

  /// What a person is told, here and at the process itself, when it was told whom to let in and did not take it.
  private static func untold(_ node: String, _ error: any Error) -> MinervaError {
    guard let error = error as? MinervaError else { return MinervaError(.badMessage, "\(node) was not told whom to let in: \(error)") }
    guard error.code == .deadline else {
      return MinervaError(
        error.code,
        "\(node) was told whom to let in and did not take it: \(error.message); keys that are new here stay out there, and revoked ones in",
        details: error.details, retryable: error.retryable)
    }
    return MinervaError(
      .deadline,
      "\(node) was told whom to let in and did not answer within \(admission); it is busy or stands still, its own log may say with what",
      details: error.details, retryable: true)
  }

  /// How long a process may take to answer when it is told whom to let in.
  private static let admission = Duration.seconds(4)

  /// The key of a process that a caller is about to dial, once it lets the caller in; nothing where none is needed.
  ///
  /// A caller over tcp is in the list or is not. One of our own directory has no key there: the one it brought is vouched for now.
  func introduce(_ caller: PeerIdentity, to node: String) async -> String? {
    guard let door = doors[node], let key = door.key else { return nil }
    guard caller.key == nil, let guest = caller.statedKey, !door.guests.contains(guest) else { return key }
    do {
      try await admit(AdmittedKeys(guests: [guest]), at: node, door.kind)
      if doors[node]?.guests.count ?? 0 >= Doors.guestLimit { doors[node]?.guests = [] }
      doors[node]?.guests.insert(guest)
    } catch {
      // It is gone, or will not answer: the caller finds the same, and asks for another.
      machine.count("doors.unreached")
    }
    return key
  }

  /// The list of keys is another: every door is told.
  func vouches(for keys: AuthorizedKeys) {
    authorized = keys
    listing += 1
    for (node, door) in doors where door.key != nil { Task { [listing] in await self.tell(node, listing) } }
  }

  /// Tells a door of a list until it knows it, or is gone, or there is a newer one: until then it lets in whom it should not.
  private func tell(_ node: String, _ number: UInt64) async {
    var backoff = Backoff(first: 250, cap: 5_000)
    var random = SystemRandomNumberGenerator()
    while listing == number, let door = doors[node], door.key != nil {
      do {
        try await admit(AdmittedKeys(listed: vouched(for: door.kind)), at: node, door.kind)
        guard listing == number, let trouble = doors[node]?.trouble else { return }
        doors[node]?.trouble = nil
        log("doors: \(node) knows the list now, of which was said: \(trouble)")
        return
      } catch {
        machine.count("doors.unreached")
        // Of one that is gone nothing is to be said: it is told when it is back.
        let code = (error as? MinervaError)?.code
        guard listing == number, doors[node] != nil, code != .peerLost, code != .unreachable else { return }
        let untold = Self.untold(node, error)
        if doors[node]?.trouble != untold.message { log("doors: \(untold.message)") }
        doors[node]?.trouble = untold.message
      }
      try? await Task.sleep(for: .milliseconds(backoff.next(using: &random)))
    }
  }

  /// Who may come in at a door: this broker, and of its list those whom it would let do there what can be done there.
  private func vouched(for kind: Door.Kind) -> String {
    var entries = authorized.entries.filter { _, entry in
      switch kind {
      // A host does whatever it is told, in any scene of its app.
      case .host(let app): entry.grant.role == .admin && entry.grant.scenes.isEmpty && entry.grant.covers("", app: app)
      // A worker compares lists for whoever may ask for a lease; it knows no scenes.
      case .worker: entry.grant.role >= .navigate
      }
    }
    if let own = actorSystem.publicKey { entries[own] = AuthorizedKeys.Entry(grant: .local) }
    return AuthorizedKeys(entries).text
  }

  private func admit(_ keys: AdmittedKeys, at node: String, _ kind: Door.Kind) async throws {
    try await BusSystem.$deadline.withValue(Self.admission) {
      switch kind {
      case .host: try await endpoint(of: node).admit(keys)
      case .worker:
        try await $DiffWorker.resolve(id: ActorAddress(node: node, name: WellKnown.worker), using: actorSystem).admit(keys)
      }
    }
  }
}
