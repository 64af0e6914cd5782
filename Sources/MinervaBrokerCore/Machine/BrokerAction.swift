package import MinervaInterfaces
package import MinervaJournal
package import MinervaNavigation
package import MinervaProtocol
package import MinervaWire

/// The number of a call that waits for its answer; given by whoever performs the actions.
package typealias CallToken = UInt64

/// What the broker wants done, in this order.
package enum BrokerAction {
  /// Make this durable; answered by `committed(upTo:)` or `commitFailed`. Consecutive ones belong into one group.
  case append(JournalEntry, ticket: UInt64)
  /// Store the state of a scene; nothing waits for it.
  indirect case snapshot(JournalSnapshot)
  /// Note that nothing is under way in a scene; nothing waits for it.
  indirect case rest(JournalRest)
  /// Read a scene; answered by `loaded` or `loadFailed` with the same number.
  case load(String, number: UInt64)
  /// Open the journal anew after a failure and load every scene; answered by `recovered`.
  case reopen
  /// End a call.
  case answer(CallToken, Reply)
  /// Make a module; answered by `linked`.
  indirect case connect(host: String, ConnectOrder)
  /// Make a module again; answered by `linked`.
  indirect case resume(host: String, ResumeOrder)
  /// Ask a host for a route of its module, within so many milliseconds; answered by `decided`.
  indirect case inquire(host: String, RouteInquiry, within: Int64)
  /// Give a host something to take note of, in order.
  indirect case order(host: String, HostOrder)
  /// Tell a diff worker that nobody waits for a job.
  indirect case cancelJob(DiffDesk.Name, WorkerPoolStateMachine.Lease)
  /// Publish.
  case publish(SceneEvent, app: String)

  /// The value of a call that ends.
  package enum Reply {
    indirect case answered(SceneAnswer)
    indirect case turned(TurnReceipt)
    indirect case registered(HostReceipt)
    indirect case leased(DiffLease)
    indirect case looked(SceneSnapshot)
    case reported([ScreenReport])
    indirect case linked(DeepLinkReply)
    case begun(SceneIdentity)
    case listed([SceneIdentity])
    case done
    indirect case refused(MinervaError)
  }
}
