import MinervaProtocol
import MinervaWire

/// What the parties of a simulation say to each other: the contents of envelopes, without their bytes.
enum Message {
  // To the broker.
  case hello(name: String, incarnation: UInt64)
  case call(id: UInt64, Wish)
  case cancelCall(id: UInt64)
  case register(node: String, incarnation: UInt64)
  case turn(node: String, incarnation: UInt64, lease: UInt64)
  case credit(WorkerPoolStateMachine.Worker, wants: Int)
  case submit(JobOrder, costs: [WorkerPoolStateMachine.Worker])
  case jobDone(UInt64, WorkerPoolStateMachine.Worker, attempt: Int)
  case withdrawJob(UInt64)
  case snapshotRequest(UInt64)

  // From the broker.
  case welcome(epoch: UInt64)
  case answer(id: UInt64, applied: Bool)
  case lease(HostLeaseStateMachine.Lease, resumed: Bool)
  case refused(MinervaError)
  case grant(WorkerPoolStateMachine.Lease)
  case jobFailed(UInt64, MinervaError)
  case cancelJob(WorkerPoolStateMachine.Lease)
  case snapshot(request: UInt64, through: UInt64, publisher: UInt64, digest: UInt64)
  case event(number: UInt64, publisher: UInt64, value: UInt64)
  case watermark(number: UInt64, publisher: UInt64)

  // Between a caller and a worker.
  case run(JobOrder, WorkerPoolStateMachine.Lease)
  case result(WorkerPoolStateMachine.Lease, JobEnd)
}

/// What a person wants done once: a change under a key, a change without one, or a look.
struct Wish: Hashable {
  let id: UInt64
  let repeatability: ClientSessionStateMachine.Repeatability
}

/// What a worker says of a lease.
enum JobEnd {
  case done
  /// It was told that nobody waits.
  case dropped
  /// The lease is of another life of its name.
  case notMine
}

/// A diff job as its caller knows it.
struct JobOrder: Hashable {
  let id: UInt64
  let size: Int
  let list: String?
  let isPoison: Bool
  let deadline: Moment
}
