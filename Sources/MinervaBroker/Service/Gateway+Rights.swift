import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaTransport
import MinervaWire

/// What the caller of a method may do, by its key's role, apps and scenes.
extension Gateway {
  @discardableResult
  func permit(_ role: PeerRole, scene: SceneAddress? = nil) throws(MinervaError) -> String {
    let caller = try permitted(role)
    guard let scene, !caller.grant.isUnrestricted else { return caller.node }
    // A scene that exists has its app, whatever the caller calls it.
    if !mayTouch(scene.name, app: machine.identity(of: scene.name)?.app ?? scene.app) {
      throw MinervaError(.unauthorized, "the key of \(caller.node) may not touch the scene \(scene.name)")
    }
    return caller.node
  }

  /// The same for a request: a key that is narrowed to some apps opens no other app's module, in no scene.
  @discardableResult
  func permit(_ action: Command.Action, scene: SceneAddress) throws(MinervaError) -> String {
    let node = try permit(action.role, scene: scene)
    try requireKnown(action.modules, node)
    return node
  }

  /// The node of a host that says something of a screen: that it runs it is looked at there; its key need not reach the scene, which may be
  /// another app's (`shop/Login`). What it asks for with a turn is looked at here.
  func permitHost(_ requests: [TurnRequest] = []) throws(MinervaError) -> String {
    let node = try permitted(.admin).node
    for request in requests { try requireKnown(request.action.modules, node) }
    return node
  }

  private func requireKnown(_ modules: [ModuleAddress], _ node: String) throws(MinervaError) {
    for module in modules {
      guard let app = module.app, !mayKnow(app) else { continue }
      throw MinervaError(.unauthorized, "the key of \(node) may not open \(module)")
    }
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
