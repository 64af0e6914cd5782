import Distributed
import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol
import MinervaWire

/// Hosts and workers, called.
extension Gateway {
  func endpoint(of host: String) throws -> $ModuleEndpoint {
    try $ModuleEndpoint.resolve(id: ActorAddress(node: host, name: WellKnown.host), using: actorSystem)
  }

  func connect(_ order: ConnectOrder, at host: String) {
    link(order.scene, order.connection.screen, order.connection.lease, at: host) { try await $0.connect(order) }
  }

  func resume(_ order: ResumeOrder, at host: String) {
    link(order.scene, order.resumption.screen, order.resumption.lease, at: host) { try await $0.resume(order) }
  }

  private func link(
    _ scene: SceneIdentity, _ screen: ScreenID, _ lease: UInt32, at host: String,
    _ ask: @escaping @Sendable ($ModuleEndpoint) async throws -> LinkVerdict
  ) {
    Task {
      let verdict: LinkVerdict
      do {
        let endpoint = try self.endpoint(of: host)
        verdict = try await BusSystem.$deadline.withValue(.seconds(10)) { try await ask(endpoint) }
      } catch let error as MinervaError where [.peerLost, .unreachable, .closed].contains(error.code) {
        verdict = .lost(host: host)
      } catch let error as MinervaError {
        verdict = .refused(Refusal(error))
      } catch {
        verdict = .refused(Refusal(code: MinervaError.Code.moduleFactoryFailed.rawValue, message: "\(host) failed: \(error)"))
      }
      self.perform(self.machine.linked(scene, LinkReport(screen: screen, lease: lease, verdict: verdict), now: self.now))
    }
  }

  func lane(_ host: String) -> OrderLane {
    if let lane = lanes[host] { return lane }
    let lane = OrderLane()
    lanes[host] = lane
    return lane
  }

  /// Sends what a lane holds until it is empty.
  func send(to host: String) async {
    while let batch = lanes[host]?.next() {
      while true {
        do {
          try await endpoint(of: host).accept(batch)
          break
        } catch let error as MinervaError where error.code == .deadline || error.code == .backpressure {
          machine.count("orders.repeated")
          // A full window is refused at once; a host that is stopped keeps it full until it counts as lost.
          if let pause = error.retryAfterMilliseconds { try? await Task.sleep(for: .milliseconds(pause)) }
          guard lanes[host]?.isDropped == false else { break }
        } catch {
          machine.count("orders.dropped", batch.count)
          break
        }
      }
    }
  }

  /// Tells a worker; one that cannot be told is lost, or soon will be, and its credit with it.
  func cancel(_ name: DiffDesk.Name, _ lease: WorkerPoolStateMachine.Lease) {
    Task {
      let worker = ActorAddress(node: lease.worker.name, name: WellKnown.worker)
      do {
        try await $DiffWorker.resolve(id: worker, using: self.actorSystem).cancel(job: "\(name.caller)\u{0}\(name.job)")
      } catch {
        return
      }
      self.perform(self.machine.cancelled(lease, now: self.now))
    }
  }
}
