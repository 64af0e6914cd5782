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

  @Test("a terminal of eighty columns holds what people read of a set: how each process ended last, and once what all share")
  func width() throws {
    let folder = "ipc:///run/user/1000/minerva/"
    var report = report(trouble: nil)
    let names = ["broker", "diff-1", "workouts-1", "shop-1"]
    report.processes = names.map { name in
      ProcessReport(
        name: name, kind: name == "broker" ? "broker" : "host", pid: 4_194_304, generation: 12, restarts: 11, state: "running",
        uptime: 5_400_000, memory: 1023 << 20, lastExit: name == "shop-1" ? "signal 11" : nil)
    }
    report.broker?.endpoints = ["\(folder)broker.sock", "tcp://0.0.0.0:7788"]
    report.broker?.peers = names.dropFirst().map { name in
      PeerStatus(
        node: name, kind: "host", version: name == "shop-1" ? "0.9" : "1", pid: 7,
        endpoint: name == "diff-1" ? "tcp://h:1" : "\(folder)\(name).sock",
        heartbeatAge: 137, uptime: 1, trouble: nil)
    }
    report.broker?.counters = Dictionary((0..<20).map { ("a.counter.\($0)", 1_000_000) }) { first, _ in first }
    let lines = StatusText.lines(report)
    for line in lines { #expect(line.count <= 80, "\(line)") }
    #expect(lines.first { $0.hasPrefix("shop-1") }?.hasSuffix("signal 11") == true, "\(lines)")
    #expect(lines.contains("version 1, each serves at \(folder)NAME.sock"), "\(lines)")
    #expect(lines.contains("shop-1  version 0.9") && lines.contains("diff-1  serves at tcp://h:1"), "\(lines)")
  }
}
