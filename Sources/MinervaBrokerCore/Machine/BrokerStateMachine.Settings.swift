package import MinervaProtocol

extension BrokerStateMachine {
  /// The times and bounds of a broker.
  package struct Settings {
    /// How long the screens of a lost host stay suspended.
    package var leases = HostLeaseStateMachine.Settings()
    /// The diff workers' pool.
    package var pool = WorkerPoolStateMachine.Settings()
    /// How much longer the core waits before it gives up what no other host took over, in milliseconds.
    package var takeover: Int64 = 250
    /// How long a lost caller may take to come back before what it asked is rolled back.
    package var callerGrace: Int64 = 1_000
    /// A snapshot is written after so many records…
    package var snapshotRecords = 1_024
    /// …or so many bytes of them.
    package var snapshotBytes = 1 << 20
    /// Whether the time passed in is that of a virtual clock, which goes on by `advance` alone (D3).
    package var hasVirtualClock = false

    /// A scene that nobody has touched for so long leaves memory, in milliseconds…
    package var rest: Int64 = 30_000
    /// …and while more than so many are in memory, after as little as this.
    package var awake = 8_192
    package var shortRest: Int64 = 1_000

    package init() {}
  }
}
