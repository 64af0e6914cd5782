import CommandKit
import MinervaInterfaces

/// Processes, connections and counters as a table and as JSON.
package enum StatusText {
  package static func lines(_ report: StatusReport) -> [String] {
    // What is the same for all, as version and folder mostly are, stands below: a terminal has eighty columns.
    var table = TableText(
      ["name", "kind", "pid", "gen", "state", "uptime", "memory", "beat", "last exit"], rightAligned: [2, 3, 5, 6, 7])
    let rows = rows(report)
    for row in rows {
      table.add([
        row.name, row.kind, row.pid.map(String.init) ?? "-", row.generation.map(String.init) ?? "-", row.state,
        row.uptime.map(span) ?? "-", row.memory.map(size) ?? "-", row.heartbeat.map(span) ?? "-",
        row.lastExit.map { DisplayWidth.clipped($0, to: 16) } ?? "-",
      ])
    }
    var lines = table.isEmpty ? ["no processes"] : table.lines()
    lines += places(of: rows)
    guard let broker = report.broker else { return lines + ["", "the broker cannot be reached"] }
    lines += ["", "scenes \(broker.scenes)  records \(broker.records)  epoch \(broker.epoch)  connections \(broker.peers.count)"]
    let pool = broker.pool
    lines.append("diff workers \(pool.workers)  waiting \(pool.waiting)  running \(pool.running)  poisoned \(pool.poisoned)")
    let counters = broker.counters.sorted { $0.key < $1.key }.map { "\(Escaping.visible($0.key)) \($0.value)" }
    if !counters.isEmpty { lines += HelpText.wrap(counters.joined(separator: "  "), 80) }
    let troubles = broker.troubles + broker.peers.compactMap(\.trouble)
    if !troubles.isEmpty { lines += [""] + troubles.flatMap { HelpText.wrap("! \(Escaping.visible($0))", 80) } }
    return lines
  }

  /// One object a process; one for the broker's own figures.
  package static func json(_ report: StatusReport) -> [String] {
    func number(_ value: Int?) -> JSONLine.Value { value.map { .number($0) } ?? .null }
    func text(_ value: String?) -> JSONLine.Value { value.map { .text($0) } ?? .null }
    var lines = rows(report).map { row in
      JSONLine([
        ("name", .text(row.name)), ("kind", .text(row.kind)), ("pid", number(row.pid.map(Int.init))),
        ("generation", number(row.generation)),
        ("state", .text(row.state)), ("uptime_ms", number(row.uptime)), ("memory", number(row.memory)), ("restarts", number(row.restarts)),
        ("heartbeat_age_ms", number(row.heartbeat)), ("version", text(row.version)), ("endpoint", text(row.endpoint)),
        ("last_exit", text(row.lastExit)), ("trouble", text(row.trouble)),
      ]).text
    }
    guard let broker = report.broker else { return lines }
    lines.append(
      JSONLine([
        ("broker", .text(broker.node)), ("epoch", .unsigned(broker.epoch)), ("scenes", .number(broker.scenes)),
        ("records", .unsigned(broker.records)), ("connections", .number(broker.peers.count)),
        ("endpoints", .array(broker.endpoints.map { .text($0) })),
        (
          "pool",
          .object([
            ("workers", .number(broker.pool.workers)), ("waiting", .number(broker.pool.waiting)), ("running", .number(broker.pool.running)),
            ("poisoned", .number(broker.pool.poisoned)),
          ])
        ),
        ("counters", .object(broker.counters.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) })),
        ("troubles", .array(broker.troubles.map { .text($0) })),
      ]).text)
    return lines
  }

  /// Version and endpoints: in one line what most share, then who has others.
  private static func places(of rows: [Row]) -> [String] {
    let folder = folder(of: rows)
    let version = rows.lazy.compactMap(\.version).first
    var common: [String] = []
    if let version { common.append("version \(Escaping.visible(version))") }
    if let folder { common.append("each serves at \(folder)NAME.sock") }
    var lines = common.isEmpty ? [] : [common.joined(separator: ", ")]
    for row in rows {
      var own: [String] = []
      if let other = row.version, other != version { own.append("version \(Escaping.visible(other))") }
      if let endpoint = row.endpoint, folder.map({ endpoint != "\($0)\(row.name).sock" }) ?? true {
        own.append("serves at \(Escaping.visible(endpoint))")
      }
      if !own.isEmpty { lines.append("\(Escaping.visible(row.name))  \(own.joined(separator: ", "))") }
    }
    return lines
  }

  /// The folder of the sockets that are named by their processes.
  private static func folder(of rows: [Row]) -> Substring? {
    for row in rows {
      let name = "/\(row.name).sock"
      guard let endpoint = row.endpoint, endpoint.hasPrefix("ipc://"), endpoint.hasSuffix(name) else { continue }
      return endpoint.dropLast(name.count - 1)
    }
    return nil
  }

  private struct Row {
    var name: String
    var kind: String
    var pid: Int32?
    var generation: Int?
    var state: String
    var uptime: Int?
    var memory: Int?
    var restarts: Int?
    var heartbeat: Int?
    var version: String?
    var endpoint: String?
    var lastExit: String?
    var trouble: String?
  }

  /// What the supervisor knows, joined by name with what the broker knows; peers that nobody supervises follow.
  private static func rows(_ report: StatusReport) -> [Row] {
    let peers = report.broker?.peers ?? []
    var rows = report.processes.map { process -> Row in
      let peer = peers.first { $0.node == process.name }
      let isBroker = process.kind == "broker"
      return Row(
        name: process.name, kind: process.kind, pid: process.pid, generation: process.generation, state: process.state,
        uptime: process.uptime, memory: process.memory, restarts: process.restarts, heartbeat: peer?.heartbeatAge,
        version: isBroker ? report.broker?.version : peer?.version,
        endpoint: isBroker ? report.broker?.endpoints.first : peer?.endpoint, lastExit: process.lastExit, trouble: peer?.trouble)
    }
    if let broker = report.broker, !report.processes.contains(where: { $0.kind == "broker" }) {
      rows.append(
        Row(
          name: broker.node, kind: "broker", pid: broker.pid, state: "running", uptime: broker.uptime, version: broker.version,
          endpoint: broker.endpoints.first))
    }
    for peer in peers where !report.processes.contains(where: { $0.name == peer.node }) {
      rows.append(
        Row(
          name: peer.node, kind: peer.kind, pid: peer.pid, state: "connected", uptime: peer.uptime, heartbeat: peer.heartbeatAge,
          version: peer.version, endpoint: peer.endpoint, trouble: peer.trouble))
    }
    return rows
  }

  private static func span(_ milliseconds: Int) -> String { DurationText.describe(.milliseconds(milliseconds)) }

  private static func size(_ bytes: Int) -> String {
    if bytes >= 1 << 30 { return "\(bytes >> 30).\((bytes >> 20) % 1024 * 10 / 1024) GiB" }
    return bytes >= 1 << 20 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
  }
}
