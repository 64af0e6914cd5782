import MinervaActors
package import MinervaInterfaces
package import MinervaSupervision
import MinervaTransport
package import MinervaWire
import ServiceKit
import ShellKit

/// The supervisor of a runtime directory, called from another process.
package final class SupervisorLink: SetControl {
  private let bus: BusSystem
  private let supervisor: any Supervisor

  private init(_ bus: BusSystem, _ supervisor: any Supervisor) {
    self.bus = bus
    self.supervisor = supervisor
  }

  /// Connects.
  ///
  /// - Throws: `bus.unreachable` when nobody supervises in that directory, `bus.unsafe_directory` when it is not this user's alone.
  package static func connect(_ runtime: RuntimeDirectory) async throws(MinervaError) -> SupervisorLink {
    guard let path = try runtime.dialledPath("supervisor") else {
      throw MinervaError(.unreachable, "nothing runs in \(runtime.path); minerva up starts it")
    }
    do {
      let interfaces = try await FixedInterfaces.learn()
      let name = "control-" + String(UInt32.random(in: .min ... .max), radix: 36)
      let bus = BusSystem(BusSettings(node: name, kind: "client", version: ProductVersion.text, interfaces: interfaces.catalogue))
      let node = try await bus.connect(to: .ipc(path: path), patience: .seconds(1))
      let supervisor = try $Supervisor.resolve(id: ActorAddress(node: node, name: WellKnown.supervisor), using: bus)
      return SupervisorLink(bus, supervisor)
    } catch {
      throw Session.stated(error)
    }
  }

  package func processes() async throws -> [ProcessReport] { try await supervisor.processes() }
  package func signal(_ process: String, _ number: Int32) async throws { try await supervisor.signal(process, number: number) }

  /// Asks the supervisor to stop everything.
  package func stop() async throws { try await supervisor.stop() }

  package func close() async { await bus.close(grace: .milliseconds(200)) }
}
