import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaTransport
import MinervaWire

/// What the caller of a method may do, by its key's role, apps and scenes.
extension Gateway {
  @discardableResult
  func permit(_ role: PeerRole, scene: SceneAddress? = nil) throws(MinervaError) -> String {
    let caller = try permitted(role)
    // A scene that exists has its app, whatever the caller calls it.
    if let scene, !mayTouch(scene.name, app: machine.identity(of: scene.name)?.app ?? scene.app) {
      throw MinervaError(.unauthorized, "the key of \(caller.node) may not touch the scene \(scene.name)")
    }
    return caller.node
  }

  func permitted(_ role: PeerRole) throws(MinervaError) -> PeerIdentity {
    guard let caller = BusSystem.currentCaller else { throw MinervaError(.unauthorized, "a call from nobody") }
    guard caller.role >= role else {
      throw MinervaError(.unauthorized, "\(caller.node) has the role \(caller.role.rawValue); this needs \(role.rawValue)")
    }
    return caller
  }

  /// Requires an administrator who may serve an app, or, without one, everything: it sees the inputs of every scene it serves.
  func permitServing(_ app: String?) throws(MinervaError) -> PeerIdentity {
    let caller = try permitted(.admin)
    let grant = caller.grant
    guard grant.isUnrestricted || grant.scenes.isEmpty && app.map(grant.apps.contains) ?? false else {
      throw MinervaError(.unauthorized, "the key of \(caller.node) may not serve \(app ?? "every app")")
    }
    return caller
  }

  func mayKnow(_ app: String) -> Bool {
    guard let apps = BusSystem.currentCaller?.grant.apps, !apps.isEmpty else { return true }
    return apps.contains(app)
  }

  func mayTouch(_ scene: String, app: String?) -> Bool {
    guard let grant = BusSystem.currentCaller?.grant, !grant.isUnrestricted else { return true }
    return app.map { grant.covers(scene, app: $0) } ?? (grant.apps.isEmpty && grant.covers(scene, app: ""))
  }
}
