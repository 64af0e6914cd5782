import MinervaInterfaces
import ShellKit
import Testing

@Suite("Status as text")
struct StatusTextTests {
  private func report(trouble: String?) -> StatusReport {
    let peer = PeerStatus(
      node: "diff-1", kind: "diff", version: "1", pid: 7, endpoint: "tcp://127.0.0.1:7", heartbeatAge: 1, uptime: 1, trouble: trouble)
    let broker = BrokerStatus(
      node: "broker", version: "1", pid: 1, epoch: 1, uptime: 1, endpoints: [], events: [], peers: [peer], scenes: 0, records: 0,
      pool: PoolStatus(workers: 1, waiting: 0, running: 0, poisoned: 0), counters: [:], troubles: ["scene main: damaged"])
    return StatusReport(broker: broker, processes: [])
  }

  @Test("what keeps a peer from serving stands below the table, and with its row in JSON; control characters are made visible")
  func trouble() throws {
    let lines = StatusText.lines(report(trouble: "diff-1 did not\u{1B} answer"))
    #expect(lines.suffix(2) == ["! scene main: damaged", "! diff-1 did not\\x1b answer"], "\(lines)")
    #expect(StatusText.lines(report(trouble: nil)).last == "! scene main: damaged")
    #expect(StatusText.json(report(trouble: "slow")).contains { $0.contains(#""name":"diff-1""#) && $0.contains(#""trouble":"slow""#) })
  }
}
