package import CommandKit
package import MinervaTransport
package import MinervaWire

extension ServiceProcess {
  /// Where this process takes calls: as `--listen` and `--advertise` say, else at its socket in the runtime directory.
  ///
  /// - Throws: `bus.endpoint_invalid` for what cannot be dialled; `bus.unauthorized` for tcp without a key.
  package func listening(_ command: ParsedCommand, _ connection: ConnectionSettings) throws(MinervaError) -> Listening {
    if let text = command.text("listen") {
      return try Listening(tcp: text, advertise: command.text("advertise"), connection.security)
    }
    guard command.text("advertise") == nil else {
      throw MinervaError(.endpointInvalid, "--advertise says where others reach what --listen opens; give both")
    }
    if case .tcp = connection.endpoint, !connection.endpoint.isLoopback {
      log("listens on a socket of this machine alone; --listen tcp://HOST:PORT lets processes of other machines call it")
    }
    return Listening(socket: try socket(name))
  }
}
