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
    Task {
      let verdict: LinkVerdict
      do {
        let endpoint = try self.endpoint(of: host)
        verdict = try await BusSystem.$carriesLists.withValue(true) {
          try await BusSystem.$deadline.withValue(Self.making) { try await endpoint.connect(order) }
        }
      } catch let error as MinervaError where [.peerLost, .unreachable, .closed].contains(error.code) {
        verdict = .lost(host: host)
      } catch let error as MinervaError {
        verdict = .refused(Refusal(error))
      } catch {
        verdict = .refused(Refusal(code: MinervaError.Code.moduleFactoryFailed.rawValue, message: "\(host) failed: \(error)"))
      }
      let report = LinkReport(screen: order.connection.screen, lease: order.connection.lease, verdict: verdict)
      self.perform(self.machine.linked(order.scene, report, now: self.now))
    }
  }

  /// Has a host make a coordinator again.
  func resume(_ order: ResumeOrder, at host: String) {
    Task {
      let verdict = await self.verdict(on: order, of: host)
      self.perform(self.machine.resumed(order, at: host, verdict, now: self.now))
    }
  }

  /// What a host says of a coordinator that it is to make again; `nil` when nobody waits for it any more.
  ///
  /// A screen leaves by its host's own word alone (K3): what is in the way between here and there is tried again as long as it keeps its
  /// place, or counts as the host's loss.
  private func verdict(on order: ResumeOrder, of host: String) async -> LinkVerdict? {
    var order = order
    while machine.awaits(order, of: host) {
      do {
        let endpoint = try self.endpoint(of: host)
        let wanted = order
        return try await BusSystem.$carriesLists.withValue(true) {
          try await BusSystem.$deadline.withValue(Self.making) { try await endpoint.resume(wanted) }
        }
      } catch let error as MinervaError where error.code == .backpressure || error.code == .deadline {
        machine.count("resumes.repeated")
        try? await Task.sleep(for: .milliseconds(error.retryAfterMilliseconds ?? 20))
      } catch let error as MinervaError where error.code == .tooLarge && order.shown != nil {
        // It shows the whole then.
        order.shown = nil
      } catch {
        machine.count("resumes.failed")
        return .lost(host: host)
      }
    }
    return nil
  }

  /// How long a host may take to make something before it is asked again, or given up.
  private static let making = Duration.seconds(10)

  func lane(_ host: String) -> OrderLane {
    if let lane = lanes[host] { return lane }
    let lane = OrderLane()
    lanes[host] = lane
    return lane
  }

  /// Sends what a lane holds until it is empty.
  func send(_ lane: OrderLane, to host: String) async {
    while let batch = lane.next() {
      var left = [batch]
      while !left.isEmpty, !lane.isDropped {
        do {
          let endpoint = try endpoint(of: host)
          let orders = left[0]
          try await BusSystem.$carriesLists.withValue(true) { try await endpoint.accept(orders) }
          left.removeFirst()
        } catch let error as MinervaError where error.code == .deadline || error.code == .backpressure {
          machine.count("orders.repeated")
          // A full window is refused at once; a host that is stopped keeps it full until it counts as lost.
          if let pause = error.retryAfterMilliseconds { try? await Task.sleep(for: .milliseconds(pause)) }
        } catch let error as MinervaError where error.code == .tooLarge || error.code == .badMessage {
          machine.count("orders.split")
          left.replaceSubrange(0..<1, with: OrderLane.split(left[0], after: error))
        } catch {
          machine.count("orders.dropped", left.joined().count)
          break
        }
      }
    }
  }

  /// Tells a worker, however busy it is: until it knows, the job holds its credit. One that is lost loses its credit with it.
  func cancel(_ name: DiffDesk.Name, _ lease: WorkerPoolStateMachine.Lease) {
    Task {
      let worker = ActorAddress(node: lease.worker.name, name: WellKnown.worker)
      let job = "\(name.caller.name)\u{0}\(name.caller.incarnation)\u{0}\(name.job)"
      let isTold = await insist(
        while: { self.machine.desk.isHeld(lease) }, isRefused: { self.machine.count("cancels.repeated") }
      ) {
        try await $DiffWorker.resolve(id: worker, using: self.actorSystem).cancel(job: job)
      }
      if isTold { self.perform(self.machine.cancelled(lease, now: self.now)) }
    }
  }
}
