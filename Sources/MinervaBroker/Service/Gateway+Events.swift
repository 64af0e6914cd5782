import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaTransport
import MinervaWire

/// What others hear of a broker's scenes, and who.
extension Gateway {
  /// Publishes an event: on the sockets to whoever may hear everything, over the links to those whose keys cover its scene. What processes do is
  /// no scene's; `status` tells it to everyone.
  func publish(_ event: SceneEvent, app: String) {
    let isOpen = event.scene == SceneEvent.processes
    actorSystem.publish(topic: SceneEvent.topic(of: event.scene), to: { isOpen || $0.covers(event.scene, app: app) }) {
      try? CBOR.encode(event)
    }
    // Another scene of that name begins at 1.
    if case .navigation(let navigation) = event.kind, case .ended = navigation.kind {
      actorSystem.forget(topic: SceneEvent.topic(of: event.scene))
    }
  }

  /// Why a peer may not subscribe to a topic over its link; what it may hear of it is asked again at each event.
  func objection(to peer: PeerIdentity, hearing topic: String) -> MinervaError? {
    guard let scene = SceneEvent.scene(ofTopic: topic) else { return MinervaError(.unsupported, "there is no feed called \(topic)") }
    guard scene == SceneEvent.processes || peer.grant.mayCover(scene, app: machine.identity(of: scene)?.app) else {
      return MinervaError(.unauthorized, "the key of \(peer.node) may not touch the scene \(scene)")
    }
    return nil
  }
}
