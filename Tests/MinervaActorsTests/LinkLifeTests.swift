import Distributed
import Glibc
@testable import MinervaActors
import MinervaTransport
import MinervaWire
import RawPeers
import TestSupport
import Testing

@Suite("Links between buses: names, loss, return, end", .timeLimit(.minutes(1)))
struct LinkLifeTests {
  @Test("a process that is not there is an error now, not a silence")
  func unreachable() async throws {
    let bus = BusSystem(BusSettings(node: "client"))
    let endpoint = try Endpoint("ipc:///tmp/minerva-nobody-\(getpid())")
    #expect(await failure { try await bus.connect(to: endpoint) }?.code == .unreachable)
    let echo = try $Echo.resolve(id: ActorAddress(node: "nobody", name: "echo"), using: bus)
    #expect(await failure { _ = try await echo.add(1, 1) }?.code == .unreachable)
    await bus.route(node: "nobody", to: endpoint)
    #expect(await failure { _ = try await echo.add(1, 1) }?.code == .unreachable)
    await bus.close()
  }

  @Test("C01: a bus that could not deliver ends within its grace and says so, for a port that was never open")
  func closesUndelivered() async throws {
    // Longer than a busy machine may take to look.
    let bus = BusSystem(
      BusSettings(
        node: "client", handshakeTimeout: .seconds(60), deadline: .seconds(60), security: BusSecurity(allowsInsecureLoopback: true)))
    let mute = try #require(RawListener())
    await bus.route(node: "mute", to: mute.endpoint)
    let echo = try $Echo.resolve(id: ActorAddress(node: "mute", name: "echo"), using: bus)
    async let waiting = failure { try await echo.note(1) }
    let report = try await bus.closeAfterQueueing(grace: .milliseconds(100))
    #expect(await waiting?.code == .closed)
    #expect(report.undelivered + report.unanswered == 1)
    #expect(await failure { try await echo.note(1) }?.code == .closed)
    withExtendedLifetime(mute) {}
  }

  @Test("calls that wait for a peer go out when it dials us: they do not share a frame with the welcome")
  func waitingAtWelcome() async throws {
    // The attempt at the mute port must outlast a busy machine.
    try await Pair.with(server: {
      $0.handshakeTimeout = .seconds(60)
      $0.deadline = .seconds(60)
    }) { pair in
      let actor = try await PoolEcho.serve(on: pair.client, as: "back")
      let mute = try #require(RawListener())
      await pair.server.route(node: "client", to: mute.endpoint)
      let back = try $Echo.resolve(id: ActorAddress(node: "client", name: "back"), using: pair.server)
      async let first = back.add(1, 1)
      async let second = back.add(2, 2)
      try await until { !(await pair.server.waitingCalls() < 2) }
      try await pair.client.connect(to: pair.endpoint)
      #expect(try await first + second == 6)
      withExtendedLifetime((actor, mute)) {}
    }
  }

  @Test("whoever waits for a connection that is let go of hears it")
  func letGo() async throws {
    try await Pair.with(client: { $0.handshakeTimeout = .seconds(60) }) { pair in
      let mute = try #require(RawListener())
      let endpoint = mute.endpoint
      async let waiting = failure { try await pair.client.connect(to: endpoint, patience: .seconds(20)) }
      try await until("it is dialled") { await pair.client.onLoop { pair.client.dialled[endpoint]?.waiters.count } == 1 }
      await pair.client.disconnect(from: endpoint)
      #expect(await waiting?.code == .cancelled)
      withExtendedLifetime(mute) {}
    }
  }

  @Test("whoever reads late hears of every peer that was lost, in order")
  func everyLoss() async throws {
    try await Pair.with { pair in
      let events = pair.client.peerEvents
      let client = pair.client
      await client.onLoop { for life in 1...10_000 { client.emit(.lost(node: "n", incarnation: UInt64(life), reason: "")) } }
      var heard: [UInt64] = []
      for await case .lost(_, let life, _) in events {
        heard.append(life)
        if life == 10_000 { break }
      }
      #expect(heard == Array(1...10_000))
    }
  }

  @Test("a peer that leaves: calls in flight end at once and may have been executed; watchers and events hear of it once")
  func loss() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      let events = pair.client.peerEvents
      try await pair.client.connect(to: pair.endpoint)
      let echo = try pair.echo()
      async let hanging = failure { try await echo.hang() }
      async let termination = pair.client.terminated(actor.id)
      await actor.waitForHang()
      try await until { !(await pair.client.peers().first?.callsInFlight != 1) }
      await pair.server.close(grace: .zero)
      let error = await hanging
      #expect(error?.code == .peerLost)
      #expect(error?.maybeExecuted == true)
      #expect(try await termination.address == actor.id)
      var seen: [String] = []
      for await event in events {
        switch event {
        case .connected(let info): seen.append("connected \(info.node)")
        case .lost(let node, _, _): seen.append("lost \(node)")
        }
        if seen.count == 2 { break }
      }
      #expect(seen == ["connected server", "lost server"])
    }
  }

  @Test("a server that comes back on its path is found again, with backoff, by the same link")
  func returns() async throws {
    try await Pair.with { pair in
      let first = try await PoolEcho.serve(on: pair.server)
      try await pair.client.connect(to: pair.endpoint)
      #expect(try await pair.echo().add(1, 1) == 2)
      await pair.server.close(grace: .zero)
      let second = BusSystem(BusSettings(node: "server", kind: "broker"))
      let actor = try await PoolEcho.serve(on: second)
      let events = pair.client.peerEvents
      try await second.listen(on: pair.endpoint)
      for await event in events { if case .connected(let info) = event, info.incarnation == second.incarnation { break } }
      #expect(try await pair.echo().add(2, 2) == 4)
      await second.close(grace: .zero)
      withExtendedLifetime((first, actor)) {}
    }
  }

  @Test("C04: a second live peer of one name gets an explicit rejection; the name is free again when its holder is gone")
  func nameTaken() async throws {
    try await Pair.with { pair in
      try await pair.client.connect(to: pair.endpoint)
      let second = BusSystem(BusSettings(node: "client"))
      let error = await failure { try await second.connect(to: pair.endpoint) }
      #expect(error?.code == .nameTaken)
      await pair.client.close(grace: .zero)
      #expect(try await second.connect(to: pair.endpoint, patience: .seconds(10)) == "server")
      await second.close(grace: .zero)
    }
  }

  @Test("interfaces that differ are refused with both named")
  func apiMismatch() async throws {
    try await Pair.with(client: { $0.interfaces = InterfaceCatalogue(number: 2, names: ["$sX"]) }) { pair in
      let error = await failure { try await pair.client.connect(to: pair.endpoint) }
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("2-") == true && error?.message.contains("0-") == true)
    }
  }

  @Test("a peer that goes silent is lost within its heartbeats")
  func silence() async throws {
    try await Pair.with { pair in
      let events = pair.server.peerEvents
      let raw = try #require(RawPeer(pair.endpoint))
      #expect(try raw.greet("mute", heartbeat: 50) == .welcome)
      for await event in events { if case .lost(let node, _, let reason) = event, node == "mute", reason.contains("silent") { break } }
    }
  }

  @Test("the address book dials when somebody calls, and calls made meanwhile wait for that attempt")
  func addressBook() async throws {
    try await Pair.with { pair in
      let actor = try await PoolEcho.serve(on: pair.server)
      await pair.client.route(node: "server", to: pair.endpoint)
      let echo = try pair.echo()
      let sums = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<20 { group.addTask { try await echo.add(number, 1) } }
        return try await group.reduce(0, +)
      }
      #expect(sums == 210)
      withExtendedLifetime(actor) {}
    }
  }

  @Test("C04: a regular file is never deleted, a stale socket is replaced, an overlong path is named")
  func socketFiles() async throws {
    let directory = Pair.directory()
    defer { rmdir(directory) }
    let path = "\(directory)/bus"
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    close(descriptor)
    let bus = BusSystem(BusSettings(node: "server"))
    #expect(await failure { try await bus.listen(on: .ipc(path: path)) }?.code == .endpointTaken)
    #expect(access(path, F_OK) == 0)
    unlink(path)
    // A socket file whose process is gone.
    let stale = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(stale, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    #expect(bound == 0)
    close(stale)
    try await bus.listen(on: .ipc(path: path))
    let client = BusSystem(BusSettings(node: "client"))
    #expect(try await client.connect(to: .ipc(path: path)) == "server")
    await client.close(grace: .zero)
    await bus.close(grace: .zero)
    #expect(access(path, F_OK) != 0, "the socket file is gone after close")
    let long = Endpoint.ipc(path: "/tmp/" + String(repeating: "x", count: 110))
    let other = BusSystem(BusSettings(node: "server"))
    let error = await failure { try await other.listen(on: long) }
    #expect(error?.code == .endpointInvalid)
    #expect(error?.message.contains("107") == true)
    await other.close(grace: .zero)
  }
}

extension BusSystem {
  /// Closes when the call that the test has begun waits in the queue.
  fileprivate func closeAfterQueueing(grace: Duration) async throws -> CloseReport {
    try await until { !(await waitingCalls() == 0) }
    return await close(grace: grace)
  }
}
