import Glibc
import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaTesting
import MinervaTransport
import MinervaWire
import RawPeers
import Testing

/// Queues that are full say so at once, with when to come back; whoever did not fill them notices nothing.
@Suite("Real processes under more than they can take", .serialized, .oneAtATime, .timeLimit(.minutes(2)))
struct BackpressureTests {
  /// A broker with one worker that is stopped while it stays connected, and a caller of it.
  private func withStoppedWorker(
    _ limits: Limits = .standard, _ body: (ProcessSet, BusSystem, $DiffWorker) async throws -> Void
  ) async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    try set.start("diff-1", "minerva-diff")
    let interfaces = try await FixedInterfaces.learn()
    // A worker that stands still is given up after a while; here it is to be called for longer.
    let bus = BusSystem(BusSettings(node: "caller", interfaces: interfaces.catalogue, limits: limits, missLimit: 100))
    let path = set.directory + "/diff-1.sock"
    #expect(try await bus.connect(to: .ipc(path: path), patience: .seconds(10)) == "diff-1")
    let worker = try $DiffWorker.resolve(id: ActorAddress(node: "diff-1", name: WellKnown.worker), using: bus)
    let known = KnownJob("first", seed: 1)
    #expect(try known.isAnswered(by: try await worker.diff(known.job)))
    do {
      try await body(set, bus, worker)
    } catch {
      await bus.close(grace: .zero)
      throw error
    }
    await bus.close(grace: .zero)
  }

  @Test("Processes: 1,100 calls to a stopped worker: 1,024 wait, the others are told when to come back; other callers are served")
  func callsInFlight() async throws {
    try await withStoppedWorker { set, bus, worker in
      let client = try await set.client("other")
      set.signal("diff-1", SIGSTOP)
      try await withThrowingTaskGroup(of: MinervaError?.self) { group in
        for number in 0..<1_100 { group.addTask { await failure { try await worker.cancel(job: "\(number)") } } }
        var refused: [MinervaError] = []
        for _ in 0..<76 { if let error = try await group.next() ?? nil { refused.append(error) } }
        #expect(refused.count == 76)
        for error in refused {
          #expect(error.code == .backpressure, "\(error)")
          #expect((error.retryAfterMilliseconds ?? 0) > 0)
        }
        #expect(await bus.peers().first?.callsInFlight == 1_024)
        for _ in 0..<20 { _ = try await client.status(within: .seconds(2)) }
        set.signal("diff-1", SIGCONT)
        // What waited is done; nothing was lost with what was refused.
        var done = 0
        for try await error in group { done += error == nil ? 1 : 0 }
        #expect(done == 1_024)
      }
      await client.close()
    }
  }

  @Test("Processes: a full outbound queue refuses the next message at once and keeps its bound; the queue drains and calls go on")
  func outboundQueue() async throws {
    var limits = Limits.standard
    limits.outboundBytes = 4 << 20
    try await withStoppedWorker(limits) { set, _, worker in
      set.signal("diff-1", SIGSTOP)
      let rows = DiffRows(identifiers: [UInt8](repeating: 97, count: 1 << 20), offsets: [0, 1 << 20], hashes: [1])
      try await withThrowingTaskGroup(of: MinervaError?.self) { group in
        for number in 0..<400 {
          group.addTask { await failure { _ = try await worker.diff(DiffJob(id: "large-\(number)", old: rows, new: DiffRows())) } }
        }
        // libzmq takes its 64 frames and the kernel a few, then ours is the queue that fills.
        guard let first = try await group.next() ?? nil else {
          Issue.record("nothing was refused")
          return
        }
        #expect(first.code == .backpressure, "\(first)")
        #expect((first.retryAfterMilliseconds ?? 0) > 0)
        set.signal("diff-1", SIGCONT)
        var (done, refused) = (0, 1)
        for try await error in group { if error == nil { done += 1 } else if error?.code == .backpressure { refused += 1 } }
        #expect(done + refused == 400, "every call ended by an answer or by a refusal")
        #expect(done >= 1)
      }
      let known = KnownJob("after", seed: 2)
      #expect(try known.isAnswered(by: try await worker.diff(known.job)))
    }
  }

  @Test("Processes: a peer with 2,000 calls at a broker has 1,024 of them served and the rest refused; other callers are served")
  func servedCalls() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    let client = try await set.client("other")
    let interfaces = try await FixedInterfaces.learn()
    let target = try #require(interfaces.broker.names.first { $0.contains("5lease") })
    let raw = try #require(RawPeer(set.endpoint))
    #expect(try raw.greet("greedy", api: interfaces.catalogue.version) == .welcome)
    // Leases wait, since there is no worker.
    for number in 0..<2_000 {
      let arguments = try CBOR.encode(DiffLeaseRequest(job: "job-\(number)", rows: 1))
      #expect(
        raw.send([RawPeer.call(WellKnown.broker, target, arguments: arguments, count: 1, identifier: UInt64(number), deadline: 60_000)]))
    }
    for _ in 0..<20 { _ = try await client.status(within: .seconds(2)) }
    let pool = try await client.status().pool
    #expect(pool.waiting == 1_024)
    var refused = 0
    for message in raw.messages(within: .seconds(5), upTo: 976) {
      guard let error = RawPeer.error(message) else { continue }
      #expect(error.code == .backpressure && (error.retryAfterMilliseconds ?? 0) > 0, "\(error)")
      refused += 1
    }
    #expect(refused == 976)
    await client.close()
  }

  @Test("Processes: more than 1,024 jobs that wait for a worker are refused with when to come back, and the others wait on")
  func leases() async throws {
    let set = try ProcessSet()
    defer { set.end() }
    try set.start("broker", "minerva-broker")
    let clients = [try await set.client("one"), try await set.client("two")]
    try await withThrowingTaskGroup(of: MinervaError?.self) { group in
      for number in 0..<1_100 {
        let client = clients[number % 2]
        group.addTask {
          await failure { _ = try await client.lease(DiffLeaseRequest(job: "job-\(number)", rows: 1), within: .seconds(30)) }
        }
      }
      for _ in 0..<76 {
        let error = try await group.next() ?? nil
        #expect(error?.code == .backpressure)
        #expect((error?.retryAfterMilliseconds ?? 0) > 0)
      }
      #expect(try await clients[0].status().pool.waiting == 1_024)
      group.cancelAll()
    }
    for client in clients { await client.close() }
  }
}
