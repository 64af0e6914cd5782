/// The compact form of what became of requests.
extension Outcome {
  package func write(to writer: inout CompactWriter) {
    var flags: UInt8 = changed ? 1 : 0
    if cancelled { flags |= 1 << 1 }
    if screen != nil { flags |= 1 << 2 }
    if output != nil { flags |= 1 << 3 }
    if plan != nil { flags |= 1 << 4 }
    if shortfall != nil { flags |= 1 << 5 }
    writer.byte(flags)
    writer.text(verb)
    if let screen { writer.screen(screen) }
    writer.list(presented) { $0.summary($1) }
    writer.list(removed) { writer, removal in
      writer.screen(removal.screen)
      writer.text(removal.module)
      writer.text(removal.reason.rawValue)
      writer.number(removal.outputs)
    }
    writer.list(held) { $0.screen($1) }
    if let output {
      writer.screen(output.screen)
      writer.optional(output.listener) { $0.screen($1) }
      writer.optional(output.listenerModule) { $0.text($1) }
      writer.number(output.number)
    }
    if let plan { plan.write(to: &writer) }
    shortfall?.write(to: &writer)
  }

  package init(from reader: inout CompactReader) throws(CompactError) {
    let flags = try reader.byte()
    guard flags < 1 << 6 else { throw reader.failure }
    verb = try reader.text()
    screen = flags & 1 << 2 == 0 ? nil : try reader.screen()
    presented = try reader.list { (reader) throws(CompactError) in try reader.summary() }
    removed = try reader.list { (reader) throws(CompactError) in
      let screen = try reader.screen()
      let module = try reader.text()
      guard let reason = RemovalReason(rawValue: try reader.text()) else { throw reader.failure }
      return Removal(screen: screen, module: module, reason: reason, outputs: try reader.number32())
    }
    held = try reader.list { (reader) throws(CompactError) in try reader.screen() }
    if flags & 1 << 3 == 0 {
      output = nil
    } else {
      let screen = try reader.screen()
      let listener = try reader.optional { (reader) throws(CompactError) in try reader.screen() }
      let module = try reader.optional { (reader) throws(CompactError) in try reader.text() }
      output = SpokenOutput(screen: screen, listener: listener, listenerModule: module, number: try reader.number32())
    }
    plan = flags & 1 << 4 == 0 ? nil : try PlanReport(from: &reader)
    shortfall = flags & 1 << 5 == 0 ? nil : try Refusal(from: &reader)
    changed = flags & 1 != 0
    cancelled = flags & 1 << 1 != 0
  }
}

extension Refusal {
  func write(to writer: inout CompactWriter) {
    writer.text(code)
    writer.text(message)
    writer.list(details) { writer, detail in
      writer.text(detail.name)
      writer.text(detail.value)
    }
  }

  init(from reader: inout CompactReader) throws(CompactError) {
    let code = try reader.text()
    let message = try reader.text()
    let details = try reader.list { (reader) throws(CompactError) in
      let name = try reader.text()
      return Refusal.Detail(name: name, value: try reader.text())
    }
    self.init(code: code, message: message, details: details)
  }
}

extension PlanReport {
  func write(to writer: inout CompactWriter) {
    writer.number(id.number)
    writer.text(link)
    writer.blob(context)
    writer.flag(resets)
    writer.flag(keepsPrefix)
    writer.screen(awaited)
    writer.text(module)
    writer.text(caller)
    writer.number(seq)
    writer.number(deadline.milliseconds)
  }

  init(from reader: inout CompactReader) throws(CompactError) {
    self.init(
      id: PlanID(try reader.number32()), link: try reader.text(), context: try reader.blob(), resets: try reader.flag(),
      keepsPrefix: try reader.flag(), awaited: try reader.screen(), module: try reader.text(), caller: try reader.text(),
      seq: try reader.number(), deadline: SceneTime(milliseconds: try reader.number()))
  }
}

extension CompactWriter {
  fileprivate mutating func summary(_ summary: ScreenSummary) {
    screen(summary.screen)
    text(summary.module)
    text(summary.host)
    optional(summary.path) { $0.path($1) }
    number(UInt64(summary.depth))
    optional(summary.parent) { $0.screen($1) }
  }
}

extension CompactReader {
  fileprivate mutating func summary() throws(CompactError) -> ScreenSummary {
    let screen = try screen()
    let module = try text()
    let host = try text()
    let path = try optional { (reader) throws(CompactError) in try reader.path() }
    guard let depth = Int(exactly: try number()) else { throw failure }
    let parent = try optional { (reader) throws(CompactError) in try reader.screen() }
    return ScreenSummary(screen: screen, module: module, host: host, path: path, depth: depth, parent: parent)
  }
}

/// The compact form of an answer, without its `txn`, which whoever keeps it has beside it.
extension Answer {
  var compact: [UInt8] {
    var writer = CompactWriter()
    writer.text(caller)
    writer.optional(seq) { $0.number($1) }
    switch resolution {
    case .done(let outcome):
      writer.byte(0)
      outcome.write(to: &writer)
    case .refused(let refusal):
      writer.byte(1)
      refusal.write(to: &writer)
    }
    return writer.bytes
  }

  init(txn: String, compact bytes: [UInt8]) throws(CompactError) {
    var reader = CompactReader(bytes)
    let caller = try reader.text()
    let seq = try reader.optional { (reader) throws(CompactError) in try reader.number() }
    let resolution: Resolution
    switch try reader.byte() {
    case 0: resolution = .done(try Outcome(from: &reader))
    case 1: resolution = .refused(try Refusal(from: &reader))
    default: throw reader.failure
    }
    try reader.finish()
    self.init(txn: txn, caller: caller, seq: seq, resolution: resolution)
  }
}
