import Minerva
import MinervaActors
import MinervaInterfaces
import MinervaTransport
import MinervaWire
import Synchronization
import TestSupport
import Testing

/// Grants nothing, and notes what it is asked.
private final class NoLeases: DiffLeasing {
  private let error: MinervaError
  private let notes = Mutex<(asked: [String], ended: [String])>(([], []))

  init(_ error: MinervaError) { self.error = error }

  var asked: [String] { notes.withLock { $0.asked } }
  var ended: [String] { notes.withLock { $0.ended } }

  func lease(_ request: DiffLeaseRequest, within time: Duration) async throws -> DiffLease {
    notes.withLock { $0.asked.append(request.job) }
    throw error
  }

  func endLease(job: String) async throws { notes.withLock { $0.ended.append(job) } }
}

@Suite("Jobs of a caller")
struct DiffRunnerTests {
  @Test("A job whose question fails is given up at the broker, which may have it all the same")
  func failedQuestion() async throws {
    let bus = BusSystem(BusSettings(node: "caller", kind: "test", interfaces: try await FixedInterfaces.learn().catalogue))
    let leasing = NoLeases(MinervaError(.deadline, "the broker did not answer"))
    let rows = DiffRows(identifiers: [0x61], offsets: [0, 1], hashes: [0])
    await #expect(throws: MinervaError.self) { try await DiffClient(bus, leasing: leasing).changes(from: rows, to: rows, DiffOptions()) }
    try await until { leasing.ended == leasing.asked }
    #expect(leasing.asked.count == 1)
    await bus.close(grace: .zero)
  }
}
