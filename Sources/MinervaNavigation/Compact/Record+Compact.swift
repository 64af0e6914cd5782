/// The compact form of the records that there are most of.
extension Record {
  /// Writes the record; `false`, and nothing written that counts, when it has no compact form.
  package func write(to writer: inout CompactWriter) -> Bool {
    switch self {
    case .command(let command):
      writer.byte(1)
      return command.write(to: &writer)
    case .link(let report):
      writer.byte(2)
      return report.write(to: &writer)
    case .turn(let report):
      writer.byte(3)
      return report.write(to: &writer)
    default: return false
    }
  }

  package init(from reader: inout CompactReader) throws(CompactError) {
    switch try reader.byte() {
    case 1: self = .command(try Command(from: &reader))
    case 2: self = .link(try LinkReport(from: &reader))
    case 3: self = .turn(try TurnReport(from: &reader))
    default: throw reader.failure
    }
  }
}

extension LinkReport {
  /// Only an acceptance of a module without container and transitions.
  fileprivate func write(to writer: inout CompactWriter) -> Bool {
    guard case .accepted(let acceptance) = verdict, acceptance.container == .none, acceptance.transitions.isEmpty else { return false }
    writer.screen(screen)
    writer.number(lease)
    writer.text(acceptance.host)
    writer.list(acceptance.slots) { $0.text($1) }
    writer.optional(acceptance.redactedInput) { $0.blob($1) }
    writer.optional(acceptance.plainInput) { $0.blob($1) }
    writer.byte(acceptance.vetoes.rawValue)
    writer.flag(acceptance.wantsLifecycle)
    return true
  }

  fileprivate init(from reader: inout CompactReader) throws(CompactError) {
    let screen = try reader.screen()
    let lease = try reader.number32()
    var acceptance = Acceptance(host: try reader.text())
    acceptance.slots = try reader.list { (reader) throws(CompactError) in try reader.text() }
    acceptance.redactedInput = try reader.optional { (reader) throws(CompactError) in try reader.blob() }
    acceptance.plainInput = try reader.optional { (reader) throws(CompactError) in try reader.blob() }
    acceptance.vetoes = Vetoes(rawValue: try reader.byte())
    acceptance.wantsLifecycle = try reader.flag()
    self.init(screen: screen, lease: lease, verdict: .accepted(acceptance))
  }
}

extension TurnReport {
  /// Only a turn that asked for nothing and was not refused.
  fileprivate func write(to writer: inout CompactWriter) -> Bool {
    guard requests.isEmpty, reply == .done, wakes?.isEmpty ?? true else { return false }
    writer.screen(screen)
    writer.number(lease)
    writer.number(number)
    writer.optional(handled) { $0.number($1) }
    writer.optional(state) { $0.blob($1) }
    writer.optional(vetoes) { $0.byte($1.rawValue) }
    writer.list(outputs) { $0.blob($1) }
    switch ending {
    case .none: writer.byte(0)
    case .finish(let result):
      writer.byte(1)
      writer.optional(result) { $0.blob($1) }
    case .cancel: writer.byte(2)
    }
    return true
  }

  fileprivate init(from reader: inout CompactReader) throws(CompactError) {
    let screen = try reader.screen()
    let lease = try reader.number32()
    let number = try reader.number32()
    let handled = try reader.optional { (reader) throws(CompactError) in try reader.number32() }
    let state = try reader.optional { (reader) throws(CompactError) in try reader.blob() }
    let vetoes = try reader.optional { (reader) throws(CompactError) in Vetoes(rawValue: try reader.byte()) }
    let outputs = try reader.list { (reader) throws(CompactError) in try reader.blob() }
    let ending: ModuleEnding
    switch try reader.byte() {
    case 0: ending = .none
    case 1: ending = .finish(try reader.optional { (reader) throws(CompactError) in try reader.blob() })
    case 2: ending = .cancel
    default: throw reader.failure
    }
    self.init(
      screen: screen, lease: lease, number: number, handled: handled, state: state, vetoes: vetoes, outputs: outputs, ending: ending)
  }
}
