import MinervaBrokerCore
import MinervaInterfaces
import MinervaNavigation
import MinervaProtocol

/// What the parties of a simulation say to each other: the contents of envelopes, without their bytes.
enum Message {
  // Between a caller and the broker.
  case ask(call: UInt64, Question)
  /// Nobody waits for the call any more.
  case giveUp(call: UInt64)
  case answer(call: UInt64, BrokerAction.Reply)

  // Between a host and the broker.
  case word(ScriptedHost.Word)
  case order(ScriptedHost.Order)

  // Between a renderer and the broker.
  case report(RendererReport)
  case attached(Bool)

  // Between a reader and the broker.
  case look(request: UInt64)
  case snapshot(request: UInt64, SceneSnapshot)
  /// Beside the connections.
  case event(SceneEvent)

  // Between a worker and the broker.
  case offer(DiffOffer)
  case cancelJob(DiffDesk.Name, WorkerPoolStateMachine.Lease)
  case cancelled(WorkerPoolStateMachine.Lease)

  // Between a caller and a worker.
  case run(JobOrder, WorkerPoolStateMachine.Lease)
  case result(WorkerPoolStateMachine.Lease, JobEnd)
}

/// What a caller wants of the broker.
enum Question {
  /// The request with this name.
  case request(String)
  /// What the scene looks like.
  case look
  /// Something that must not be done twice, and has no name by which a repetition would be known.
  case once(UInt64)
  /// A worker for a job of the caller.
  case lease(UInt64, DiffLeaseRequest)
  case endLease(String)

  var repeatability: ClientSessionStateMachine.Repeatability {
    switch self {
    case .request: .keyed
    case .look, .lease, .endLease: .pure
    case .once: .never
    }
  }
}

/// What a worker says of a lease.
enum JobEnd {
  /// What it has computed.
  case done(UInt64)
  /// It was told that nobody waits.
  case dropped
  /// The lease is of another life of its name.
  case notMine
  /// It has no room.
  case full
}

/// A diff job as its caller knows it.
struct JobOrder: Hashable {
  /// The caller's number for it; each of its lives counts anew.
  let id: UInt64
  /// Its name at the broker and the worker.
  let name: String
  /// No two jobs of a run have the same.
  let serial: UInt64
  let size: Int
  let list: String?
  let isPoison: Bool
  let deadline: Moment

  /// What a worker must compute.
  var answer: UInt64 { serial &* 0x9E37_79B9_7F4A_7C15 }
}
