import Distributed
import MinervaActors
import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaWire

extension Gateway {
  /// Asks the owner of a route.
  func inquire(_ inquiry: RouteInquiry, at host: String, within milliseconds: Int64) {
    Task {
      let decision: Result<RouteDecision, MinervaError>
      do {
        let endpoint = try self.endpoint(of: host)
        decision = .success(
          try await BusSystem.$deadline.withValue(.milliseconds(milliseconds)) { try await endpoint.resolve(inquiry) })
      } catch let error as MinervaError where [.peerLost, .unreachable, .closed, .deadline].contains(error.code) {
        decision = .failure(
          MinervaError(
            .routeFailed, "\(host) did not answer for \(inquiry.question.pattern) under \(inquiry.question.module); nothing changed",
            retryable: true))
      } catch let error as MinervaError {
        decision = .failure(error)
      } catch {
        decision = .failure(MinervaError(.routeFailed, "\(inquiry.question.pattern) under \(inquiry.question.module): \(error)"))
      }
      self.perform(self.machine.decided(inquiry.scene.name, inquiry.question, decision, now: self.now))
    }
  }
}
