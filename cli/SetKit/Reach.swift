package import CommandKit
import Glibc
package import Minerva
package import MinervaInterfaces
package import MinervaSupervision
import MinervaTransport
package import MinervaWire
package import ServiceKit
package import ShellKit

/// How a command finds a running set: the runtime directory, the broker in it or the one `--connect` names, and the supervisor if any.
package struct Reach: Sendable {
  package let runtime: RuntimeDirectory
  private let connection: ConnectionSettings
  /// Whether `--connect` or its variable named the broker.
  package let isRemote: Bool

  package init(_ command: ParsedCommand) throws(MinervaError) {
    runtime = RuntimeDirectory.choose(option: command.fromEnvironment.contains("runtime") ? nil : command.text("runtime"))
    isRemote = command.text("connect") != nil
    connection = try ConnectionSettings(command, runtime: runtime)
  }

  package init(runtime: RuntimeDirectory, connection: ConnectionSettings) {
    self.runtime = runtime
    self.connection = connection
    isRemote = false
  }

  package var endpoint: String { connection.endpoint.description }

  /// Whether a broker lives in the runtime directory.
  package var isBrokerThere: Bool { runtime.isServed("broker") }

  /// Connects to the broker.
  ///
  /// - Throws: `bus.unsafe_directory`, `bus.unreachable` and what the link says.
  package func client(name: String) async throws(MinervaError) -> Client {
    if !isRemote, try runtime.dialledPath("broker") == nil, !(try await comesBack()) {
      throw MinervaError(.unreachable, "no broker in \(runtime.path); minerva up starts one, --connect names another")
    }
    do {
      return try await Client.connect(
        to: connection.endpoint, name: name, version: ProductVersion.text, security: connection.security)
    } catch {
      var stated = Session.stated(error)
      if isRemote, stated.code == .unreachable, let reason = await connection.endpoint.unresolved(within: .seconds(2)) {
        stated.message = reason
      }
      throw stated
    }
  }

  /// Whether a broker that is away and supervised is there again within a moment: it is being restarted.
  private func comesBack() async throws(MinervaError) -> Bool {
    guard try runtime.dialledPath("supervisor") != nil else { return false }
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(5)
    while clock.now < deadline, !Task.isCancelled {
      if try runtime.dialledPath("broker") != nil { return true }
      try? await clock.sleep(for: .milliseconds(20))
    }
    return false
  }

  /// Connects to the broker, and to the supervisor where there is one.
  ///
  /// - Parameter onClose: What else ends with the target.
  package func target(
    name: String, scene: SceneAddress, control: (any SetControl)? = nil,
    onClose: @escaping @Sendable () async -> Void = {}
  ) async throws(MinervaError) -> ClientTarget {
    let client = try await client(name: name)
    if let control {
      return ClientTarget(client, scene: scene, control: control) {
        await client.close()
        await onClose()
      }
    }
    let link = isRemote ? nil : try? await SupervisorLink.connect(runtime)
    return ClientTarget(client, scene: scene, control: link) {
      async let linkIsClosed: Void? = link?.close()
      await client.close()
      await linkIsClosed
      await onClose()
    }
  }
}

extension Endpoint {
  /// Why the name of its host leads to no address; nil when it does, or nobody says in time.
  fileprivate func unresolved(within time: Duration) async -> String? {
    guard case .tcp(let host, _) = self else { return nil }
    let (answers, answer) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingOldest(1))
    // The resolver blocks for as long as its servers are silent.
    let isAsked = SystemThread.start(named: "resolver") {
      var found: UnsafeMutablePointer<addrinfo>?
      let failure = getaddrinfo(host, nil, nil, &found)
      if let found { freeaddrinfo(found) }
      answer.yield(failure == 0 ? nil : "the name \(host) leads to no address: \(String(cString: gai_strerror(failure)))")
    }
    guard isAsked else { return nil }
    let patience = Task {
      try? await ContinuousClock().sleep(for: time)
      answer.yield(nil)
    }
    defer { patience.cancel() }
    for await reason in answers { return reason }
    return nil
  }
}
