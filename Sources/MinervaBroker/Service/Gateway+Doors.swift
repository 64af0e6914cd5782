import Distributed
import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
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
    } catch let error as MinervaError where error.code == .deadline {
      throw MinervaError(
        .deadline,
        "\(node) was told whom to let in and did not answer within \(Self.admission); it is busy or stands still, its own log may say with what",
        details: error.details, retryable: true)
    }
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
    for (node, door) in doors where door.key != nil {
      Task {
        do {
          try await self.admit(AdmittedKeys(listed: self.vouched(for: door.kind)), at: node, door.kind)
        } catch {
          // One that cannot be told is lost, or soon will be, and is told when it is back.
          self.machine.count("doors.unreached")
        }
      }
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
